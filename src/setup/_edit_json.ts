/** Puts one entry into JSON as editors write it, or removes it; every other byte stays. */

import { plainJson } from "../files/json.ts";
import type { Editor, EntryPath } from "./_editor.ts";
import { type JsonNode, type JsonProperty, scanJson } from "./_json_scan.ts";

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

  without(text, path) {
    const found = find(text, path);
    if (found === undefined) return [];
    const { root, map, name } = found;
    const alone = map.value.properties!.length === 1;
    return [
      ...(alone && root.properties!.length === 1
        ? [text.slice(root.end).replace(/^\r?\n/, "")]
        : []),
      ...(alone ? removals(text, root, map) : []),
      ...removals(text, map.value, name),
    ];
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

function propertyOf(node: JsonNode, key: string): JsonProperty | undefined {
  // Readers take the last of duplicate keys
  return node.properties?.findLast((property) => property.key === key);
}

function find(text: string, [key, name]: EntryPath) {
  const root = scanJson(text);
  const map = root && propertyOf(root, key);
  const entry = map && propertyOf(map.value, name);
  return entry === undefined ? undefined : { root: root!, map: map!, name: entry };
}

/** The formatting of an object's properties. */
interface Style {
  readonly isInline: boolean;
  readonly lineEnd: string;
  /** One level. */
  readonly unit: string;
  /** The indentation of the object's closing brace. */
  readonly outer: string;
  /** The indentation of its properties. */
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

/** The texts that may have been there before `property` was put into `node`. */
function removals(text: string, node: JsonNode, property: JsonProperty): string[] {
  const { properties = [] } = node;
  const index = properties.indexOf(property);
  const cut = (from: number, to: number) => text.slice(0, from) + text.slice(to);
  const from = startOf(text, property);
  const end = property.comma === undefined ? property.value.end : property.comma + 1;
  if (properties.length === 1) {
    const line = /^[ \t]*\r?\n[ \t]*(?=\})/.exec(text.slice(end))?.[0] ?? "";
    return [cut(from, end + line.length), cut(from, end)];
  }
  const previous = properties[index - 1];
  if (property.comma !== undefined || previous === undefined) return [cut(from, end)];
  // Removing the last property leaves the comma of the previous one
  const { comma } = previous;
  return [text.slice(0, comma) + text.slice(comma! + 1, from) + text.slice(end)];
}

/** The start of the white space in front of a property, its line feed included. */
function startOf(text: string, { start }: JsonProperty): number {
  const space = /(?:\r?\n)?[ \t]*$/.exec(text.slice(0, start))![0];
  return start - space.length;
}
