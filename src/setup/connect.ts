/** Adds climax's entry to the text of an MCP client's file, or removes it, without writing the file. */

import { isDeepStrictEqual } from "node:util";
import { ClimaxError, FileError, messageOf } from "../errors.ts";
import { type Editor, type EntryPath, jsonEditor } from "./_edit_json.ts";
import { yamlEditor } from "./_edit_yaml.ts";
import { isObject, ownProperty } from "../text/own_property.ts";
import type { EntryName, FileFormat, McpClientProgram, ServerCommand } from "./clients.ts";
import { applyPatch, structuredPatch } from "diff";
import { parse, stringify } from "smol-toml";
import type { NamedText } from "../text/named_text.ts";

export interface ClientText extends NamedText {
  readonly client: McpClientProgram;
  readonly name?: EntryName | undefined;
}

export function snippet(
  client: McpClientProgram,
  command: ServerCommand,
  name: EntryName = "climax",
): string {
  return editors[client.format].put("", [client.key, name], client.entry(command, name));
}

/**
 * Returns the text of the client's file with an entry that starts climax by `command`.
 * @throws {ClimaxError} if the text cannot be edited
 */
export function withEntry(
  at: ClientText,
  command: ServerCommand,
  variables: readonly string[] = [],
): string {
  const { client, name = "climax" } = at;
  const added = variables.length === 0 ? {} : client.forward?.(variables) ?? {};
  const before = plain(entryOf(at)) ?? {};
  const passed = ["env", "env_vars", "environment", "envs"].flatMap((key) => {
    const [old, more] = [ownProperty(before, key), ownProperty(added, key)];
    if (Array.isArray(old) && Array.isArray(more)) return [[key, [...new Set([...old, ...more])]]];
    const isMap = isObject(old) && isObject(more);
    return old === undefined && more === undefined
      ? []
      : [[key, isMap ? { ...old, ...more } : more ?? old]];
  });
  return withServers(at, {
    [name]: { ...client.entry(command, name), ...Object.fromEntries(passed) },
  });
}

/**
 * Returns the text of the client's file without climax's entry; `undefined` if it has none.
 * @throws {ClimaxError} if the text cannot be edited
 */
export function withoutEntry(at: ClientText, backup: string | undefined): string | undefined {
  return editEntry(at, (editor, path, before) => {
    const [key, name] = path;
    const isMeant = (next: string) =>
      isAsMeant(before, editor.parse(next), key, { [name]: undefined });
    for (const origin of [backup, ""]) {
      const next = withChanges(origin, withPresentEntry(at, origin), at.text);
      if (next !== undefined && isMeant(next)) return next;
    }
    const next = editor.without(at.text, path);
    if (next === undefined || isMeant(next)) return next;
    throw refusal(at.file, otherChange);
  });
}

export function withChanges(
  origin: string | undefined,
  written: string | undefined,
  now: string,
): string | undefined {
  if (origin === undefined || written === undefined) return undefined;
  if (written === now) return origin;
  return applyPatch(origin, structuredPatch("", "", written, now, "", "", { context: 1 })) ||
    undefined;
}

export function isSameContent(at: ClientText, one: string, other: string): boolean {
  return editEntry(at, (editor) => {
    return isDeepStrictEqual(plain(editor.parse(one)), plain(editor.parse(other)));
  });
}

export function withPresentEntry(at: ClientText, before: string | undefined): string | undefined {
  const entry = entryOf(at);
  if (before === undefined || entry === undefined) return undefined;
  return editEntry(at, (editor, path) => {
    try {
      return editor.put(before, path, entry);
    } catch {
      return undefined;
    }
  });
}

/**
 * Returns the servers in an MCP client's file other than climax, by name.
 * @throws {ClimaxError} if the file cannot be read
 */
export function otherServers(at: ClientText): Readonly<Record<string, unknown>> {
  return editEntry(at, (_editor, [key], value) => {
    const { climax: _tools, "climax-agents": _agents, ...others } =
      (value as Record<string, Record<string, unknown>> | undefined)?.[key] ?? {};
    return plain(others) as Record<string, unknown>;
  });
}

export function withoutServers(at: ClientText, names: readonly string[]): string | undefined {
  return editEntry(at, (editor, [key], before) => {
    const text = names.reduce<string | undefined>((left, name) => {
      return left === undefined ? undefined : editor.without(left, [key, name]);
    }, at.text);
    if (text === undefined) return undefined;
    const gone = Object.fromEntries(names.map((name) => [name, undefined]));
    return isAsMeant(before, editor.parse(text), key, gone) ? text : undefined;
  });
}

export function withServers(at: ClientText, servers: Readonly<Record<string, unknown>>): string {
  return editEntry(at, (editor, [key], before) => {
    const text = Object.entries(servers).reduce((left, [name, server]) => {
      return editor.put(left, [key, name], server);
    }, at.text);
    if (isAsMeant(before, editor.parse(text), key, servers)) return text;
    throw refusal(at.file, otherChange);
  });
}

const otherChange = "The file cannot be edited without changing something else in it";

