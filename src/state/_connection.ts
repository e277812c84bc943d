/** Connects to Valkey or Redis, again after a loss, and checks its condition, clock and records once a second. */

import { X509Certificate } from "node:crypto";
import { type ChainableCommander, Redis, type RedisOptions } from "iovalkey";
import { isIP } from "node:net";
import { FileError, messageOf, type Problem } from "../errors.ts";
import { systemPath } from "../io.ts";
import type { StateAddress } from "./address.ts";
import { operationMs, slowMs, StateError, type StoreCondition } from "./store.ts";
import { protect } from "../process/protected_paths.ts";
import { type CancelTimer, type Clock, repeat } from "../async/clock.ts";
import { log } from "../log.ts";

/** After a lost connection, two attempts to connect are at most this many milliseconds apart. */
const maxRetryMs = 5000;

export function connectionTo(address: StateAddress): Redis {
  const { host, port, database: db, user, password, isTls, authority } = address;
  const ca = authority === undefined ? {} : { ca: certificateIn(authority) };
  const options: RedisOptions = {
    host,
    port,
    db,
    ...user === undefined ? {} : { username: user },
    ...password === undefined ? {} : { password },
    // TLS knows no IP addresses as server names (RFC 6066, section 3), so none is sent for an address
    ...isTls ? { tls: { ...isIP(host) ? {} : { servername: host }, ...ca } } : {},
    connectionName: "climax",
    lazyConnect: true,
    connectTimeout: operationMs,
    commandTimeout: operationMs,
    // The store is asked for the time once a second, so a connection that is silent for longer is dead
    socketTimeout: 2 * operationMs,
    // A command may have taken effect before the connection broke, and must not be sent twice
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    enableReadyCheck: false,
    // After a failover the old primary is a replica, which refuses writes: connecting again finds the new primary
    reconnectOnError: ({ message }) => message.startsWith("READONLY") ? 1 : false,
    retryStrategy: (attempt) => Math.min(maxRetryMs, 100 * 2 ** attempt) * (0.5 + Math.random()),
  };
  const connection = new Redis(options);
  // Without a listener the library prints errors of the connection, which every operation throws anyway
  connection.on("error", () => {});
  // Without a listener, a second error of a socket would end the process (tests/upstream_faults/deno_test.ts)
  connection.on("connect", () => connection.stream.on("error", () => {}));
  return connection;
}

function certificateIn(path: string): string {
  try {
    const text = Deno.readTextFileSync(systemPath(protect(path)));
    // Deno takes a file without a certificate for a list of no trusted authorities, so it is refused here
    new X509Certificate(text);
    return text;
  } catch (error) {
    const message = `Certificate of 'ca' in --state cannot be read: ${messageOf(error)}`;
    throw new FileError("The store cannot be used", { file: path, message });
  }
}

export async function resultsOf(transaction: ChainableCommander): Promise<unknown[]> {
  const results = await transaction.exec();
  if (results === null) throw new Error("The transaction was dropped");
  return results.map(([error, result]) => {
    if (error !== null) throw error;
    return result;
  });
}

/** Returns a text that is different after a restart or failover, when the store may have lost records. */
export function generationOf(record: unknown, info: unknown): string {
  const [, run = ""] = /^run_id:(\w+)/m.exec(String(info)) ?? [];
  return `${record}.${run}`;
}

export function stateErrorOf(error: unknown): StateError {
  if (error instanceof StateError) return error;
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const shared = "The store that all instances share";
  if (message === "Command timed out") {
    return new StateError("late", `${shared} did not answer within ${operationMs / 1000} s`);
  }
  if (name !== "ReplyError") return new StateError("down", `${shared} cannot be reached`);
  if (isFull(error)) return new StateError("full", `${shared} is full`);
  return new StateError("failed", `${shared} refused an operation: ${message.split(" ")[0]}`);
}

function isFull(error: unknown): boolean {
  // If a transaction fails, the errors of its commands say whether the store was full
  const { previousErrors = [] } = error as { readonly previousErrors?: readonly Error[] };
  return [error as Error, ...previousErrors].some(({ message }) => {
    return /^(?:OOM|MISCONF) /.test(message);
  });
}

