/** One connection to the store: it is made again when it is lost, and no operation waits for that. */

import { type ChainableCommander, Redis, type RedisOptions } from "iovalkey";
import { systemPath } from "../io.ts";
import type { StateAddress } from "./address.ts";
import { StateError } from "./error.ts";
import { operationMs } from "./store.ts";

/** Most milliseconds between two attempts to connect. */
const maxRetryMs = 5000;

/** A connection that is not opened yet. */
export function connectionTo(address: StateAddress): Redis {
  const { host, port, database: db, user, password, isTls, authority } = address;
  const ca = authority === undefined ? {} : { ca: Deno.readTextFileSync(systemPath(authority)) };
  const options: RedisOptions = {
    host,
    port,
    db,
    ...(user === undefined ? {} : { username: user }),
    ...(password === undefined ? {} : { password }),
    ...(isTls ? { tls: { servername: host, ...ca } } : {}),
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

/** The results of a transaction. @throws the first error among them */
export async function resultsOf(transaction: ChainableCommander): Promise<unknown[]> {
  const results = await transaction.exec();
  if (results === null) throw new Error("The transaction was dropped");
  return results.map(([error, result]) => {
    if (error !== null) throw error;
    return result;
  });
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

/** Returns whether the store refuses this user, whatever is asked. */
export function isRefused(error: unknown): error is Error {
  return error instanceof Error && /\b(?:WRONGPASS|NOAUTH|NOPERM)\b/.test(error.message);
}