function isAsMeant(
  before: unknown,
  after: unknown,
  key: string,
  servers: Readonly<Record<string, unknown>>,
): boolean {
  const [old, now] = [before, after].map((value) => plain(value) as Record<string, object | null>);
  const meant = plain({ ...old, [key]: { ...old![key], ...servers } });
  return isDeepStrictEqual({ ...now, [key]: now![key] ?? {} }, meant);
}

export function commandOfConnected(at: ClientText): readonly string[] | undefined {
  const entry = entryOf(at);
  if (entry === undefined) return undefined;
  const { transport, ...plain } = entry as Record<string, unknown>;
  // Cline puts the command of a server below a key `transport`, so it is read there too
  const { command, cmd, args } = { ...(transport as object | undefined), ...plain };
  return [command, cmd, args].flat().filter((word) => typeof word === "string");
}

function entryOf(at: ClientText): unknown {
  return editEntry(at, (_editor, [key, name], value) => ownProperty(ownProperty(value, key), name));
}

function editEntry<T>(
  { client, file, text, name = "climax" }: ClientText,
  edit: (editor: Editor, path: EntryPath, value: unknown) => T,
): T {
  const editor = editors[client.format];
  try {
    return edit(editor, [client.key, name], editor.parse(text));
  } catch (error) {
    if (error instanceof ClimaxError) throw error;
    const [reason] = messageOf(error).split("\n");
    const format = client.format.toUpperCase();
    throw refusal(file, `The file is not ${format} that can be edited: ${reason}`);
  }
}

/** Turns a parsed file into plain JSON, so that files can be compared: YAML may have dates and big numbers. */
function plain(value: unknown): unknown {
  const text = JSON.stringify(value, (_, each) => typeof each === "bigint" ? `${each}n` : each);
  return text === undefined ? undefined : JSON.parse(text);
}

function refusal(file: string, message: string): ClimaxError {
  const hint = "Fix it, or add by hand what --print prints";
  return new FileError("Nothing was written", { file, message, hint });
}

const tomlEditor: Editor = {
  parse: (text) => parse(text.replace(/^\ufeff/, "")),

  put(text, path, entry) {
    const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
    const [key, name] = path;
    const block = stringify({ [key]: { [name]: entry } }).trimEnd().replaceAll("\n", lineEnd);
    const [first, ...more] = tablesOf(text, path);
    if (first !== undefined) {
      const others = more.toReversed().reduce((left, { start, end }) => {
        return left.slice(0, start) + left.slice(end).replace(/^\r?\n/, "");
      }, text);
      return others.slice(0, first.start) + block + others.slice(first.end);
    }
    const gap = text === "" ? "" : /\n$/.test(text) ? lineEnd : lineEnd + lineEnd;
    return text + gap + block + lineEnd;
  },

  without(text, path) {
    const tables = tablesOf(text, path);
    if (tables.length === 0) return undefined;
    return tables.toReversed().reduce((left, { start, end }) => {
      const before = left.slice(0, start).replace(/(\n|^)\r?\n$/, "$1");
      return before + left.slice(end).replace(/^\r?\n/, "");
    }, text);
  },
};

function tablesOf(text: string, path: EntryPath) {
  const heads = headsOf(text);
  return heads.flatMap(({ start, keys }, index) => {
    if (!path.every((key, level) => keys[level] === key)) return [];
    const block = text.slice(start, heads[index + 1]?.start);
    const lines = block.split(/(?<!\r)(?=\r?\n)/);
    const last = lines.findLastIndex((line) => !/^\r?\n[ \t]*(?:#|$)/.test(line));
    return [{ start, end: start + lines.slice(0, last + 1).join("").length }];
  });
}

function headsOf(text: string): { start: number; keys: string[] }[] {
  const heads: { start: number; keys: string[] }[] = [];
  const token =
    /"""[^]*?(?:"""+|$)|'''[^]*?(?:'''+|$)|"(?:[^"\\\r\n]|\\.)*"?|'[^'\r\n]*'?|#[^\r\n]*|[[\]{}\n]/g;
  let depth = 0;
  let line = 0;
  for (const { 0: found, index } of text.matchAll(token)) {
    if (found === "\n") line = index + 1;
    else if (found === "[" || found === "{") {
      const isHead = depth === 0 && /^\ufeff?[ \t]*$/.test(text.slice(line, index));
      if (isHead) heads.push({ start: line, keys: keysOf(text.slice(index)) });
      depth++;
    } else if (found === "]" || found === "}") depth--;
  }
  return heads;
}

function keysOf(head: string): string[] {
  const [, inner = ""] =
    /^\[\[?((?:"(?:[^"\\\r\n]|\\.)*"|'[^'\r\n]*'|[^\]"'\r\n])*)\]/.exec(head) ?? [];
  return [...inner.matchAll(/"((?:[^"\\]|\\.)*)"?|'([^']*)'?|([\w-]+)/g)]
    .map(([, quoted, literal, bare]) => quoted ?? literal ?? bare!);
}

const editors: Readonly<Record<FileFormat, Editor>> = {
  json: jsonEditor,
  toml: tomlEditor,
  yaml: yamlEditor,
};
