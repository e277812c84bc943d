/** Finds the positions of the parts of a YAML document. Imported only for a problem: its parser is slow. */

import {
  isCollection,
  isMap,
  isScalar,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLError,
  type YAMLMap,
} from "yaml";
import type { Path } from "./finding.ts";

/** Finds the syntax errors of `text`, at most one for each line, with the offset in UTF-16 code units. */
export function syntaxFaults(text: string): (SyntaxWords & { readonly offset: number })[] {
  const isUniqueSought = text.split("\n", maxUniqueLines + 1).length <= maxUniqueLines;
  const errors = parse(text, isUniqueSought).errors
    .filter(({ code }) => code !== "RESOURCE_EXHAUSTION");
  const lines = new Set<number>();
  return errors.flatMap((error) => {
    const [start] = error.pos;
    const offset = error.code === "DUPLICATE_KEY" ? nextWord(text, start) : start;
    const line = text.lastIndexOf("\n", offset - 1) + 1;
    if (lines.has(line)) return [];
    lines.add(line);
    return [{ offset, ...syntaxWords(error, text, offset) }];
  });
}

/** Indents each bracket that begins a line and ends a list or map, as js-yaml wants it. */
export function indentEnds(text: string): string {
  const ends = new Set<number>();
  visit(parse(text), {
    Collection(_, { flow, range }) {
      if (flow && range) ends.add(range[1] - 1);
    },
  });
  return text.replaceAll(/^ *(?=[\]}])/gm, (indent, at) => {
    return ends.has(at + indent.length) ? `${indent} ` : indent;
  });
}

/** Duplicate keys are sought in at most this many lines: the time grows with the square of their number. */
const maxUniqueLines = 5000;

function parse(text: string, uniqueKeys = false): ReturnType<typeof parseDocument> {
  return parseDocument(text, { prettyErrors: false, logLevel: "error", uniqueKeys });
}

function nextWord(text: string, offset: number): number {
  const space = /\s*/y;
  space.lastIndex = offset;
  return offset + space.exec(text)![0].length;
}

export function offsetsOf(text: string, paths: readonly Path[]): number[] {
  const { contents } = parse(text);
  const entries: Entries = new Map();
  return paths.map((path) => offsetOf(contents, path, entries));
}

/** Returns the source text of the scalar at each of `paths`, without quotes and tags; `undefined` for other nodes. */
export function scalarsOf(text: string, paths: readonly Path[]): (string | undefined)[] {
  const document = parse(text);
  return paths.map((path) => {
    const node = document.getIn(path as string[], true);
    return isScalar(node) ? node.source : undefined;
  });
}

type Entries = Map<YAMLMap, ReadonlyMap<PropertyKey, Pair>>;

function offsetOf(root: unknown, path: Path, entries: Entries): number {
  let node = root;
  let offset = startOf(node) ?? 0;
  for (const [depth, step] of path.entries()) {
    if (isMap(node)) {
      const pair = entries.getOrInsertComputed(node, entriesOf).get(step);
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

function entriesOf({ items }: YAMLMap): ReadonlyMap<PropertyKey, Pair> {
  const named = items.flatMap((pair): [PropertyKey, Pair][] => {
    return isScalar(pair.key) ? [[String(pair.key.value), pair]] : [];
  });
  return new Map(named.reverse());
}

function startOf(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0];
}

interface SyntaxWords {
  readonly message: string;
  readonly hint?: string;
}

function syntaxWords({ code, message }: YAMLError, text: string, offset: number): SyntaxWords {
  const rest = text.slice(offset).split("\n", 1)[0]!;
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1).split("\n", 1)[0]!;
  const [first = message] = message.split("\n", 1);
  return byCode[code]?.({ message: first, rest, line }) ?? { message: first };
}

interface Seen {
  readonly message: string;
  readonly rest: string;
  readonly line: string;
}

/** Messages for common faults; other faults keep the parser's own message. */
const byCode: Readonly<Record<string, (seen: Seen) => SyntaxWords | undefined>> = {
  BLOCK_AS_IMPLICIT_KEY: colonInText,
  BLOCK_IN_FLOW: colonInText,
  TAB_AS_INDENT: () => ({ message: "A line is indented with a tab", hint: "Indent with spaces" }),
  DUPLICATE_KEY: ({ rest }) => {
    const key = /^["']?([^"':]*[^"':\s])["']?\s*:/.exec(rest)?.[1];
    return { message: key === undefined ? "Duplicate key" : `Duplicate key '${key}'` };
  },
  MISSING_CHAR: ({ message }) => {
    if (message.includes("quote")) {
      return { message: "A text in quotes is not closed", hint: "Put a quote at its end" };
    }
    if (message.startsWith("Sequence item")) return wrongColumn;
    return { message: "A key has no ': ' after it" };
  },
  BAD_INDENT: ({ message }) => {
    if (message.startsWith("Flow sequence")) return { message: "A list in [ ] is not closed" };
    if (message.startsWith("Flow map")) return { message: "A map in { } is not closed" };
    return wrongColumn;
  },
  BAD_SCALAR_START: ({ rest }) => ({
    message: `A text cannot begin with ${rest.charAt(0)}`,
    hint: "Quote the text",
  }),
  MULTIPLE_DOCS: () => ({ message: "Expected one document, found another" }),
  MULTILINE_IMPLICIT_KEY: () => ({
    message: "A key has no ': ' after it",
    hint: "Put a space after the ':'",
  }),
  UNEXPECTED_TOKEN: ({ message, line }) => {
    if (message === "Unexpected scalar at node end" && /["']/.test(line)) {
      return { message: "There is text after a closing quote", hint: "Quote the whole text" };
    }
    if (!/^Unexpected flow-(?:seq|map)-start at node end$/.test(message)) return undefined;
    return {
      message: "A [ or { within a text begins a list or a map, inside of { } and [ ]",
      hint: "Quote the text",
    };
  },
};

const wrongColumn: SyntaxWords = {
  message: "Wrong indentation: no line above begins in the same column",
  hint: "Line it up with the other keys of its map",
};

function colonInText({ rest, line }: Seen): SyntaxWords | undefined {
  if (!/:(?:\s|$)/.test(rest)) {
    if (!/^\s*(?:- )?[\w.-]+: /.test(line)) return undefined;
    return {
      message: "A key is indented below a value",
      hint: "Indent the line below this one as this one is",
    };
  }
  return {
    message: "A ': ' within a text begins another key",
    hint: 'Quote the text: it contains ": "',
  };
}
