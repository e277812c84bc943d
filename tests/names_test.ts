/**
 * Names in src: functions are verbs, bounds begin with `max` or `min`, no two files export a function of one
 * name; and texts use plain words. Read by patterns, so what they do not see is not held.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { filesBelow, root } from "./_fixtures.ts";

function read(files: readonly string[]): ReadonlyMap<string, string> {
  return new Map(files.map((file) => [file, Deno.readTextFileSync(join(root, file))]));
}

const sources = read(filesBelow("src", /\.ts$/));

/** Declarations of functions, of arrow functions in constants, and of methods but getters. */
const functions: readonly RegExp[] = [
  /^ *(?:export )?(?:default )?(?:async )?function\*? (\w+)/gm,
  /^ *(?:export )?const (\w+)(?:: [^=\n]+)? = (?:async )?(?:<[^(\n]*>)?(?:\([^()\n]*\)|\w+)(?:: [^=\n]+)? =>/gm,
  /^ *(?:export )?const (\w+) = (?:async )?\(\n(?: +\S.*\n)*? *\)(?:: [^\n]+)? =>/gm,
  /^ {2}(?:(?:static|async|override) )*\*?#?(\w+)(?:<[^(\n]*>)?\([^\n]*\)(?:: [^\n]+)? \{$/gm,
  /^ {2}(?:(?:static|async|override) )*\*?#?(\w+)(?:<[^(\n]*>)?\(\n(?: {4}.*\n)* {2}\)(?:: [^\n]+)? \{$/gm,
];

const keywords = /^(?:if|for|while|switch|catch|with|constructor|function)$/;

/** What a function in `text` is called, with the line of it. */
function* functionsIn(text: string): Generator<readonly [name: string, line: number]> {
  for (const pattern of functions) {
    for (const { 0: whole, 1: name, index } of text.matchAll(pattern)) {
      const line = text.slice(0, index + whole.search(/\S/)).split("\n").length;
      if (!keywords.test(name!)) yield [name!, line];
    }
  }
}

const participle =
  /^(?!(?:need|feed|embed|seed|exceed|proceed|succeed)(?:[A-Z]|$))(?:[a-z]+ed|shown|written|kept|told|held|hidden|lost|unused)(?=[A-Z]|$)/;

const bound = /^(?:export )?const ((?:most|longest|least|fewest|shortest)(?:[A-Z]\w*)?)\b/gm;

/** Words that a reader in a hurry stumbles over; a space may be the end of a line in a comment or a text. */
const stumbles = [
  ...["who(?:m)?ever", "nobody", "anew", "at hand", "besides", "likewise", "to make room"],
  ...["(?:come|comes|coming|came) to", "(?:let|lets|letting) go of", "(?:see|sees) to it"],
  ...["(?:is|are|was|were) none of", "of (?:ours|yours|theirs)"],
  "(?:go|goes|going|gone|went) on behind",
  "behind (?:an?|its|their|the|that) (?:answers?|results?|reply|replies)",
].map((words) => words.replaceAll(" ", "[\\s*/\"'`+]+")).join("|");

function placesOf(text: string, file: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(({ 0: found, index }) => {
    return `${file}:${text.slice(0, index).split("\n").length}: ${found.replaceAll(/\s+/g, " ")}`;
  });
}

Deno.test("no function is called by a participle", () => {
  const found = [...sources].flatMap(([file, text]) => {
    return [...functionsIn(text)].filter(([name]) => participle.test(name))
      .map(([name, line]) => `${file}:${line}: ${name}`);
  });
  assert.deepEqual(found, [], `Call it by a verb:\n${found.join("\n")}`);
});

Deno.test("no constant begins with most, longest, least, fewest or shortest", () => {
  const found = [...sources].flatMap(([file, text]) => placesOf(text, file, bound));
  assert.deepEqual(found, [], `Begin it with max or min:\n${found.join("\n")}`);
});

Deno.test("no two files export a function of one name", () => {
  const files = new Map<string, string[]>();
  for (const [file, text] of sources) {
    const exported = text.matchAll(/^export (?:async )?function\*? (\w+)/gm);
    for (const name of new Set(exported.map(([, name]) => name!))) {
      // Each command has these, and each layout of help its own
      if (/^src\/cli\/commands\//.test(file) && /^(?:define|run|examples)$/.test(name)) continue;
      if (/^src\/help\/_/.test(file)) continue;
      // A bundle has one module in place of both
      if (name === "threadUrl") continue;
      files.set(name, [...files.get(name) ?? [], file]);
    }
  }
  const twice = [...files].filter(([, places]) => places.length > 1)
    .map(([name, places]) => `${name}: ${places.join(", ")}`);
  assert.deepEqual(twice, [], twice.join("\n"));
});

Deno.test("texts for people, operators and models use plain words", () => {
  const texts = read([
    ...filesBelow("src", /\.(?:ts|js|md|html)$/),
    ...filesBelow("docs", /\.md$/),
    ...["README.md", "CHANGELOG.md", ".github/CONTRIBUTING.md"],
  ]);
  const pattern = new RegExp(`\\b(?:${stumbles})\\b`, "gi");
  const found = [...texts].flatMap(([file, text]) => placesOf(text, file, pattern));
  assert.deepEqual(found, [], found.join("\n"));
});

/** A text, and the participles among its functions. */
const cases: readonly (readonly [text: string, names: readonly string[]])[] = [
  ["export function namedEntries(a: string) {}", ["namedEntries"]],
  ["const kept = (a: string): string => a;", ["kept"]],
  ["const shown = async (\n  a: string,\n): Promise<void> => {\n", ["shown"]],
  [
    "class A {\n  #closed(): void {\n  }\n  async told(\n    a: string,\n  ): Promise<void> {\n  }\n}",
    [
      "#closed",
      "told",
    ],
  ],
  ["function seedOf() {}\nfunction needs() {}\nfunction feed() {}\nfunction isUsed() {}", []],
  ["  if (closed) {\n  }\n  opened(x);\n  get closed(): boolean {\n", []],
];

for (const [text, names] of cases) {
  Deno.test(`the participles in ${JSON.stringify(text)} are found`, () => {
    const found = [...functionsIn(text)].map(([name]) => name).filter((name) =>
      participle.test(name)
    );
    assert.deepEqual(found, names.map((name) => name.replace("#", "")));
  });
}
