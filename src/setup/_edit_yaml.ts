/** Adds an entry to a map in a YAML file, or removes one, and leaves the rest of the text as it was. */

import { Document, isMap, isScalar, parseDocument, visit, type YAMLMap } from "yaml";
import { type Editor, type EntryPath, inlineJson } from "./_edit_json.ts";

export const yamlEditor: Editor = {
  parse: (text) => documentOf(text).toJS() ?? {},

  put(text, path, entry) {
    const [key, name] = path;
    const place = placeOf(text, path);
    if (place?.isFlow) {
      return `${text.slice(0, place.start)}${JSON.stringify(name)}: ${inlineJson(entry)}${
        text.slice(place.end)
      }`;
    }
    if (place !== undefined) {
      const indent = " ".repeat(columnOf(text, place.start));
      const block = entryText(indent, name, entry).join(lineEndOf(text));
      return text.slice(0, place.start) + block.slice(indent.length) + text.slice(place.end);
    }
    const pair = pairOf(documentOf(text).contents, key);
    const lineEnd = lineEndOf(text);
    const lines = (indent: string) => entryText(indent, name, entry).join(lineEnd) + lineEnd;
    if (pair === undefined) {
      const gap = text === "" || text.endsWith("\n") ? "" : lineEnd;
      return `${text}${gap}${key}:${lineEnd}${lines("  ")}`;
    }
    const { value } = pair;
    if (isMap(value) && value.flow) {
      const at = value.range![0] + 1;
      const added = `${JSON.stringify(name)}: ${inlineJson(entry)}${
        value.items.length > 0 ? ", " : ""
      }`;
      return text.slice(0, at) + added + text.slice(at);
    }
    if (isMap(value) && value.items.length > 0) {
      const first = (value.items[0]!.key as { range: [number] }).range[0];
      const at = first - columnOf(text, first);
      return text.slice(0, at) + lines(text.slice(at, first)) + text.slice(at);
    }
    if (!isScalar(value) || value.value !== null) throw new SyntaxError(`'${key}' is not a map`);
    const end = text.indexOf("\n", (pair.key as { range: [number] }).range[0]);
    const at = end === -1 ? text.length : end + 1;
    const gap = end === -1 ? lineEnd : "";
    return text.slice(0, at) + gap + lines("  ") + text.slice(at);
  },

  without(text, path) {
    const place = placeOf(text, path);
    if (place === undefined) return undefined;
    const { start, end } = place;
    if (place.isFlow) return text.slice(0, start) + text.slice(end).replace(/^\s*,\s*/, "");
    const from = start - columnOf(text, start);
    return text.slice(0, from) + text.slice(end).replace(/^[ \t]*(?:#[^\r\n]*)?\r?\n/, "");
  },
};

function documentOf(text: string) {
  const document = parseDocument(text, { uniqueKeys: true });
  if (document.errors.length > 0) throw document.errors[0]!;
  return document;
}

function lineEndOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

function pairOf(node: unknown, key: string): YAMLMap["items"][number] | undefined {
  if (!isMap(node)) return undefined;
  return node.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

function placeOf(text: string, [key, name]: EntryPath) {
  const map = pairOf(documentOf(text).contents, key)?.value;
  const pair = pairOf(map, name);
  if (pair === undefined) return undefined;
  const [start] = (pair.key as { range: [number] }).range;
  const [, valueEnd] = (pair.value as { range: [number, number] }).range;
  const end = endOfValue(text.slice(0, valueEnd));
  return { start, end, isFlow: isMap(map) && map.flow === true };
}

function endOfValue(text: string): number {
  const value = text.trimEnd();
  const line = value.lastIndexOf("\n") + 1;
  const comment = /(?:^|\s)#/.exec(value.slice(line));
  return comment === null ? value.length : value.slice(0, line + comment.index).trimEnd().length;
}

function columnOf(text: string, at: number): number {
  return at - (text.lastIndexOf("\n", at - 1) + 1);
}

function entryText(indent: string, name: string, entry: unknown): string[] {
  const document = new Document({ [name]: entry }, { compat: "yaml-1.1" });
  visit(document, { Seq: (_, list) => void (list.flow = true) });
  const text = document.toString({ lineWidth: 0, flowCollectionPadding: false });
  return text.trimEnd().split("\n").map((line) => indent + line);
}
