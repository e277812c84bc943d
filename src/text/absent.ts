/** Removes `null` members from JSON-RPC messages, since many programs write `null` for a member that has no value. */

import { isObject } from "./own_property.ts";

/** In members with these names `null` is kept, since they hold data or a schema, in which it has a meaning. */
const data: ReadonlySet<string> = new Set(
  ["structuredContent", "_meta", "data", "input", "inputSchema", "outputSchema"],
);

/** Matches the keys of `_meta` that MCP defines; a `null` under any other key is kept. */
const ownKey = /^progressToken$|^(?:[^/.]*\.)*?(?:modelcontextprotocol|mcp)[./][^/]*$/;

export function withoutNulls(message: unknown): unknown {
  if (!isObject(message)) return message;
  const { id, method } = message;
  const isCall = method === "tools/call";
  const isKept = (key: string) => data.has(key) || (isCall && key === "arguments");
  const isRequest = typeof method === "string" && !method.startsWith("notifications/");
  const { params, ...others } = drop(message, isKept) as typeof message;
  // PHP writes an empty list for an empty object, so an empty list of `params` counts as absent
  const isEmpty = params === undefined || (Array.isArray(params) && params.length === 0);
  const whole = isEmpty ? others : { ...others, params };
  // The `id: null` of a request is kept, so that the request is refused; without `id` it would be a notification
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
