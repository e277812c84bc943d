/** The error of an operation that needs the store of all instances. */

import { ClimaxError, ExitCode } from "../errors.ts";

/**
 * `down`: no connection; `late`: no answer in time, the operation may have had its effect; `full`: the store has no
 * room; `unreadable`: sealed by a key that this instance does not have, or changed; `large`: more bytes than a value
 * may have; `failed`: any other refusal of the store.
 */
export type StateFailure = "down" | "late" | "full" | "unreadable" | "large" | "failed";

/** Its message is for clients, and does not say where the store is. */
export class StateError extends ClimaxError {
  override readonly name = "StateError";

  constructor(readonly failure: StateFailure, message: string) {
    super(message, ExitCode.failure, [{ message }]);
  }
}
