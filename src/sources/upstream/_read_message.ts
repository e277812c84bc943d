/** Repairs messages of servers, since the SDK drops a whole message if one member of it is wrong. */

import * as z from "zod";
import { wellFormed } from "../../files/json.ts";
import { withoutNulls } from "../../text/absent.ts";
import { excerpt, quote } from "../../text/excerpt.ts";
import { isObject } from "../../text/own_property.ts";
import { readLeniently } from "./definition.ts";
import { isSpecType } from "@modelcontextprotocol/client";
import { isTextAnswer } from "../../tool/result.ts";

/** An error that a server sends without a code gets this code (JSON-RPC 2.0: internal error). */
const internalError = -32603;
const maxErrorLength = 1000;

export function readMessage(given: unknown): unknown {
  const message = wellFormed(withoutNulls(given));
  if (!isObject(given) || !isObject(message) || "method" in message) return message;
  if (!("result" in given || "error" in given)) return message;
  const { id, result = {}, error } = message;
  const head = { jsonrpc: "2.0", ...(id === undefined ? {} : { id }) };
  const isError = error !== undefined && (!("result" in message) || isObject(error));
  if (isError) return { ...head, error: readError(error) };
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
  // For a capability without options some servers write `true`, and PHP an empty list, in place of `{}`
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

function readHandshake(result: Readonly<Record<string, unknown>>): unknown {
  if (!("protocolVersion" in result && "capabilities" in result)) return result;
  const read = readLeniently(handshakeSchema, result);
  return "item" in read ? read.item : result;
}

type Values = Readonly<Record<string, unknown>>;

export function readCallResult(given: unknown): unknown {
  if (!isObject(given)) return given;
  const { content: written, structuredContent, isError, _meta, resultType, ...others } = given;
  if (resultType !== undefined && resultType !== "complete") return given;
  if (isTextAnswer(given) && (written as unknown[]).length > 0) return given;
  const values = Array.isArray(structuredContent) && structuredContent.length === 0
    ? {}
    : structuredContent;
  const content = readBlocks(written);
  if (content.length === 0 && values !== undefined && values !== null) content.push(text(values));
  const isFailure = [true, "true", 1].includes(isError as boolean);
  if (written === undefined && content.length === 0) {
    const isEmpty = Object.keys(others).length === 0;
    const empty = `[the server answered${isFailure ? " with an error" : ""}, without content]`;
    content.push(text(isEmpty ? empty : others));
  }
  return {
    content,
    ...(values === undefined || values === null ? {} : { structuredContent: values }),
    ...(isError === undefined ? {} : { isError: isFailure }),
    ...(isObject(_meta) ? { _meta } : {}),
    ...(resultType === undefined ? {} : { resultType }),
  };
}

function readBlocks(content: unknown): object[] {
  return content === undefined ? [] : [content].flat().map(readBlock);
}

function text(value: unknown): { readonly type: "text"; readonly text: string } {
  return { type: "text", text: typeof value === "string" ? value : JSON.stringify(value) };
}

function readBlock(block: unknown): object {
  if (!isObject(block)) return text(block);
  const { annotations: _, _meta: __, ...needed } = block;
  const repaired = [block, needed, repair(needed)].find((each) => isSpecType.ContentBlock(each));
  if (repaired !== undefined) return repaired;
  if (typeof block["text"] === "string") return text(block["text"]);
  const type = typeof block["type"] === "string" ? ` of type ${quote(block["type"])}` : "";
  return text(`[a part${type} of this answer is left out: it cannot be read]`);
}

function repair(block: Values): Values {
  const { type, uri, name = uri, resource } = block;
  switch (type) {
    case "text":
      return "text" in block ? text(block["text"]) : block;
    case "image":
    case "audio":
      return { type, ...readData(block) };
    case "resource_link":
      return { type, uri, name };
    case "resource": {
      const { uri, mimeType, text, blob } = isObject(resource) ? resource : {};
      const type = typeof mimeType === "string" ? { mimeType } : {};
      const data = typeof text === "string" ? { text } : { blob: toBase64(blob) };
      return { type: "resource", resource: { uri, ...type, ...data } };
    }
    default:
      return block;
  }
}

/** The base64 of an image begins with one of these texts, which tell its type where a server does not. */
const signatures = { iVBORw0KGgo: "png", "/9j/": "jpeg", R0lGOD: "gif", UklGR: "webp" };

function readData({ type, data, mimeType }: Values): Values {
  const [, named, own = data] = /^data:([^;,]+);base64,([^]*)$/.exec(String(data)) ?? [];
  const base64 = toBase64(own);
  const [, known] = Object.entries(signatures).find(([start]) => base64?.startsWith(start)) ?? [];
  const guessed = type === "image" && known ? `image/${known}` : undefined;
  return { data: base64, mimeType: mimeType ?? named ?? guessed };
}

function toBase64(data: unknown): string | undefined {
  if (typeof data !== "string") return undefined;
  const plain = data.replace(/[\s=]+/g, "").replaceAll("-", "+").replaceAll("_", "/");
  return plain.padEnd(Math.ceil(plain.length / 4) * 4, "=");
}
