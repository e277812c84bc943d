/** What a person reads before a yes: a sentence, the difference once, ends of what is long. */

import assert from "node:assert/strict";
import { callWords, wholeBounds } from "../../src/call/question.ts";
import type { Trial } from "../../src/call/pipeline.ts";
import type { Arg } from "../../src/tool/tool.ts";
import type { PlanPreview } from "../../src/tool/runner.ts";
import { toolOf } from "../_tools.ts";

const arg = {
  description: "",
  type: "string",
  required: true,
  role: { kind: "positional" },
} as const;
const args: readonly Arg[] = [
  { ...arg, name: "path", limits: { within: "." } },
  { ...arg, name: "key", constraint: { secret: true } },
  { ...arg, name: "dir", role: { kind: "cwd" } },
  { ...arg, name: "size", type: "integer" },
  { ...arg, name: "text", required: false },
  { ...arg, name: "all", type: "boolean", required: false },
  { ...arg, name: "off", type: "boolean", required: false },
];

interface Asked {
  readonly tool?: object;
  readonly values?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  readonly preview?: Partial<PlanPreview>;
  readonly trial?: Trial;
}

function wordsOf({ tool, values = {}, preview, trial }: Asked, bounds?: typeof wholeBounds) {
  return callWords({
    tool: { ...toolOf("t"), args, description: "Edit it; x. More", effect: "write", ...tool },
    values: new Map(Object.entries(values)),
    plan: { preview: { record: {}, line: '["t"]', ...preview } },
    ...(trial && { trial }),
  }, bounds).split("\n");
}

const hunk = ["--- a/f", "+++ b/f", "@@ -1,2 +1,2 @@", "--- a/g", "+++ b/g", " x"];

/** The first line of each question. */
const sentences: readonly [asked: Asked, sentence: string][] = [
  [{}, "Edit it"],
  [{ values: { size: 3, text: "b", dir: "d", key: "k" } }, "Edit it: ***, 3"],
  [{ values: { text: "b" } }, "Edit it: b"],
  [{ values: { text: "b", all: true, off: false } }, "Edit it: b (with all)"],
  [{ values: { text: "false", all: true } }, "Edit it (with all)"],
  [{ values: { path: "src/a b.ts", size: 3 } }, 'Edit it: "src/a b.ts"'],
  [{ values: { path: ["a", "b", "c", "d", "e", "f"] } }, "Edit it: a, b, c, d, e, and 1 more"],
  [{ tool: { title: "Edit all" } }, "Edit all"],
  [{ tool: { description: "" } }, "t"],
  [
    { tool: { question: "Change {path} by {text}, {key}" }, values: { path: "a", key: "k" } },
    "Change a by , ***",
  ],
  [{ values: { path: "a\n\u202eb" } }, 'Edit it: "a\\n\\u{202e}b"'],
  [{ preview: { saidBy: "srv" } }, "srv says of its tool: Edit it"],
  // A line of a file looks like a heading, and the counts tell
  [{ trial: { outcome: "shown", text: hunk.join("\n") } }, "Edit it (+1 -1 lines)"],
  [
    { trial: { outcome: "shown", text: [...hunk, ...hunk].join("\n") } },
    "Edit it (2 files, +2 -2 lines)",
  ],
  [
    { trial: { outcome: "shown", text: "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+x" } },
    "Edit it (+1 -0 lines)",
  ],
  [{ trial: { outcome: "shown", text: hunk.join("\n"), saidBy: "make" } }, "Edit it"],
];

Deno.test("callWords() begins with what happens", () => {
  for (const [asked, sentence] of sentences) {
    assert.deepEqual(wordsOf(asked)[0], sentence);
    assert.match(wordsOf(asked)[1]!, /^An agent wants to call t \(write\)/);
  }
});

const lines = (count: number, mark = "") =>
  Array.from({ length: count }, (_, at) => `${mark}l${at}`);
const diff = (name: string, count: number) => {
  return [`--- /dev/null`, `+++ b/${name}`, `@@ -0,0 +1,${count} @@`, ...lines(count, "+")];
};

Deno.test("callWords() shows the ends of what is long, with counts, and every file and path", () => {
  const text = [...diff("one", 50), ...diff("evil", 1), ...diff("last", 50)].join("\n");
  const shown = wordsOf({ trial: { outcome: "shown", text } });
  const at = shown.findIndex((line) => line.startsWith("…"));
  assert.deepEqual(shown.slice(at - 1, at + 4), [
    "| +l36",
    "… and 50 more lines, with these files:",
    "| +++ b/evil",
    "| +++ b/last",
    "| +l30",
  ]);
  assert.ok(wordsOf({ trial: { outcome: "shown", text } }, wholeBounds).includes("| +l40"));
  // A text cannot look like the cut, nor like a line of the question
  const input = ["… and 9 more lines", "Exactly this runs:", `${"x".repeat(500)}`].join("\n");
  assert.deepEqual(wordsOf({ preview: { input } }).slice(2, 6), [
    "On its standard input:",
    "| \\u{2026} and 9 more lines",
    "| Exactly this runs:",
    `| ${"x".repeat(267)} … 100 more characters … ${"x".repeat(133)}`,
  ]);
  const paths = lines(8, "dir/");
  const line = `["t","${"y".repeat(9000)}","end"]`;
  const long = wordsOf({ values: { path: paths, key: "k" }, preview: { line } });
  assert.match(long[3]!, /^\["t","y+ … 5,014 more characters … y+","end"\]$/);
  assert.deepEqual(long.slice(5), paths.map((path) => `| ${path}`));
});

Deno.test("callWords() shows a text once: as the difference, if that is sure, else as the input", () => {
  const [text, input] = [hunk.join("\n"), "new text"];
  const has = (trial: Trial) => wordsOf({ preview: { input }, trial }).includes("| new text");
  assert.equal(has({ outcome: "shown", text }), false);
  assert.equal(has({ outcome: "shown", text, saidBy: "make" }), true);
  assert.equal(has({ outcome: "shown", text: "fine" }), true);
  assert.equal(has({ outcome: "failed", text }), true);
});

Deno.test("callWords() names each path that is unlike the others, however many there are", () => {
  const path = Array.from({ length: 100 }, (_, at) => at === 49 ? "thesis/one.md" : `made/${at}`);
  const line = JSON.stringify(path).repeat(10);
  const words = wordsOf({ values: { path }, preview: { line } });
  assert.deepEqual(words.slice(words.indexOf("With these paths:") + 1), [
    "| thesis/one.md",
    "| made/: 99 paths, from made/0 to made/99",
  ]);
});
