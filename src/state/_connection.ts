/** One connection to the store: it is made again when it is lost, and no operation waits for that. */

import { type ChainableCommander, Redis, type RedisOptions } from "iovalkey";
import { isIP } from "node:net";
import { ClimaxError, ExitCode, messageOf } from "../errors.ts";
import { systemPath } from "../io.ts";
import type { StateAddress } from "./address.ts";
import { StateError } from "./error.ts";
import { operationMs } from "./store.ts";

/** Most milliseconds between two attempts to connect. */
const maxRetryMs = 5000;

/** A connection that is not opened yet. */
export function connectionTo(address: StateAddress): Redis {
  const { host, port, database: db, user, password, isTls, authority } = address;
  const ca = authority === undefined ? {} : { ca: certificateIn(authority) };
  const options: RedisOptions = {
    host,
    port,
    db,
    ...(user === undefined ? {} : { username: user }),
    ...(password === undefined ? {} : { password }),
    // No name is sent for an address, RFC 6066, section 3
    ...(isTls ? { tls: { ...(isIP(host) ? {} : { servername: host }), ...ca } } : {}),
    connectionName: "climax",
    lazyConnect: true,
    connectTimeout: operationMs,
    commandTimeout: operationMs,
    // The connection is asked for the time more often
    socketTimeout: 2 * operationMs,
    // What was sent may have had its effect, and must not be sent twice
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    enableReadyCheck: false,
    // After a failover the old primary is a replica
    reconnectOnError: ({ message }) => message.startsWith("READONLY") ? 1 : false,
    retryStrategy: (attempt) => Math.min(maxRetryMs, 100 * 2 ** attempt) * (0.5 + Math.random()),
  };
  const connection = new Redis(options);
  // Without a listener an error is printed; each operation throws its own
  connection.on("error", () => {});
  return connection;
}

function certificateIn(path: string): string {
  try {
    return Deno.readTextFileSync(systemPath(path));
  } catch (error) {
    const message = `Certificate of 'ca' in --state cannot be read: ${messageOf(error)}`;
    throw new ClimaxError("The store cannot be used", ExitCode.file, [{ file: path, message }]);
  }
}

/** The results of a transaction. @throws the first error among them */
export async function resultsOf(transaction: ChainableCommander): Promise<unknown[]> {
  const results = await transaction.exec();
  if (results === null) throw new Error("The transaction was dropped");
  return results.map(([error, result]) => {
    if (error !== null) throw error;
    return result;
  });
}

/**
 * The generation of a store with `record` whose server says `info` of itself: another one after a restart and a
 * failover too, which may have lost the last records and not this one.
 */
export function generationOf(record: unknown, info: unknown): string {
  const [, run = ""] = /^run_id:(\w+)/m.exec(String(info)) ?? [];
  return `${record}.${run}`;
}

/** The error of an operation in the words of {@linkcode StateError}. */
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

/** A transaction is dropped with an error of its own, which has the errors of its commands. */
function isFull(error: unknown): boolean {
  const { message, previousErrors = [] } = error as Error & { previousErrors?: Error[] };
  return /^(?:OOM|MISCONF) /.test(message) || previousErrors.some(isFull);
}

/** Returns whether the store refuses this user or this database, whatever is asked. */
export function isRefused(error: unknown): error is Error {
  return error instanceof Error &&
    /\b(?:WRONGPASS|NOAUTH|NOPERM|DB index is out of range)\b/.test(error.message);
}

/** The reason why there is no connection. */
export function reasonOf(error: Error | undefined): string {
  if (error === undefined) return "no answer";
  // The client's word for it
  return /^Stream isn't writeable/.test(error.message)
    ? "it closed the connection. Does it take TLS (valkeys://)?"
    : messageOf(error);
}
