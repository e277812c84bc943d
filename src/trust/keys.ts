/**
 * Decides to which addresses a key may go. What names an address is a file, which may be another person's: a key goes to
 * the address of its own provider, and to others once the person has agreed to this host and this source of the key.
 */

import type { Problem } from "../errors.ts";
import { sha256 } from "../text/hash.ts";
import { accept, isAccepted, type Thing } from "./accepted.ts";
import { climax } from "../process/own_command.ts";

/** A key on its way to a server. */
interface KeyUse {
  readonly endpoint: string;
  /** Such as `the variable OPENAI_API_KEY`. */
  readonly source: string;
  /** The address of the key's own provider. */
  readonly own?: string | undefined;
}

/** Asks the person whether a key may be sent; absent if no person can be asked. */
export type ConfirmKey = (question: string) => Promise<boolean>;

/** Returns why the key is not sent, or nothing. A yes of `confirm` is remembered. @throws {ClimaxError} */
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
