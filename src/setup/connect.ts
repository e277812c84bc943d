/** Edits climax's entry in the text of a client's file, or refuses. Nothing is written here. */

import { isDeepStrictEqual } from "node:util";
import { ClimaxError, ExitCode, messageOf } from "../errors.ts";
import { type Editor, type EntryPath, jsonEditor } from "./_edit_json.ts";
import { tomlEditor } from "./_edit_toml.ts";
import { yamlEditor } from "./_edit_yaml.ts";
import { ownProperty } from "../text/own_property.ts";
import type { EntryName, FileFormat, McpClientProgram, ServerCommand } from "./clients.ts";

const editors: Readonly<Record<FileFormat, Editor>> = {
  json: jsonEditor,
  toml: tomlEditor,
  yaml: yamlEditor,
};

/** A client's file and its text, which is empty when there is no file. */
export interface ClientText {
  readonly client: McpClientProgram;
  /** Its name in messages. */
  readonly file: string;
  readonly text: string;
  /** The name of the entry. @default "climax" */
  readonly name?: EntryName | undefined;
}

export function snippet(
  client: McpClientProgram,
  command: ServerCommand,
  name: EntryName = "climax",
): string {
  return editors[client.format].put("", [client.key, name], client.entry(command, name));
}

/** The text with an entry that starts `command`. @throws {ClimaxError} when the file cannot be edited */
export function withEntry(at: ClientText, command: ServerCommand): string {
  const { client, name = "climax" } = at;
  return withServers(at, { [name]: client.entry(command, name) });
}

/**
 * The text without the entry: `backup` or no text where {@linkcode withEntry} made it of that, and `undefined`
 * when there is no entry. An empty text stands for a missing file.
 *
 * @throws {ClimaxError} when the file cannot be edited
 */
export function withoutEntry(at: ClientText, backup: string | undefined): string | undefined {
  const { text } = at;
  return editEntry(at, (editor, path, before) => {
    const entry = entryOf(at);
    if (entry === undefined) return undefined;
    const origin = [backup, ""].find((each) => {
      return each !== undefined && putsBack(editor, each, path, entry) === text;
    });
    const next = origin ?? editor.without(text, path);
    if (next === undefined) return undefined;
    const [key, name] = path;
    if (isAsMeant(before, editor.parse(next), key, { [name]: undefined })) return next;
    throw refusal(at.file, otherChange);
  });
}

/** True when `text` is `before` with the entry that it has. */
export function isDerived(at: ClientText, before: string): boolean {
  if (before === at.text) return true;
  const entry = entryOf(at);
  return entry !== undefined && editEntry(at, (editor, path) => {
    return putsBack(editor, before, path, entry) === at.text;
  });
}

/** The client's servers by name, without climax. @throws {ClimaxError} as {@linkcode withEntry} */
export function otherServers(at: ClientText): Readonly<Record<string, unknown>> {
  return editEntry(at, (_editor, [key], value) => {
    const { climax: _tools, "climax-agents": _agents, ...others } =
      (value as Record<string, Record<string, unknown>> | undefined)?.[key] ?? {};
    return plain(others) as Record<string, unknown>;
  });
}

/** The text without the servers `names`; `undefined` when one cannot be taken out alone. */
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

/** The text with `servers`, as the client wrote them. @throws {ClimaxError} as {@linkcode withEntry} */
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

/** True when `after` is `before` but for `servers`, and has them; an undefined one it does not have. */
function isAsMeant(
  before: unknown,
  after: unknown,
  key: string,
  servers: Readonly<Record<string, unknown>>,
): boolean {
  const names = Object.keys(servers);
  return isDeepStrictEqual(withoutNames(before, key, names), withoutNames(after, key, names)) &&
    names.every((name) => {
      const server = ownProperty(ownProperty(after, key), name);
      return isDeepStrictEqual(plain(server), plain(servers[name]));
    });
}

/** The rest of `value` without these servers, and without a map that is empty then. */
function withoutNames(value: unknown, key: string, names: readonly string[]): unknown {
  const { [key]: map, ...others } = plain(value) as Record<string, Record<string, unknown>>;
  const left = Object.entries(map ?? {}).filter(([name]) => !names.includes(name));
  return left.length === 0 ? others : { ...others, [key]: Object.fromEntries(left) };
}

/** The command of the entry, if there is one. @throws {ClimaxError} as {@linkcode withEntry} */
export function commandOfConnected(at: ClientText): readonly string[] | undefined {
  const entry = entryOf(at);
  if (entry === undefined) return undefined;
  const { transport, ...plain } = entry as Record<string, unknown>;
  // Cline itself writes the command one level deeper
  const { command, cmd, args } = { ...(transport as object | undefined), ...plain };
  return [command, cmd, args].flat().filter((word) => typeof word === "string");
}

function entryOf(at: ClientText): unknown {
  return editEntry(at, (_editor, [key, name], value) => ownProperty(ownProperty(value, key), name));
}

/** Puts `entry` into a text, which may not be of this format. */
function putsBack(editor: Editor, text: string, path: EntryPath, entry: unknown) {
  try {
    return editor.put(text, path, entry);
  } catch {
    return undefined;
  }
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
    throw refusal(
      file,
      `The file is not ${client.format.toUpperCase()} that can be edited: ${reason}`,
    );
  }
}

/** Converts to JSON values: parsers create their own objects, dates, and big numbers. */
function plain(value: unknown): unknown {
  const text = JSON.stringify(value, (_, each) => typeof each === "bigint" ? `${each}n` : each);
  return text === undefined ? undefined : JSON.parse(text);
}

function refusal(file: string, message: string): ClimaxError {
  const hint = "Fix it, or add by hand what --print prints";
  return new ClimaxError("Nothing was written", ExitCode.file, [{ file, message, hint }]);
}
