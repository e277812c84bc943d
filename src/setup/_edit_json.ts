/** Puts one entry into JSON as editors write it, or removes it; every other byte stays. */

import { createScanner, type Node, type ParseError, parseTree } from "jsonc-parser";
import { plainJson } from "../files/json.ts";
import { faultOf } from "../files/json_errors.ts";

/** The key of the servers, and the name of one. */
export type EntryPath = readonly [key: string, name: string];

/** An editor of one format. Comments, order and line ends stay. */
export interface Editor {
  /** Parses a text; an empty one is an empty object. @throws when it is invalid */
  parse(text: string): unknown;
  /** Puts `entry` at `path`, in place of the one that may be there. */
  put(text: string, path: EntryPath, entry: unknown): string;
  /** Removes the entry at `path`; `undefined` when there is none. The map that it was in stays. */
  without(text: string, path: EntryPath): string | undefined;
}

/** JSON with comments and trailing commas. */
export const jsonEditor: Editor = {
  parse(text) {
    return scanJson(text) === undefined ? {} : JSON.parse(plainJson(text));
  },

  put(text, [key, name], entry) {
    const root = scanJson(text);
    if (root === undefined) {
      return `${text}${JSON.stringify({ [key]: { [name]: entry } }, null, 2)}\n`;
    }
    const map = propertyOf(root, key);
    if (map === undefined) return insert(text, root, key, { [name]: entry });
    const before = propertyOf(map.value, name);
    if (before === undefined) return insert(text, map.value, name, entry);
    const { start, end } = before.value;
    const style = styleOf(text, map.value);
    const rendered = style.isInline ? inlineJson(entry) : blockJson(entry, style);
    return text.slice(0, start) + rendered + text.slice(end);
  },

  without(text, [key, name]) {
    const map = propertyOf(scanJson(text), key)?.value;
    const property = propertyOf(map, name);
    if (property === undefined) return undefined;
    const properties = map!.properties!;
    const from = startOf(text, property);
    const end = property.comma === undefined ? property.value.end : property.comma + 1;
    const comma = properties[properties.indexOf(property) - 1]?.comma;
    if (property.comma !== undefined || comma === undefined) {
      return text.slice(0, from) + text.slice(end);
    }
    // Without the last property, the one before it needs no comma
    return text.slice(0, comma) + text.slice(comma + 1, from) + text.slice(end);
  },
};

/** Formats `value` on one line, as people write it. */
export function inlineJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inlineJson).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, each]) => {
    return `${JSON.stringify(key)}: ${inlineJson(each)}`;
  });
  return `{${fields.join(", ")}}`;
}

function propertyOf(node: JsonNode | undefined, key: string): JsonProperty | undefined {
  // Readers take the last of duplicate keys
  return node?.properties?.findLast((property) => property.key === key);
}

interface Style {
  readonly isInline: boolean;
  readonly lineEnd: string;
  /** One level. */
  readonly unit: string;
  readonly outer: string;
  readonly inner: string;
}

function styleOf(text: string, node: JsonNode): Style {
  const properties = node.properties ?? [];
  const first = properties[0];
  const outer = indentAt(text, node.start);
  const unit = /\n([ \t]+)"/.exec(text)?.[1] ?? "  ";
  const isOnLine = first !== undefined && /\n[ \t]*$/.test(text.slice(node.start, first.start));
  return {
    isInline: first !== undefined && !text.slice(node.start, node.end).includes("\n"),
    lineEnd: text.includes("\r\n") ? "\r\n" : "\n",
    unit,
    outer,
    inner: isOnLine ? indentAt(text, first.start) : outer + unit,
  };
}

function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", at - 1) + 1, at))![0];
}

function blockJson(value: unknown, { unit, lineEnd, inner }: Style): string {
  return JSON.stringify(value, null, unit).replaceAll("\n", lineEnd + inner);
}

function insert(text: string, node: JsonNode, key: string, value: unknown): string {
  if (node.properties === undefined) throw new SyntaxError("expected an object");
  const style = styleOf(text, node);
  const { lineEnd, inner, outer, isInline } = style;
  const name = `${JSON.stringify(key)}: `;
  const last = node.properties.at(-1);
  if (last === undefined) {
    const block = lineEnd + inner + name + blockJson(value, style);
    const hasLines = text.slice(node.start, node.end).includes("\n");
    const at = hasLines ? endOfLine(text, node.start + 1) : node.start + 1;
    return text.slice(0, at) + block + (hasLines ? "" : lineEnd + outer) + text.slice(at);
  }
  const { end } = last.value;
  const hasComma = last.comma !== undefined;
  const behind = hasComma ? last.comma + 1 : end;
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

/** The end of the comments on the line of `at`; `at` itself when something else follows. */
function endOfLine(text: string, at: number): number {
  const rest = /(?:[ \t]|\/\*(?:(?!\*\/)[^\r\n])*\*\/)*(?:\/\/[^\r\n]*)?(?=\r?\n|$)/y;
  rest.lastIndex = at;
  return rest.test(text) ? rest.lastIndex : at;
}

/** The start of the white space in front of a property, its line feed included. */
function startOf(text: string, { start }: JsonProperty): number {
  const space = /(?:\r?\n)?[ \t]*$/.exec(text.slice(0, start))![0];
  return start - space.length;
}

interface JsonNode {
  readonly start: number;
  /** The offset behind its last character. */
  readonly end: number;
  /** Absent for a value that is not an object. */
  readonly properties?: readonly JsonProperty[];
}

interface JsonProperty {
  readonly key: string;
  readonly start: number;
  readonly value: JsonNode;
  /** The offset of the comma behind it, if there is one. */
  readonly comma: number | undefined;
}

/** Parses `text`; `undefined` when it has no value. @throws {SyntaxError} when it is not JSON */
function scanJson(text: string): JsonNode | undefined {
  const errors: ParseError[] = [];
  const options = { allowTrailingComma: true, allowEmptyContent: true };
  const root = parseTree(text.replace(/^\ufeff/, " "), errors, options);
  if (errors[0] !== undefined) {
    const { offset, message } = faultOf(text, errors[0]);
    throw new SyntaxError(`line ${text.slice(0, offset).split("\n").length}: ${message}`);
  }
  return root && nodeOf(root, text);
}

function nodeOf({ type, offset, length, children = [] }: Node, text: string): JsonNode {
  const place = { start: offset, end: offset + length };
  if (type !== "object") return place;
  const properties = children.map(({ offset, children }) => {
    const [key, value] = children as [Node, Node];
    const node = nodeOf(value, text);
    return { key: key.value, start: offset, value: node, comma: commaBehind(text, node.end) };
  });
  return { ...place, properties };
}

/** The offset of the comma behind `end`, if there is one, comments aside. */
export function commaBehind(text: string, end: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(end);
  scanner.scan();
  const comma = scanner.getTokenOffset();
  return text[comma] === "," ? comma : undefined;
}
