/** Puts one table into TOML, or removes it; every other byte stays. */

import { parse } from "smol-toml";
import type { Editor, EntryPath } from "./_edit_json.ts";

export const tomlEditor: Editor = {
  parse: (text) => parse(text.replace(/^\ufeff/, "")),

  put(text, path, entry) {
    const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
    const block = tableText(path, entry).join(lineEnd);
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

function tableText([key, name]: EntryPath, entry: unknown): string[] {
  const fields = Object.entries(entry as object).map(([field, value]) => {
    return `${tomlKey(field)} = ${tomlValue(value)}`;
  });
  return [`[${key}.${tomlKey(name)}]`, ...fields];
}

function tomlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).map(([key, each]) =>
      `${tomlKey(key)} = ${tomlValue(each)}`
    );
    return `{ ${fields.join(", ")} }`;
  }
  // JSON strings are TOML strings, except for one character
  return JSON.stringify(value).replaceAll("\x7f", "\\u007f");
}

function tomlKey(key: string): string {
  return /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** The tables at `path` and below it, without the comments and empty lines at their end. */
function tablesOf(text: string, path: EntryPath): Range[] {
  const heads = headsOf(text);
  return heads.flatMap(({ start, keys }, index) => {
    if (!path.every((key, level) => keys[level] === key)) return [];
    const limit = heads[index + 1]?.start ?? text.length;
    return [{ start, end: start + contentLength(text.slice(start, limit)) }];
  });
}

/** The length up to the last line that is neither empty nor a comment, without its line end. */
function contentLength(text: string): number {
  return text.replace(/(?:\r?\n[ \t]*(?:#[^\r\n]*)?)+$/, "").length;
}

/** The headers of tables: the start of their lines, and their keys. */
function headsOf(text: string): { start: number; keys: string[] }[] {
  const heads: { start: number; keys: string[] }[] = [];
  const token = /"""[^]*?"""+|'''[^]*?'''+|"(?:[^"\\\r\n]|\\.)*"|'[^'\r\n]*'|#[^\r\n]*|[[\]{}\n]/g;
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
  return [...inner.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|([\w-]+)/g)]
    .map(([, quoted, literal, bare]) => quoted ?? literal ?? bare!);
}
