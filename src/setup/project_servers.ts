/** Puts servers into the text of a project's file, or removes them; every other byte stays. */

import type { NamedText } from "../text/named_text.ts";
import { isDeepStrictEqual } from "node:util";
import { type Node, parseTree } from "jsonc-parser";
import { plainJson } from "../files/json.ts";
import { type ClimaxError, FileError } from "../errors.ts";
import type { ServerFile } from "../sources/upstream/schema.ts";
import { findServers } from "../sources/upstream/foreign/dialects.ts";
import { isObject, ownProperty } from "../text/own_property.ts";
import { commaBehind, endOf, jsonEditor } from "./_edit_json.ts";

/** Returns the servers in the file, valid or not. */
export function serversOf({ text }: NamedText): readonly Partial<ServerFile>[] {
  const value: unknown = JSON.parse(plainJson(text));
  const { mcpServers } = Object(value);
  if (Array.isArray(mcpServers)) return mcpServers;
  return (findServers(value) ?? []).map(({ name, written }) => ({ ...Object(written), name }));
}

/** Returns the key of a map of servers, as other clients have it; `undefined` for a list. */
function mapKeyOf({ text }: NamedText): string | undefined {
  const value: unknown = JSON.parse(plainJson(text));
  return ["mcpServers", "servers"].find((key) => isObject(ownProperty(value, key)));
}

/** Sets a server of the map at `key`; `undefined` removes it. */
function withMapped(at: NamedText, key: string, name: string, server: object | undefined): string {
  const next = server === undefined
    ? jsonEditor.without(at.text, [key, name])
    : jsonEditor.put(at.text, [key, name], server);
  const before = JSON.parse(plainJson(at.text));
  const { [name]: _, ...others } = before[key];
  const map = server === undefined ? others : { ...others, [name]: server };
  const isAsMeant = next !== undefined &&
    isDeepStrictEqual(JSON.parse(plainJson(next)), { ...before, [key]: map });
  if (isAsMeant) return next;
  throw refusal(at.file, "The file cannot be edited without changing something else in it");
}

/** Returns the text with `server` at the end. @throws {ClimaxError} when the file cannot be edited */
export function withServer(at: NamedText, server: ServerFile): string {
  const { text } = at;
  const key = mapKeyOf(at);
  if (key !== undefined) {
    const { name, transport, ...rest } = server;
    return withMapped(at, key, name, { type: transport, ...rest });
  }
  const list = listIn(at);
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const block = JSON.stringify(server, null, 2).replaceAll("\n", `${lineEnd}    `);
  const last = list.children!.at(-1);
  const put = (from: number, added: string) => text.slice(0, from) + added + text.slice(from);
  if (last === undefined) {
    const isBlank = text.slice(list.offset + 1, endOf(list) - 1).trim() === "";
    return checkServers(
      at,
      [...serversOf(at), server],
      isBlank
        ? text.slice(0, list.offset) + `[${lineEnd}    ${block}${lineEnd}  ]` +
          text.slice(endOf(list))
        : put(list.offset + 1, `${lineEnd}    ${block}`),
    );
  }
  const comma = commaBehind(text, endOf(last));
  const next = comma === undefined
    ? put(endOf(last), `,${lineEnd}    ${block}`)
    : put(comma + 1, `${lineEnd}    ${block},`);
  return checkServers(at, [...serversOf(at), server], next);
}

/** Returns the text without the server at `index`. @throws {ClimaxError} when the file cannot be edited */
export function withoutServer(at: NamedText, index: number): string {
  const { text } = at;
  const key = mapKeyOf(at);
  if (key !== undefined) return withMapped(at, key, serversOf(at)[index]!.name!, undefined);
  const list = listIn(at);
  const children = list.children!;
  const node = children[index]!;
  const before = children[index - 1];
  const after = children[index + 1];
  const cut = (from: number, to: number) => text.slice(0, from) + text.slice(to);
  const left = serversOf(at).toSpliced(index, 1);
  if (before !== undefined) return checkServers(at, left, cut(endOf(before), endOf(node)));
  if (after !== undefined) return checkServers(at, left, cut(node.offset, after.offset));
  const comma = commaBehind(text, endOf(node));
  const rest = cut(node.offset, comma === undefined ? endOf(node) : comma + 1);
  const inner = rest.slice(list.offset + 1, endOf(list) - (text.length - rest.length) - 1);
  return checkServers(at, left, inner.trim() === "" ? rest.replace(`[${inner}]`, "[]") : rest);
}

function listIn(at: NamedText): Node {
  const root = parseTree(at.text.replace(/^\ufeff/, " "), [], { allowTrailingComma: true });
  const pair = root?.children?.find(({ children }) => children?.[0]?.value === "mcpServers");
  const list = pair?.children?.[1];
  if (list?.type === "array") return list;
  throw refusal(at.file, "The file has no list 'mcpServers'");
}

/** Refuses a text that is not the old one with these servers. */
function checkServers(at: NamedText, servers: readonly unknown[], text: string): string {
  try {
    const before = JSON.parse(plainJson(at.text));
    const after = JSON.parse(plainJson(text));
    if (isDeepStrictEqual(after, { ...before, mcpServers: servers })) return text;
  } catch {
    // Refused below
  }
  throw refusal(at.file, "The file cannot be edited without changing something else in it");
}

function refusal(file: string, message: string): ClimaxError {
  const hint = "Edit it by hand, as docs/servers.md shows";
  return new FileError("Nothing was written", { file, message, hint });
}
