/**
 * Where the parts of a YAML document stand in its text. Imported only when something is wrong with
 * a document, because the parser behind it is slow to load and to run.
 */

import { isCollection, isMap, isScalar, type Node, parseDocument } from "yaml";
import type { Path } from "./document.ts";

/** A syntax error at an offset in UTF-16 code units. */
export interface SyntaxFault {
  readonly offset: number;
  readonly message: string;
}

/** Every syntax error of `text`. */
export function syntaxErrorsOf(text: string): SyntaxFault[] {
  const { errors } = parseDocument(text, { prettyErrors: false });
  // Where this parser runs out of stack is no fault of the text: the other one bounds its nesting
  const faults = errors.filter(({ code }) => code !== "RESOURCE_EXHAUSTION");
  return faults.map(({ pos, code, message }) => {
    const [first = message] = message.split("\n", 1);
    // The parser's own text advises its caller
    const several = code === "MULTIPLE_DOCS" ? "Expected one document, found another" : undefined;
    return { offset: pos[0], message: several ?? first };
  });
}

/** The offset at which the node at each of `paths` begins. */
export function offsetsOf(text: string, paths: readonly Path[]): number[] {
  const { contents } = parseDocument(text, { prettyErrors: false });
  return paths.map((path) => offsetOf(contents, path));
}

/** The scalar at each of `paths` as its text has it, quotes and tags aside; nothing for others. */
export function scalarsOf(text: string, paths: readonly Path[]): (string | undefined)[] {
  const document = parseDocument(text, { prettyErrors: false });
  return paths.map((path) => {
    const node = document.getIn(path as string[], true);
    return isScalar(node) ? node.source : undefined;
  });
}

/** A key for a map's entry, else the node, else the nearest node that encloses the path. */
function offsetOf(root: unknown, path: Path): number {
  let node = root;
  let offset = startOf(node) ?? 0;
  for (const [depth, step] of path.entries()) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === step);
      if (pair === undefined) return offset;
      const last = depth === path.length - 1;
      node = pair.value;
      offset = (last ? startOf(pair.key) : startOf(node)) ?? startOf(pair.key) ?? offset;
    } else if (isCollection(node)) {
      node = node.items[step as number];
      offset = startOf(node) ?? offset;
    } else {
      return offset;
    }
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0];
}
