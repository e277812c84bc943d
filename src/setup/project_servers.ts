/** Puts servers into the text of a project's file, or removes them; every other byte stays. */

import type { NamedText } from "../text/named_text.ts";
import { isDeepStrictEqual } from "node:util";
import { plainJson } from "../files/json.ts";
import { type ClimaxError, FileError } from "../errors.ts";
import { findServers } from "../sources/upstream/foreign/dialects.ts";
import type { ServerFile } from "../sources/upstream/schema.ts";
import { ownProperty } from "../text/own_property.ts";
import { jsonEditor } from "./_edit_json.ts";

/** Returns the servers in the file, valid or not. */
export function serversOf({ text }: NamedText): readonly Partial<ServerFile>[] {
  const value: unknown = JSON.parse(plainJson(text));
  const list = ownProperty(value, "mcpServers");
  if (Array.isArray(list)) return list;
  return (findServers(value) ?? []).map(({ name, written }) => ({ ...Object(written), name }));
}

/** Returns the text with `server` at the end. @throws {ClimaxError} when the file cannot be edited */
export function withServer(at: NamedText, server: ServerFile): string {
  const { name, transport, ...rest } = server;
  return checked(at, (key, servers) => {
    if (Array.isArray(servers)) {
      return [jsonEditor.put(at.text, [key, servers.length], server), [...servers, server]];
    }
    // A map of servers is in the words of other clients
    const entry = { type: transport, ...rest };
    return [jsonEditor.put(at.text, [key, name], entry), { ...servers, [name]: entry }];
  });
}

/** Returns the text without the server at `index`. @throws {ClimaxError} when the file cannot be edited */
export function withoutServer(at: NamedText, index: number): string {
  return checked(at, (key, servers) => {
    const isList = Array.isArray(servers);
    const left = Object.entries(servers).toSpliced(index, 1);
    const text = jsonEditor.without(at.text, [key, isList ? index : Object.keys(servers)[index]!]);
    const after = isList ? left.map(([, server]) => server) : Object.fromEntries(left);
    const isEmptied = isList && left.length === 0;
    return [isEmptied ? text?.replace(/(?<="mcpServers"\s*:\s*)\[\s*\]/, "[]") : text, after];
  });
}

/** Changes the list or map of servers, and refuses a text that has another change too. */
function checked(
  at: NamedText,
  change: (key: string, servers: object) => readonly [text: string | undefined, after: object],
): string {
  const before = JSON.parse(plainJson(at.text));
  const key = ["mcpServers", "servers"].find((each) =>
    typeof ownProperty(before, each) === "object"
  );
  if (key === undefined) throw refusal(at.file, "The file has no list 'mcpServers'");
  try {
    const [text = "", after] = change(key, before[key]);
    if (isDeepStrictEqual(JSON.parse(plainJson(text)), { ...before, [key]: after })) return text;
  } catch {
    // Refused below
  }
  throw refusal(at.file, "The file cannot be edited without changing something else in it");
}

function refusal(file: string, message: string): ClimaxError {
  const hint = "Edit it by hand, as docs/servers.md shows";
  return new FileError("Nothing was written", { file, message, hint });
}
