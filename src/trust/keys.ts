/** Decides to which addresses an API key may be sent: to its provider, and to others that the person agrees to. */

import type { Problem } from "../errors.ts";
import { sha256 } from "../text/hash.ts";
import { accept, isAccepted, type Thing } from "./accepted.ts";
import { climax } from "../process/own_command.ts";

interface KeyUse {
  readonly endpoint: string;
  /** The place where the key was found, such as `the variable OPENAI_API_KEY`. */
  readonly source: string;
  readonly own?: string | undefined;
}

export type ConfirmKey = (question: string) => Promise<boolean>;

/** Returns why the key may not be sent; `undefined` if it may. A yes to `confirm` is stored. @throws {ClimaxError} */
export async function refuseKey(
  { endpoint, source, own }: KeyUse,
  confirm?: ConfirmKey,
): Promise<Problem | undefined> {
  const url = new URL(endpoint);
  if (own !== undefined && url.origin === new URL(own).origin) return undefined;
  const thing: Thing = {
    kind: "key",
    path: url.host,
    part: source,
    sha256: sha256(JSON.stringify([url.origin, source])),
  };
  if (await isAccepted(thing)) return undefined;
  if (await confirm?.(`Send the key from ${source} to ${url.origin}?`)) {
    await accept(thing);
    return undefined;
  }
  return {
    message: `The key from ${source} is not sent to ${url.origin}: you have not agreed to that`,
    hint: `Look at what names this address, and agree: ${climax()} trust --all`,
  };
}
