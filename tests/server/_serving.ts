/** How the tests of servers serve. */

import { FollowedSignal } from "../../src/async/deadline.ts";
import { Elicitation } from "../../src/server/elicitation.ts";
import type { Serving } from "../../src/server/serving.ts";

/** Serving that tracks no call and does not end, unless `settings` say otherwise. */
export function testServing(settings: Partial<Serving> = {}): Serving {
  const { signal } = new AbortController();
  return {
    stop: new FollowedSignal(signal),
    hurry: signal,
    track() {},
    listTtlMs: 0,
    elicitation: new Elicitation(),
    ...settings,
  };
}
