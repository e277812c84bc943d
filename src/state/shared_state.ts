/** Opens the store that instances share, in Valkey or Redis, and seals its records with the keys of the instances. */

import { readStateAddress, type StateAddress } from "./address.ts";
import { Keyring, type SharedKey } from "./keyring.ts";
import {
  maxFields,
  maxValueBytes,
  type SharedStore,
  StateError,
  type StoreCondition,
  type Taken,
} from "./store.ts";
import { Buffer } from "node:buffer";
import type { Redis } from "iovalkey";
import { type Clock, systemClock } from "../async/clock.ts";
import { ClimaxError, ExitCode, messageOf } from "../errors.ts";
import { log } from "../log.ts";
import { connectionTo, generationOf, Health, resultsOf, stateErrorOf } from "./_connection.ts";
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

export interface SharedState {
  readonly store: SharedStore;
  readonly keyring: Keyring;
}

export async function openSharedState(address: string, keys: string): Promise<SharedState> {
  const at = readStateAddress(address);
  const keyring = new Keyring(keys);
  return { store: await openValkeyStore(at, keyring), keyring };
}

/** Each key of the store begins with this prefix; the number stands for the format of records. */
const prefix = "climax:1:";
const generationKey = `${prefix}generation`;

/** Opens the store at `address`. @throws {ClimaxError} if it refuses the user, or its certificate is wrong */
export async function openValkeyStore(
  address: StateAddress,
  keyring: Keyring,
  clock: Clock = systemClock,
): Promise<SharedStore> {
  const store = new ValkeyStore(address, keyring, clock);
  await store.open();
  return store;
}

class ValkeyStore implements SharedStore {
  readonly instance = crypto.randomUUID();
  readonly #address: StateAddress;
  readonly #keyring: Keyring;
  readonly #connection: Redis;
  readonly #health: Health;

