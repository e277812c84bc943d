/** Adds an entry to a JSON file that may have comments, or removes one, and leaves the rest of the text as it was. */

import { createScanner, type Node, type ParseError, parseTree } from "jsonc-parser";
import { plainJson } from "../files/json.ts";
import { faultOf } from "../files/json_errors.ts";
import { trimEndOf } from "../text/excerpt.ts";

export type EntryPath = readonly [key: string, name: string];

type JsonPath = readonly [key: string, at: string | number];

export interface Editor {
  /** Parses the text of a client's file; an empty text is an empty object. @throws when the text is invalid */
  parse(text: string): unknown;
  put(text: string, path: EntryPath, entry: unknown): string;
  without(text: string, path: EntryPath): string | undefined;
}

export const jsonEditor = {
  parse(text: string): unknown {
    return scanJson(text) === undefined ? {} : JSON.parse(plainJson(text));
  },

  put(text: string, [key, at]: JsonPath, entry: unknown): string {
    const root = scanJson(text);
    if (root === undefined) {
      // If a file ends with a comment and no line feed, text at its end would become part of the comment
      const gap = text === "" || text.endsWith("\n") ? "" : "\n";
      return `${text}${gap}${JSON.stringify({ [key]: { [at]: entry } }, null, 2)}\n`;
    }
    const map = valueOf(root, key);
    if (map === undefined) return insert(text, root, key, { [at]: entry });
    const before = valueOf(map, at);
    if (before === undefined) return insert(text, map, at, entry);
    const style = styleOf(text, map);
    const rendered = style.isInline ? inlineJson(entry) : blockJson(entry, style);
    return text.slice(0, before.offset) + rendered + text.slice(endOf(before));
  },

  without(text: string, [key, at]: JsonPath): string | undefined {
    const value = valueOf(valueOf(scanJson(text), key), at);
    const child = typeof at === "number" ? value : value?.parent;
    return child && withoutChild(text, child);
  },
} satisfies Editor;

function withoutChild(text: string, child: Node): string {
  const children = child.parent!.children!;
  // The line feed in front of a removed entry goes too, so that no empty line stays
  const from = trimEndOf(text.slice(0, child.offset), " \t").replace(/\r?\n$/, "").length;
  const own = commaBehind(text, endOf(child));
  const end = own === undefined ? endOf(child) : own + 1;
  const before = children[children.indexOf(child) - 1];
  const comma = before && commaBehind(text, endOf(before));
  if (own !== undefined || comma === undefined) return text.slice(0, from) + text.slice(end);
  return text.slice(0, comma) + text.slice(comma + 1, from) + text.slice(end);
}

export function inlineJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inlineJson).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, each]) => {
    return `${JSON.stringify(key)}: ${inlineJson(each)}`;
  });
  return `{${fields.join(", ")}}`;
}

function valueOf(node: Node | undefined, key: string | number): Node | undefined {
  if (node?.type === "array") return node.children![Number(key)];
  if (node?.type !== "object") return undefined;
  // If a key occurs twice, programs that read JSON use the last
  return node.children!.findLast(({ children }) => children![0]!.value === key)?.children?.[1];
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

type Style = ReturnType<typeof styleOf>;

function styleOf(text: string, node: Node) {
  const first = node.children?.[0];
  const outer = indentAt(text, node.offset);
  const unit = /\n([ \t]+)"/.exec(text)?.[1] ?? "  ";
  const isOnLine = first !== undefined && /\n[ \t]*$/.test(text.slice(node.offset, first.offset));
  return {
    isInline: first !== undefined && !text.slice(node.offset, endOf(node)).includes("\n"),
    lineEnd: text.includes("\r\n") ? "\r\n" : "\n",
    unit,
    outer,
    inner: isOnLine ? indentAt(text, first.offset) : outer + unit,
  };
}

function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", at - 1) + 1, at))![0];
}

function blockJson(value: unknown, { unit, lineEnd, inner }: Style): string {
  return JSON.stringify(value, null, unit).replaceAll("\n", lineEnd + inner);
}

function insert(text: string, node: Node, key: string | number, value: unknown): string {
  const isItem = typeof key === "number";
  if (node.type !== (isItem ? "array" : "object")) throw new SyntaxError("expected an object");
  const style = styleOf(text, node);
  const { lineEnd, inner, outer, isInline } = style;
  const name = isItem ? "" : `${JSON.stringify(key)}: `;
  const last = node.children!.at(-1);
  if (last === undefined) {
    const block = lineEnd + inner + name + blockJson(value, style);
    const hasLines = text.slice(node.offset, endOf(node)).includes("\n");
    const at = hasLines ? endOfLine(text, node.offset + 1) : node.offset + 1;
    return text.slice(0, at) + block + (hasLines ? "" : lineEnd + outer) + text.slice(at);
  }
  const end = endOf(last);
  const comma = commaBehind(text, end);
  const hasComma = comma !== undefined;
  const behind = hasComma ? comma + 1 : end;
  if (isInline) {
    const written = ` ${name}${inlineJson(value)}`;
    const added = hasComma ? `${written},` : `,${written}`;
    return text.slice(0, behind) + added + text.slice(behind);
  }
  const at = endOfLine(text, behind);
  const block = lineEnd + inner + name + blockJson(value, style);
  return text.slice(0, end) + (hasComma ? "" : ",") + text.slice(end, at) +
    block + (hasComma ? "," : "") + text.slice(at);
}

function endOfLine(text: string, at: number): number {
  const rest = /(?:[ \t]|\/\*(?:(?!\*\/)[^\r\n])*\*\/)*(?:\/\/[^\r\n]*)?(?=\r?\n|$)/y;
  rest.lastIndex = at;
  return rest.test(text) ? rest.lastIndex : at;
}

/** Parses `text`; returns `undefined` if it has only blanks and comments. @throws {SyntaxError} if it is not JSON */
function scanJson(text: string): Node | undefined {
  const errors: ParseError[] = [];
  const options = { allowTrailingComma: true, allowEmptyContent: true };
  const root = parseTree(text.replace(/^\ufeff/, " "), errors, options);
  if (errors[0] !== undefined) {
    const { offset, message } = faultOf(text, errors[0]);
    throw new SyntaxError(`line ${text.slice(0, offset).split("\n").length}: ${message}`);
  }
  return root;
}

function commaBehind(text: string, end: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(end);
  scanner.scan();
  const comma = scanner.getTokenOffset();
  return text[comma] === "," ? comma : undefined;
}
