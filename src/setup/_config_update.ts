/** Adds new commands and options of a program to a config; nothing that is there changes. */

import { isMap, isSeq, LineCounter, type Node, parseDocument, type YAMLMap } from "yaml";
import { FileError } from "../errors.ts";
import type { ArgDraft, ToolDraft } from "./_tool_draft.ts";
import {
  keysOf,
  LineWriter,
  recordKey,
  recordRemark,
  writeArg,
  writeRecord,
  writeTool,
} from "./_writer.ts";
import { columnOf } from "./_edit_yaml.ts";

interface CurrentHelp {
  readonly tools: readonly ToolDraft[];
  /** True when the help that would list a command was read, and does not list it. */
  readonly isGone: (command: string) => boolean;
}

export interface Updated {
  readonly text: string;
  /** Names of tools, and of arguments as `tool.argument`. */
  readonly added: readonly string[];
  readonly gone: readonly string[];
  /** Additions that have no place in the file. */
  readonly refused: readonly string[];
}

/** Columns of the dash of {@linkcode writeTool} and {@linkcode writeArg}. */
const written = { tool: 2, arg: 6 };

/** Updates the config `text`. @throws {ClimaxError} if `climax generate` has not written it */
export function updateConfig(file: string, text: string, present: CurrentHelp): Updated {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false });
  const record = recordOf(document.toJS() as unknown);
  const tools = document.get("tools");
  if (document.errors.length > 0 || record === undefined || !isSeq(tools)) {
    const message = `There is no '${recordKey}' in it: it was not written by climax generate`;
    const hint = "Write another file with --output, and copy what you want of it";
    throw new FileError("Nothing was updated", { file, message, hint });
  }
  const update = new Update(text, record, present);
  const known = tools.items.filter(isMap);
  const fresh = present.tools.filter((tool) => {
    return !record.has(tool.name) && !known.some((each) => isSame(each, tool));
  });
  for (const tool of present.tools) update.merge(tool, known.find((each) => isSame(each, tool)));
  for (const each of known) update.reportGone(each);
  update.append(fresh, tools);
  return update.finish();
}

/** Reads the record in the file; `undefined` when it has none. */
function recordOf(value: unknown): Map<string, readonly string[]> | undefined {
  const record = (value as Record<string, unknown> | null)?.[recordKey];
  if (typeof record !== "object" || record === null) return undefined;
  return new Map(
    Object.entries(record).map(([tool, keys]) => {
      return [tool, Array.isArray(keys) ? keys.map(String) : []];
    }),
  );
}

/** Compares commands: a tool may have been renamed. */
function isSame(node: YAMLMap, { name, command }: ToolDraft): boolean {
  return node.get("name") === name || (command !== "" && node.get("command") === command);
}

class Update {
  readonly #insertions: { readonly at: number; readonly text: string }[] = [];
  readonly #added: string[] = [];
  readonly #gone: string[] = [];
  readonly #refused: string[] = [];
  readonly #text: string;
  readonly #record: Map<string, readonly string[]>;
  readonly #present: CurrentHelp;

  constructor(text: string, record: Map<string, readonly string[]>, present: CurrentHelp) {
    this.#text = text;
    this.#record = record;
    this.#present = present;
  }

  /** Adds the new arguments of `tool`, and records all that it has. */
  merge(tool: ToolDraft, node: YAMLMap | undefined): void {
    const before = this.#record.get(tool.name);
    this.#record.set(tool.name, [...new Set([...before ?? [], ...keysOf(tool)])]);
    if (node === undefined || before === undefined) return;
    const has = new Set(argsOf(node).flatMap(keysOfArg));
    const fresh = tool.args.filter(({ key, name }) => {
      return !before.includes(key) && !has.has(key) && !has.has(name);
    });
    const isAdded = fresh.length === 0 || this.#addArgs(node, fresh, String(node.get("name")));
    // Not recorded, so that the next update reports it again
    if (!isAdded) this.#forget(tool.name, fresh.map(({ key }) => key));
    const now = new Set(keysOf(tool));
    for (const arg of argsOf(node)) {
      const key = keysOfArg(arg).find((each) => before.includes(each));
      if (key !== undefined && !now.has(key)) {
        this.#sayGone(arg, `${node.get("name")}.${arg.get("name")}`, key);
      }
    }
  }

