/** What serving shares with other instances: the store and the keys. */

import { readStateAddress } from "./address.ts";
import { Keyring } from "./keyring.ts";
import type { SharedStore, WhenDown } from "./store.ts";
import { openValkeyStore } from "./valkey_store.ts";

export interface SharedState {
  readonly store: SharedStore;
  readonly keyring: Keyring;
  readonly whenDown: WhenDown;
}

interface SharedStateOptions {
  readonly address: string;
  /** Path of the file of keys. */
  readonly keys: string;
  /** @default "refuse" */
  readonly whenDown?: WhenDown | undefined;
}

/** Reads the keys and opens the store. @throws {ClimaxError} */
export async function openSharedState(
  { address, keys, whenDown = "refuse" }: SharedStateOptions,
): Promise<SharedState> {
  const at = readStateAddress(address);
  const keyring = new Keyring(keys);
  return { store: await openValkeyStore(at, keyring), keyring, whenDown };
}
