/** Removes members that are `null` from messages: many serializers write `null` for each empty member. */

import { isObject } from "./own_property.ts";

/** Members with these names hold data or a schema, in which `null` has a meaning. */
const data: ReadonlySet<string> = new Set(
  ["structuredContent", "_meta", "data", "input", "inputSchema", "outputSchema"],
);

/** Matches keys of `_meta` that the protocol defines; all other keys are data of programs. */
const ownKey = /^progressToken$|^(?:[^/.]*\.)*?(?:modelcontextprotocol|mcp)[./][^/]*$/;

/**
 * Returns a JSON-RPC message without members and list entries that are `null`. The arguments and the result of a call
 * stay as they are.
 */
export function withoutNulls(message: unknown): unknown {
  if (!isObject(message)) return message;
  const { id, method } = message;
  const isCall = method === "tools/call";
  const isKept = (key: string) => data.has(key) || (isCall && key === "arguments");
  const isRequest = typeof method === "string" && !method.startsWith("notifications/");
  const { params, ...others } = drop(message, isKept) as typeof message;
  // PHP writes an empty object as an empty list
  const isEmpty = params === undefined || (Array.isArray(params) && params.length === 0);
  const whole = isEmpty ? others : { ...others, params };
  // A request with the id `null` is invalid, and without an id it would be a notification
  return id === null && isRequest ? { ...whole, id } : whole;
}

type IsKept = (key: string) => boolean;

function drop(value: unknown, isKept: IsKept): unknown {
  if (Array.isArray(value)) {
    return value.filter((inner) => inner !== null).map((inner) => drop(inner, isKept));
  }
  if (!isObject(value)) return value;
  const present = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(present.map(([key, inner]) => {
    if (key === "_meta" && isObject(inner)) return [key, withoutOwnNulls(inner)];
    return [key, isKept(key) ? inner : drop(inner, isKept)];
  }));
}

function withoutOwnNulls(meta: Readonly<Record<string, unknown>>): object {
  const kept = Object.entries(meta).filter(([key, value]) => value !== null || !ownKey.test(key));
  return Object.fromEntries(kept);
}
