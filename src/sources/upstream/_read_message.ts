/** Reads the messages of untrusted servers, before the SDK does: it drops a message for one member that does not fit. */

import * as z from "zod";
import { wellFormed } from "../../files/json.ts";
import { withoutNulls } from "../../text/absent.ts";
import { excerpt } from "../../text/excerpt.ts";
import { isObject } from "../../text/own_property.ts";
import { readLeniently } from "./_lenient.ts";
import { readCallResult } from "./_read_result.ts";

/** Code of an error that a server gives without one (JSON-RPC 2.0: internal error). */
const internalError = -32603;

/** Most characters of an error that has no message. */
const maxErrorLength = 1000;

/** Returns `given` as a message that the SDK accepts, if it can be understood. */
export function readMessage(given: unknown): unknown {
  const message = wellFormed(withoutNulls(given));
  if (!isObject(given) || !isObject(message) || "method" in message) return message;
  if (!("result" in given || "error" in given)) return message;
  const { id, result = {}, error } = message;
  const head = { jsonrpc: "2.0", ...(id === undefined ? {} : { id }) };
  const isError = error !== undefined && (!("result" in message) || isObject(error));
  if (isError) return { ...head, error: readError(error) };
  // What is no object can only be meant as the content of an answer
  const whole = isObject(result) ? result : { content: result };
  const isOfCall = "content" in whole || "structuredContent" in whole || "isError" in whole;
  return { ...head, result: isOfCall ? readCallResult(whole) : readHandshake(whole) };
}

function readError(error: unknown): object {
  const { code, message, data } = isObject(error) ? error : { message: error };
  return {
    code: Number.isInteger(Number(code)) && code !== "" ? Number(code) : internalError,
    message: typeof message === "string"
      ? message
      : excerpt(JSON.stringify(message ?? error), maxErrorLength),
    ...(data === undefined ? {} : { data }),
  };
}

const capability = z.preprocess(
  // Some servers have a flag for an object, or the empty list that PHP writes
  (value) => value === true || (Array.isArray(value) && value.length === 0) ? {} : value,
  z.looseObject({ listChanged: z.boolean().optional(), subscribe: z.boolean().optional() }),
).optional();

const objectOr = <T extends z.ZodType>(schema: T) => {
  return z.preprocess((value) => isObject(value) ? value : {}, schema);
};

const handshakeSchema = z.looseObject({
  protocolVersion: z.string(),
  capabilities: objectOr(z.record(z.string(), capability)),
  serverInfo: objectOr(z.looseObject({
    name: z.coerce.string().default("unknown"),
    version: z.coerce.string().default("unknown"),
    title: z.string().optional(),
    description: z.string().optional(),
    websiteUrl: z.string().optional(),
    icons: z.array(z.looseObject({ src: z.string() })).optional(),
  })),
  instructions: z.string().optional(),
});

/** Reads the answer to `initialize`; returns any other result unchanged. */
function readHandshake(result: Readonly<Record<string, unknown>>): unknown {
  if (!("protocolVersion" in result && "capabilities" in result)) return result;
  const read = readLeniently(handshakeSchema, result);
  return "item" in read ? read.item : result;
}