  constructor(address: StateAddress, keyring: Keyring, clock: Clock) {
    this.#address = address;
    this.#keyring = keyring;
    this.#connection = connectionTo(address);
    this.#health = new Health(this.#connection, {
      generationKey,
      probeKey: `${prefix}probe`,
      clock,
    });
  }

  async open(): Promise<void> {
    await this.#connection.connect().catch(() => {});
    await this.#health.start();
    const { condition, lastError, refusal } = this.#health;
    if (refusal !== undefined) {
      this.close();
      throw new ClimaxError(refusal.message, ExitCode.usage, [refusal]);
    }
    if (condition !== "down") return;
    const reason = lastError === undefined ? "no answer" : messageOf(lastError);
    const remedy = "Check host and port, and that the address begins with valkeys:// for TLS";
    log("warning", `The store at ${this.#address.shown} cannot be reached: ${reason}. ${remedy}`);
  }

  get condition(): StoreCondition {
    return this.#health.condition;
  }

  get generation(): string | undefined {
    return this.#health.generation;
  }

  now(): number {
    return this.#health.now();
  }

  async take(name: string, ms: number, generation: string): Promise<Taken> {
    const [known, info, taken] = await this.#do((to) => {
      const taking = to.multi().get(generationKey).info("server");
      return resultsOf(taking.set(prefix + name, this.instance, "PX", lifetime(ms), "NX"));
    });
    return generationOf(known, info) !== generation ? "lost" : taken === "OK" ? "taken" : "used";
  }

  async put(name: string, value: string, ms: number): Promise<void> {
    const sealed = this.#seal(name, value);
    await this.#do((to) => to.set(prefix + name, sealed, "PX", lifetime(ms)));
  }

  async get(name: string): Promise<string | undefined> {
    const sealed = await this.#do((from) => from.getBuffer(prefix + name));
    return sealed === null ? undefined : unseal(this.#keyring, name, sealed);
  }

  async delete(name: string): Promise<void> {
    await this.#do((to) => to.del(prefix + name));
  }

  async putFields(
    name: string,
    fields: Readonly<Record<string, string>>,
    ms: number,
  ): Promise<void> {
    const seal = (key: string, value: string) => this.#seal(fieldName(name, key), value);
    const sealed = Object.entries(fields).map(([key, value]) => [key, seal(key, value)] as const);
    if (sealed.length === 0) return;
    await this.#do((to) => {
      const putting = to.multi().hset(prefix + name, new Map(sealed));
      return resultsOf(putting.pexpire(prefix + name, lifetime(ms)));
    });
  }

  async getFields(name: string, keys?: readonly string[]): Promise<Map<string, string>> {
    if (keys?.length === 0) return new Map();
    const found = await this.#do(async (from) => {
      if (keys === undefined) {
        const [, all] = await from.hscanBuffer(prefix + name, 0, "COUNT", maxFields);
        return all.flatMap((key, at) => at % 2 ? [] : [[key.toString(), all[at + 1]!] as const]);
      }
      const values = await from.hmgetBuffer(prefix + name, ...keys);
      return keys.map((key, index) => [key, values[index] ?? null] as const);
    });
    return new Map(found.flatMap(([key, sealed]): [string, string][] => {
      try {
        return sealed === null ? [] : [[key, unseal(this.#keyring, fieldName(name, key), sealed)]];
      } catch (error) {
        // If all fields of a record are read, a field that cannot be unsealed is left out, so that the others are found
        if (keys === undefined) return [];
        throw error;
      }
    }));
  }

  async deleteFields(name: string, keys: readonly string[]): Promise<number> {
    return keys.length === 0 ? 0 : await this.#do((to) => to.hdel(prefix + name, ...keys));
  }

  async run(
    script: string,
    names: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    const keys = names.map((name) => prefix + name);
    return await this.#do((to) => to.call("EVAL", script, keys.length, ...keys, ...args));
  }

  close(): void {
    this.#health.stop();
    this.#connection.disconnect();
  }

  #seal(name: string, value: string): Buffer {
    const bytes = Buffer.byteLength(value);
    if (bytes <= maxValueBytes) return seal(this.#keyring.first, name, value);
    throw new StateError("large", `${bytes} bytes exceed what a shared record may have`);
  }

  async #do<T>(operation: (connection: Redis) => Promise<T>): Promise<T> {
    try {
      return await operation(this.#connection);
    } catch (thrown) {
      const error = stateErrorOf(thrown);
      if (error.failure === "full") this.#health.change("full");
      throw error;
    }
  }
}

function fieldName(name: string, key: string): string {
  return `${name}\0${key}`;
}

/** The store accepts only whole milliseconds above 0. */
function lifetime(ms: number): number {
  return Math.max(1, Math.ceil(ms));
}

const [nameBytes, saltBytes, ivBytes, tagBytes] = [8, 16, 12, 16];
const headBytes = nameBytes + saltBytes + ivBytes;

/** With a salt for each process, no two processes encrypt with one key, so no nonce is used twice with a key. */
const ownSalt = randomBytes(saltBytes);

function seal(key: SharedKey, name: string, text: string): Buffer {
  const iv = randomBytes(ivBytes);
  const head = Buffer.concat([Buffer.from(key.name), ownSalt, iv]);
  const cipher = createCipheriv("aes-256-gcm", derive(key, ownSalt), iv);
  cipher.setAAD(Buffer.concat([head, Buffer.from(name)]));
  return Buffer.concat([head, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
}

/** Opens a sealed value of the record `name`. @throws {StateError} */
function unseal(keyring: Keyring, name: string, sealed: Buffer): string {
  const head = sealed.subarray(0, headBytes);
  const [salt, iv] = [head.subarray(nameBytes, -ivBytes), head.subarray(-ivBytes)];
  const key = keyring.get(head.toString("latin1", 0, nameBytes));
  if (sealed.length < headBytes + tagBytes || key === undefined) {
    const reason = "it was written by an instance with another signing key";
    throw new StateError("unreadable", `A shared record cannot be read: ${reason}`);
  }
  const decipher = createDecipheriv("aes-256-gcm", derive(key, salt), iv);
  decipher.setAAD(Buffer.concat([head, Buffer.from(name)]));
  decipher.setAuthTag(sealed.subarray(-tagBytes));
  const body = decipher.update(sealed.subarray(headBytes, -tagBytes));
  try {
    return Buffer.concat([body, decipher.final()]).toString();
  } catch {
    throw new StateError("unreadable", "A shared record cannot be read: it was changed");
  }
}

function derive(key: SharedKey, salt: Buffer): Buffer {
  return key.derive(`seal ${salt.toString("hex")}`);
}
