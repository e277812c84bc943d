/**
 * Decides to which addresses a key may go. An address may be named in a file of another person: a key goes to its own
 * provider, and to others once the person has agreed to this host and this source of the key.
 */

import type { Problem } from "../errors.ts";
import { sha256 } from "../text/hash.ts";
import { accept, isAccepted, type Thing } from "./accepted.ts";
import { climax } from "../process/own_command.ts";

/** A key that is about to be sent to a server. */
interface KeyUse {
  readonly endpoint: string;
  /** The place of the key, such as `the variable OPENAI_API_KEY`. */
  readonly source: string;
  /** The address of the key's own provider. */
  readonly own?: string | undefined;
}

/** Asks the person whether a key may be sent; absent if no person can be asked. */
export type ConfirmKey = (question: string) => Promise<boolean>;

/** Returns why the key is not sent, or nothing. A yes to `confirm` is stored. @throws {ClimaxError} */
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
