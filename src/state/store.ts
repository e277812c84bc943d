/** Defines the store that instances share. Its records have a lifetime and are sealed, except for their names. */

import { ClimaxError, ExitCode } from "../errors.ts";

/** An operation of the store fails after this many milliseconds. */
export const operationMs = 3000;

export const maxFields = 2000;

/** A value in the store has at most this many bytes. */
export const maxValueBytes = 8 * 1024 * 1024;

/** A store is `slow` if its answers take long, and `full` if it can be read but refuses writes. */
export const storeConditions = ["up", "slow", "full", "down"] as const;

export type StoreCondition = typeof storeConditions[number];

/** A store is slow if a round trip takes this many milliseconds. */
export const slowMs = 500;

/** `lost`: the store has lost records, so nobody can say whether the name was used before. */
export type Taken = "taken" | "used" | "lost";

/** Each operation is atomic, ends within {@linkcode operationMs}, and throws a {@linkcode StateError}. */
export interface SharedStore {
  readonly instance: string;
  readonly condition: StoreCondition;
  /** Changes when the store may have lost records, as by a restart; `undefined` before the first connection. */
  readonly generation: string | undefined;
  /** Returns milliseconds since 1970 by the clock of the store, as far as it is known. */
  now(): number;

  /** Reserves `name` for `ms`. If several instances try, one gets `taken`, and the others get `used`. */
  take(name: string, ms: number, generation: string): Promise<Taken>;

  put(name: string, value: string, ms: number): Promise<void>;
  get(name: string): Promise<string | undefined>;
  delete(name: string): Promise<void>;

  /** Writes fields of the record `name`, which expires as a whole after `ms`. */
  putFields(name: string, fields: Readonly<Record<string, string>>, ms: number): Promise<void>;
  /** Reads the fields in `keys`, or else at most about {@linkcode maxFields} fields. */
  getFields(name: string, keys?: readonly string[]): Promise<Map<string, string>>;
  /** Deletes fields; returns their number. If several instances delete a field, one of them gets 1. */
  deleteFields(name: string, keys: readonly string[]): Promise<number>;

  /** Runs `script` (Lua) as one operation on the keys of the records `names`. What the script stores is not sealed. */
  run(
    script: string,
    names: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown>;

  close(): void;
}

/**
 * Why an operation failed. `down`: no connection; `late`: no answer in time, so it may have taken effect; `full`: the
 * store has no room; `unreadable`: sealed by a key that this instance does not have, or changed; `large`: more bytes
 * than a value may have; `failed`: any other refusal of the store.
 */
type StateFailure = "down" | "late" | "full" | "unreadable" | "large" | "failed";

export class StateError extends ClimaxError {
  override readonly name = "StateError";

  constructor(readonly failure: StateFailure, message: string) {
    super(message, ExitCode.failure, [{ message }]);
  }
}