/** Matches errors of a certificate that stays invalid; an expired certificate may be renewed. */
const untrusted =
  /^(?:ERR_TLS_CERT_ALTNAME_INVALID|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_\w+|INVALID_CA)$/;

/** Returns why the store can never be used, such as a wrong password; `undefined` if it may work later. */
export function refusalOf(error: unknown): Problem | undefined {
  if (!(error instanceof Error)) return undefined;
  const { message, code = "" } = error as Error & { readonly code?: string };
  if (/\b(?:WRONGPASS|NOAUTH|NOPERM|DB index is out of range)\b/.test(message)) {
    const hint = "Check user, password and database in --state, and what the user may do";
    return { message: `The store refuses climax: ${messageOf(error)}`, hint };
  }
  if (!untrusted.test(code)) return undefined;
  const hint = "Name its authority in --state with ?ca=FILE, and its host as the certificate does";
  return { message: `The certificate of the store is not accepted: ${messageOf(error)}`, hint };
}

/** Two checks of the store are this many milliseconds apart. */
const beatMs = 1000;

interface HealthOptions {
  /** This key is missing once the store has lost its records. */
  readonly generationKey: string;
  /** This key is written to find out whether the store has room. */
  readonly probeKey: string;
  readonly clock: Clock;
}

export class Health {
  readonly #connection: Redis;
  readonly #options: HealthOptions;
  condition: StoreCondition = "down";
  generation: string | undefined;
  lastError: Error | undefined;
  refusal: Problem | undefined;
  #isFull = false;
  #offsetMs = 0;
  #beating: Promise<void> | undefined;
  #stop: CancelTimer | undefined;
  #isStopped = false;

  constructor(connection: Redis, options: HealthOptions) {
    this.#connection = connection;
    this.#options = options;
    connection.on("error", (error: Error) => {
      this.lastError = error;
      this.refusal ??= refusalOf(error);
    });
    connection.on("close", () => this.change("down"));
    connection.on("ready", () => void this.#beat());
  }

  now(): number {
    return this.#options.clock.now() + this.#offsetMs;
  }

  async start(): Promise<void> {
    await this.#beat();
    const beat = () => void this.#beat();
    this.#stop = repeat(this.#options.clock, beatMs, beat, { unref: true });
  }

  stop(): void {
    this.#stop?.();
    this.#isStopped = true;
  }

  change(condition: StoreCondition): void {
    this.#isFull = condition === "full" || (this.#isFull && condition === "down");
    if (condition === this.condition || this.#isStopped) return;
    this.condition = condition;
    log(condition === "up" ? "info" : "warning", `The shared store is ${condition}`);
  }

  async #beat(): Promise<void> {
    if (this.#connection.status !== "ready") return;
    this.#beating ??= this.#look();
    await this.#beating;
    this.#beating = undefined;
  }

  async #look(): Promise<void> {
    const { clock, generationKey, probeKey } = this.#options;
    const began = clock.now();
    try {
      const look = this.#connection.multi().time().get(generationKey).info("server");
      type Answers = [time: [string, string], known: string | null, info: string];
      const [time, known, info] = await resultsOf(look) as Answers;
      const ended = clock.now();
      const [seconds, micros] = time.map(Number);
      this.#offsetMs = seconds! * 1000 + micros! / 1000 - (began + ended) / 2;
      this.#setGeneration(generationOf(known ?? await this.#newGeneration(), info));
      // Reads succeed in a full store, so only a write shows that the store has room again
      if (this.#isFull) await this.#connection.set(probeKey, "", "PX", beatMs);
      this.lastError = undefined;
      this.change(ended - began > slowMs ? "slow" : "up");
    } catch (error) {
      if (error instanceof Error) this.lastError = error;
      this.refusal ??= refusalOf(error);
      const { failure } = stateErrorOf(error);
      this.change(failure === "full" ? "full" : failure === "late" ? "slow" : "down");
    }
  }

  async #newGeneration(): Promise<string> {
    await this.#connection.set(this.#options.generationKey, crypto.randomUUID(), "NX");
    return await this.#connection.get(this.#options.generationKey) ?? "";
  }

  #setGeneration(generation: string): void {
    if (this.generation !== undefined && this.generation !== generation) {
      log("warning", "The shared store has begun again: open questions must be asked again");
    }
    this.generation = generation;
  }
}
