/**
 * Edits the entry for climax in the text of an MCP client's file. Nothing is written here. A file that
 * cannot be edited without other changes is refused.
 */

import { isDeepStrictEqual } from "node:util";
import { ClimaxError, ExitCode, messageOf } from "../errors.ts";
import type { Editor, EntryPath } from "./_editor.ts";
import { jsonEditor } from "./_edit_json.ts";
import { tomlEditor } from "./_edit_toml.ts";
import { yamlEditor } from "./_edit_yaml.ts";
import type { FileFormat, McpClientProgram, ServerCommand } from "./clients.ts";

const editors: Readonly<Record<FileFormat, Editor>> = {
  json: jsonEditor,
  toml: tomlEditor,
  yaml: yamlEditor,
};

/** The name of the entry. */
const entryName = "climax";

/** A client's file and its text, which is empty when there is no file. */
export interface ClientText {
  readonly client: McpClientProgram;
  /** Its name in messages. */
  readonly file: string;
  readonly text: string;
}

/** The text of a file that has only climax. */
export function snippet(client: McpClientProgram, command: ServerCommand): string {
  return editors[client.format].put("", pathOf(client), client.entry(command));
}

/** The text with an entry that starts `command`. @throws {ClimaxError} when the file cannot be edited */
export function withEntry(at: ClientText, command: ServerCommand): string {
  const { client, text } = at;
  const entry = client.entry(command);
  return editEntry(at, (editor, path, before) => {
    const next = editor.put(text, path, entry);
    return checkEdit(at, { before, after: editor.parse(next), entry }) && next;
  });
}

/**
 * The text as it was before {@linkcode withEntry}, if possible one of `backups`; `undefined` when there is
 * no entry. An empty text stands for a missing file.
 *
 * @throws {ClimaxError} when the file cannot be edited
 */
export function withoutEntry(at: ClientText, backups: readonly string[]): string | undefined {
  const { text } = at;
  return editEntry(at, (editor, path, before) => {
    const entry = entryOf(at);
    const candidates = editor.without(text, path);
    if (candidates.length === 0) return undefined;
    const inverse = candidates.filter((each) => putsBack(editor, each, path, entry) === text);
    const known = inverse.find((each) => backups.includes(each));
    const next = known ?? inverse[0] ?? candidates.at(-1)!;
    return checkEdit(at, { before, after: editor.parse(next), entry: undefined }) &&
      next;
  });
}

/** The command of the entry, if there is one. @throws {ClimaxError} as {@linkcode withEntry} */
export function connectedCommand(at: ClientText): readonly string[] | undefined {
  const entry = entryOf(at);
  if (entry === undefined) return undefined;
  const { transport, ...plain } = entry as Record<string, unknown>;
  // Cline itself writes the command one level deeper
  const { command, cmd, args } = { ...(transport as object | undefined), ...plain };
  return [command, cmd, args].flat().filter((word) => typeof word === "string");
}

function entryOf(at: ClientText): unknown {
  return editEntry(at, (_editor, [key, name], value) => {
    const map = (value as Record<string, unknown> | undefined)?.[key];
    return (map as Record<string, unknown> | undefined)?.[name];
  });
}

function pathOf({ key }: McpClientProgram): EntryPath {
  return [key, entryName];
}

/** Puts `entry` into a text, which may not be of this format. */
function putsBack(editor: Editor, text: string, path: EntryPath, entry: unknown) {
  try {
    return editor.put(text, path, entry);
  } catch {
    return undefined;
  }
}

/** Runs `edit` on a file that can be parsed. */
function editEntry<T>(
  { client, file, text }: ClientText,
  edit: (editor: Editor, path: EntryPath, value: unknown) => T,
): T {
  const editor = editors[client.format];
  try {
    return edit(editor, pathOf(client), editor.parse(text));
  } catch (error) {
    if (error instanceof ClimaxError) throw error;
    const [reason] = messageOf(error).split("\n");
    throw refusal(
      file,
      `The file is not ${client.format.toUpperCase()} that can be edited: ${reason}`,
    );
  }
}

/** Refuses an edit that changes anything but the entry, or does not set the entry as meant. */
function checkEdit(
  { client, file }: ClientText,
  { before, after, entry }: Readonly<Record<"before" | "after" | "entry", unknown>>,
): true {
  const isAsMeant = isDeepStrictEqual(rest(before, client), rest(after, client)) &&
    isDeepStrictEqual(
      plain((after as Record<string, Record<string, unknown>>)?.[client.key]?.[entryName]),
      plain(entry),
    );
  if (isAsMeant) return true;
  throw refusal(file, "The file cannot be edited without changing something else in it");
}

/** Removes the entry from `value`, and its map when that is empty then. */
function rest(value: unknown, { key }: McpClientProgram): unknown {
  const { [key]: map, ...others } = plain(value) as Record<string, Record<string, unknown>>;
  const { [entryName]: _entry, ...servers } = map ?? {};
  return Object.keys(servers).length === 0 ? others : { ...others, [key]: servers };
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
