/**
 * Connects to the store, and again when the connection is lost; no operation waits for a connection. At intervals it
 * checks the condition of the store, its clock, and whether the store has lost its records.
 */

import { X509Certificate } from "node:crypto";
import { type ChainableCommander, Redis, type RedisOptions } from "iovalkey";
import { isIP } from "node:net";
import { FileError, messageOf } from "../errors.ts";
import { systemPath } from "../io.ts";
import type { StateAddress } from "./address.ts";
import { operationMs, slowMs, StateError, type StoreCondition } from "./store.ts";
import { protect } from "../process/protected_paths.ts";
import { type CancelTimer, type Clock, repeat } from "../async/clock.ts";
import { log } from "../log.ts";

/** Two attempts to connect are at most this many milliseconds apart. */
const maxRetryMs = 5000;

/** Makes a connection that is not opened yet. */
export function connectionTo(address: StateAddress): Redis {
  const { host, port, database: db, user, password, isTls, authority } = address;
  const ca = authority === undefined ? {} : { ca: certificateIn(authority) };
  const options: RedisOptions = {
    host,
    port,
    db,
    ...(user === undefined ? {} : { username: user }),
    ...(password === undefined ? {} : { password }),
    // An IP address is no server name in TLS (RFC 6066, section 3)
    ...(isTls ? { tls: { ...(isIP(host) ? {} : { servername: host }), ...ca } } : {}),
    connectionName: "climax",
    lazyConnect: true,
    connectTimeout: operationMs,
    commandTimeout: operationMs,
    // A connection that brings nothing for so long is dead, because the store is asked for the time more often
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
  // Errors without a listener are printed; each operation throws its own error
  connection.on("error", () => {});
  // Without a listener, a second error of a stream would end the process (tests/upstream_faults/deno_test.ts)
  connection.on("connect", () => connection.stream.on("error", () => {}));
  return connection;
}

function certificateIn(path: string): string {
  try {
    const text = Deno.readTextFileSync(systemPath(protect(path)));
    // The runtime accepts a file that has no certificate, and then trusts none
    new X509Certificate(text);
    return text;
  } catch (error) {
    const message = `Certificate of 'ca' in --state cannot be read: ${messageOf(error)}`;
    throw new FileError("The store cannot be used", { file: path, message });
  }
}

/** Resolves to the results of a transaction. @throws the first error among them */
export async function resultsOf(transaction: ChainableCommander): Promise<unknown[]> {
  const results = await transaction.exec();
  if (results === null) throw new Error("The transaction was dropped");
  return results.map(([error, result]) => {
    if (error !== null) throw error;
    return result;
  });
}

/** Returns the generation of a store, made from `record` and its server's `info`. A restart or failover changes it. */
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

/** Returns whether the store is full. The error of a dropped transaction has the errors of its commands in it. */
function isFull(error: unknown): boolean {
  const { previousErrors = [] } = error as { readonly previousErrors?: readonly Error[] };
  return [error as Error, ...previousErrors].some(({ message }) => {
    return /^(?:OOM|MISCONF) /.test(message);
  });
}

/** A lasting refusal: the store refuses climax, or climax the certificate of the store. */
interface StateRefusal {
  readonly message: string;
  readonly hint: string;
}

/** Matches errors of a certificate that stays invalid; an expired one may be renewed. */
const untrusted =
  /^(?:ERR_TLS_CERT_ALTNAME_INVALID|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_\w+|INVALID_CA)$/;

/** Returns the lasting refusal that `error` stands for; nothing if it may pass. */
export function refusalOf(error: unknown): StateRefusal | undefined {
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

/** Matches the codes of errors that follow when the store has closed the connection. */
const closed = /^(?:EPIPE|ECONNRESET|ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED)$/;

export function connectionFailure(error: Error | undefined, { isTls }: StateAddress): string {
  if (error === undefined) return "no answer";
  const { message, code = "" } = error as Error & { readonly code?: string };
  // The client library has these texts for a closed connection
  if (closed.test(code) || /^(?:Stream isn't writeable|Reached the max retries)/.test(message)) {
    const doubt = isTls ? "want a certificate of its clients" : "take TLS (valkeys://)";
    return `it closed the connection. Does it ${doubt}?`;
  }
  if (code !== "ETIMEDOUT") return messageOf(error);
  const doubt = isTls ? ". Does that port take TLS?" : "";
  return `it did not answer within ${operationMs / 1000} s${doubt}`;
}

/** Two checks of the store are this many milliseconds apart. */
const beatMs = 1000;

interface HealthOptions {
  /** The key of a record that is missing once the store has lost its records. */
  readonly generationKey: string;
  /** The key of a record that is written to find out whether the store has room. */
  readonly probeKey: string;
  readonly clock: Clock;
}

export class Health {
  readonly #connection: Redis;
  readonly #options: HealthOptions;
  condition: StoreCondition = "down";
  generation: string | undefined;
  lastError: Error | undefined;
  refusal: StateRefusal | undefined;
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

  /** Checks the store once, and then at intervals. */
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
      const [time, known, info] = await resultsOf(look) as [
        [string, string],
        string | null,
        string,
      ];
      const ended = clock.now();
      const [seconds, micros] = time.map(Number);
      this.#offsetMs = seconds! * 1000 + micros! / 1000 - (began + ended) / 2;
      this.#setGeneration(generationOf(known ?? await this.#newGeneration(), info));
      // The probe comes last: another write may have found the store full since, which the reads above do not disprove
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
