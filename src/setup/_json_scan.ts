/** Finds the positions of values in JSON as editors write it, with comments and trailing commas. */

import { createScanner, type Node, type ParseError, parseTree } from "jsonc-parser";
import { faultOf } from "../files/json_errors.ts";

/** A value and its position. */
export interface JsonNode {
  readonly start: number;
  /** The offset behind its last character. */
  readonly end: number;
  /** Absent for a value that is not an object. */
  readonly properties?: readonly JsonProperty[];
}

/** A property of an object. */
export interface JsonProperty {
  readonly key: string;
  readonly start: number;
  readonly value: JsonNode;
  /** The offset of the comma behind it, if there is one. */
  readonly comma?: number;
}

/** Parses `text`; `undefined` when it has no value. @throws {SyntaxError} when it is not JSON */
export function scanJson(text: string): JsonNode | undefined {
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
    return { key: key.value, start: offset, value: node, ...commaBehind(node, text) };
  });
  return { ...place, properties };
}

function commaBehind({ end }: JsonNode, text: string): { comma?: number } {
  const scanner = createScanner(text, true);
  scanner.setPosition(end);
  scanner.scan();
  const comma = scanner.getTokenOffset();
  return text[comma] === "," ? { comma } : {};
}
