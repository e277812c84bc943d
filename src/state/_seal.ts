/** Seals values for the store, each for its name. An old value of the name that is put back is not noticed. */

import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { StateError } from "./store.ts";
import type { Keyring, SharedKey } from "./keyring.ts";

const format = 1;
const [nameBytes, saltBytes, ivBytes, tagBytes] = [8, 16, 12, 16];
const headBytes = 1 + nameBytes + saltBytes + ivBytes;

/** Most derived keys in memory. */
const maxDerived = 64;

export class Seal {
  readonly #keyring: Keyring;
  /** Each process has keys of its own, so that random nonces do not meet. */
  readonly #salt = randomBytes(saltBytes);
  readonly #derived = new Map<string, Buffer>();

  constructor(keyring: Keyring) {
    this.#keyring = keyring;
  }

  close(name: string, text: string): Buffer {
    const key = this.#keyring.first;
    const iv = randomBytes(ivBytes);
    const head = Buffer.concat([Buffer.of(format), Buffer.from(key.name), this.#salt, iv]);
    const cipher = createCipheriv("aes-256-gcm", this.#derive(key, this.#salt), iv);
    cipher.setAAD(Buffer.concat([head, Buffer.from(name)]));
    return Buffer.concat([head, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  }

  /** The text of a sealed value of the record `name`. @throws {StateError} */
  open(name: string, sealed: Buffer): string {
    const head = sealed.subarray(0, headBytes);
    const [salt, iv] = [head.subarray(1 + nameBytes, -ivBytes), head.subarray(-ivBytes)];
    const key = this.#keyring.get(head.toString("latin1", 1, 1 + nameBytes));
    if (head[0] !== format || sealed.length < headBytes + tagBytes || key === undefined) {
      const reason = "it was written by an instance with another version or signing key";
      throw new StateError("unreadable", `A shared record cannot be read: ${reason}`);
    }
    const decipher = createDecipheriv("aes-256-gcm", this.#derive(key, salt), iv);
    decipher.setAAD(Buffer.concat([head, Buffer.from(name)]));
    decipher.setAuthTag(sealed.subarray(-tagBytes));
    const body = decipher.update(sealed.subarray(headBytes, -tagBytes));
    try {
      return Buffer.concat([body, decipher.final()]).toString();
    } catch {
      throw new StateError("unreadable", "A shared record cannot be read: it was changed");
    }
  }

  #derive(key: SharedKey, salt: Buffer): Buffer {
    const id = key.name + salt.toString("latin1");
    const known = this.#derived.get(id);
    if (known !== undefined) return known;
    const [oldest] = this.#derived.keys();
    if (this.#derived.size >= maxDerived) this.#derived.delete(oldest!);
    const derived = key.derive(`seal ${salt.toString("hex")}`);
    this.#derived.set(id, derived);
    return derived;
  }
}