  reportGone(node: YAMLMap): void {
    const command = node.get("command");
    if (typeof command !== "string" || !this.#present.isGone(command)) return;
    this.#sayGone(node, String(node.get("name")), command);
  }

  append(tools: readonly ToolDraft[], list: Node): void {
    const text = tools.map((tool) => {
      const out = new LineWriter();
      out.blank();
      out.comment("new", written.tool);
      writeTool(tool, out);
      return `\n${out.text()}`;
    }).join("");
    if (text === "") return;
    this.#insertBehind(list, text, written.tool);
    this.#added.push(...tools.map(({ name }) => name));
  }

  finish(): Updated {
    let text = this.#text;
    for (
      const { at, text: inserted } of this.#insertions.toReversed().toSorted((a, b) => b.at - a.at)
    ) {
      text = text.slice(0, at) + inserted + text.slice(at);
    }
    return {
      text: this.#withRecord(text),
      added: this.#added,
      gone: this.#gone,
      refused: this.#refused,
    };
  }

  #forget(tool: string, keys: readonly string[]): void {
    const known = this.#record.get(tool) ?? [];
    this.#record.set(tool, known.filter((key) => !keys.includes(key)));
  }

  /** Returns false when the file has no place for them. */
  #addArgs(node: YAMLMap, args: readonly ArgDraft[], tool: string): boolean {
    const out = new LineWriter();
    const list = node.get("args");
    const isNew = !isSeq(list);
    if (isNew) out.line("    args:");
    for (const arg of args) {
      out.comment("new", written.arg);
      writeArg(arg, out);
    }
    const names = args.map(({ name }) => `${tool}.${name}`);
    const target = isNew ? node : list as Node;
    if ((target as { flow?: boolean }).flow || (isNew && node.has("args"))) {
      this.#refused.push(...names);
      return false;
    }
    this.#insertBehind(target, out.text(), isNew ? written.tool : written.arg, isNew ? 2 : 0);
    this.#added.push(...names);
    return true;
  }

  #insertBehind(node: Node, text: string, column: number, inner = 0): void {
    const [start, end] = node.range!;
    const isAtLineStart = this.#text[end - 1] === "\n";
    const next = this.#text.indexOf("\n", end);
    const at = isAtLineStart ? end : next === -1 ? this.#text.length : next + 1;
    const shift = columnOf(this.#text, start) - inner - column;
    const lead = at > 0 && this.#text[at - 1] !== "\n" ? "\n" : "";
    this.#insertions.push({ at, text: lead + shiftLines(text, shift) });
  }

  #sayGone(node: Node, what: string, key: string): void {
    const lineStart = this.#text.lastIndexOf("\n", node.range![0] - 1) + 1;
    const margin = " ".repeat(this.#text.slice(lineStart).search(/\S/));
    const remark = `${margin}# gone: the help has no ${key} any more\n`;
    this.#gone.push(what);
    const before = this.#text.slice(0, lineStart);
    if (!before.endsWith(remark)) this.#insertions.push({ at: lineStart, text: remark });
  }

  #withRecord(text: string): string {
    const start = text.search(
      new RegExp(`^(?:# ${RegExp.escape(recordRemark)}\\n)?${recordKey}:`, "m"),
    );
    const rest = text.slice(start);
    // The record ends at the first line that does not belong to it
    const body = rest.slice(rest.indexOf(`${recordKey}:`));
    const end = /\n(?=\S)/.exec(body);
    const out = new LineWriter();
    writeRecord(this.#record, out);
    const behind = end === null ? "" : body.slice(end.index + 1);
    return text.slice(0, start) + out.text() + behind;
  }
}

function argsOf(tool: YAMLMap): YAMLMap[] {
  const args = tool.get("args");
  return isSeq(args) ? args.items.filter(isMap) : [];
}

/** The keys that an argument may have in a record, its name here included. */
function keysOfArg(arg: YAMLMap): string[] {
  return ["flag", "name"].flatMap((key) => {
    const value = arg.get(key);
    return typeof value === "string" ? [value.replace(/=$/, "")] : [];
  });
}

function shiftLines(text: string, columns: number): string {
  if (columns === 0) return text;
  return text.split("\n").map((line) => {
    if (line === "") return line;
    return columns > 0
      ? " ".repeat(columns) + line
      : line.slice(Math.min(-columns, line.search(/\S/)));
  }).join("\n");
}
