/** Requests to providers, whose failures the AI SDK repeats if a later request may succeed. */

import { NetworkError, sendOnce } from "../../net/send_once.ts";

/** A failure that would come again at once, so that nothing is retried. */
export class PermanentFailure extends Error {
  override readonly name = "PermanentFailure";
}

/** A `fetch` for the SDK, whose requests carry `secrets`. */
export function providerFetch(secrets: readonly string[]): typeof fetch {
  return async (input, init) => {
    try {
      return await sendOnce(input instanceof Request ? input.url : input, init, { secrets });
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error;
      // The SDK recognises a network failure by this text only, and retries
      if (error.kind === "lost") throw new TypeError("fetch failed", { cause: error });
      throw new PermanentFailure(error.message);
    }
  };
}
