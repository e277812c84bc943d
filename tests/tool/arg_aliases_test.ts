import assert from "node:assert/strict";
import { argOf } from "../_tools.ts";
import { renameAliases } from "../../src/tool/aliases.ts";

const args = [
  argOf("revision", { aliases: ["{from}..{to}", "{base}..{head}", "commit", "ref", "base"] }),
  argOf("lines", { aliases: ["{start},{end}"] }),
  argOf("path", { type: "array" }),
  argOf("dry_run", { type: "boolean" }),
  argOf("N"),
  argOf("directory", { role: { kind: "cwd" } }),
];

const another = (alias: string) => `${alias}, which has another value`;

const rows: readonly [given: object, named: object, reasons: string[]][] = [
  [{ commit: "a" }, { revision: "a" }, []],
  [{ revision: "a", path: ["b"] }, { revision: "a", path: ["b"] }, []],
  [{ commit: "a", revision: "a" }, { revision: "a" }, []],
  [{ commit: "a", revision: null }, { revision: "a" }, []],
  [{ commit: null, revision: "a" }, { commit: null, revision: "a" }, []],
  [{ commit: "a", revision: "b" }, { revision: "b" }, [another("'commit' is 'revision'")]],
  [{ commit: "a", ref: "b" }, { revision: "a" }, [another("'ref' is 'revision'")]],
  [{ from: "a", to: "b" }, { revision: "a..b" }, []],
  [{ from: "a", to: "b", revision: "a..b" }, { revision: "a..b" }, []],
  [
    { from: "a", to: "b", commit: "c" },
    { revision: "a..b" },
    [another("'commit' is 'revision'")],
  ],
  [{ start: 3, end: "5" }, { lines: "3,5" }, []],
  // A name of its own as well as a part
  [{ base: "a", head: "b" }, { revision: "a..b" }, []],
  [{ base: "a" }, { revision: "a" }, []],
  // One of two means nothing, nor does a list
  [{ from: "a" }, { from: "a" }, []],
  [{ from: ["a"], to: "b" }, { from: ["a"], to: "b" }, []],
  [{ "{from}..{to}": "a" }, { "{from}..{to}": "a" }, []],
  [{ other: 1 }, { other: 1 }, []],
  // As a program or another language writes it
  [{ "--dry-run": true, "-N": 1 }, { dry_run: true, N: 1 }, []],
  [{ dryRun: true, "--ref": "a" }, { dry_run: true, revision: "a" }, []],
  [{ dryRun: true, dry_run: false }, { dryRun: true, dry_run: false }, []],
  [{ "dry-run": true, dryRun: false }, { dry_run: true, dryRun: false }, []],
  [{ "-n": 1, "---N": 2 }, { "-n": 1, "---N": 2 }, []],
  [{ cwd: "a" }, { directory: "a" }, []],
  [{ cwd: "a", repo_path: "b" }, { directory: "a" }, [another("'repo_path' is 'directory'")]],
];

/** Of each kind one, none with an alias but that of a list of objects. */
const kinds = [
  argOf("place", { type: "array", limits: { within: "." }, aliases: ["edits[].path"] }),
  argOf("from", { type: "integer" }),
  argOf("to", { type: "integer" }),
  argOf("max_results", { type: "integer" }),
  argOf("pattern", { required: true }),
  argOf("edits"),
  argOf("where", { role: { kind: "cwd" } }),
];

const kindRows: readonly [given: object, named: object][] = [
  [{ file_path: "a" }, { place: "a" }],
  [{ targetFile: "a", head_limit: 3, query: "x" }, { place: "a", max_results: 3, pattern: "x" }],
  [{ folder: "a" }, { where: "a" }],
  [{ lines: "10-20" }, { from: "10", to: "20" }],
  [{ view_range: [3, -1] }, { from: "3" }],
  [{ range: "L7" }, { from: "7", to: "7" }],
  [{ start_line_one_indexed: 2, end_line: 4 }, { from: 2, to: 4 }],
  [{ edits: [{ path: "a" }, { file_path: "b" }, { path: "a" }, 1] }, {
    place: ["a", "b"],
    edits: [{ path: "a" }, { file_path: "b" }, { path: "a" }, 1],
  }],
  [{ edits: '[{"path":"a"}]' }, { place: ["a"], edits: '[{"path":"a"}]' }],
  // What has a value is not replaced, and what has another meaning is left as it is
  [{ place: "a", file: "b" }, { place: "a", file: "b" }],
  [{ place: "a", edits: [{ path: "b" }] }, { place: "a", edits: [{ path: "b" }] }],
  [{ lines: "a-b", from: 1, range: "1-2" }, { lines: "a-b", from: 1, range: "1-2" }],
  [{ message_file: "a", name: "b", limits: 1 }, { message_file: "a", name: "b", limits: 1 }],
];

for (const [given, named] of kindRows) {
  Deno.test(`renameAliases() by the kind of an argument: ${JSON.stringify(given)}`, () => {
    assert.deepEqual(renameAliases(kinds, { ...given }), { given: named, reasons: [] });
  });
}

Deno.test("renameAliases() divides a command line into program, file and arguments", () => {
  const program = argOf("program", { aliases: ["command"] });
  const args = argOf("args", { type: "array" });
  const file = argOf("path", { required: true, limits: { within: "." } });
  for (
    const [given, named] of [
      [{ command: `tsx --test "a b.ts"` }, { program: "tsx", args: ["--test", "a b.ts"] }],
      [{ program: "tsx --test" }, { program: "tsx", args: ["--test"] }],
      [{ program: "tsx -v", args: ["x"] }, { program: "tsx -v", args: ["x"] }],
      [{ program: "tsx a | tail" }, { program: "tsx a | tail" }],
      [{ command: "tsx" }, { program: "tsx" }],
    ] as const
  ) {
    assert.deepEqual(renameAliases([program, args], { ...given }).given, named);
  }
  const { given } = renameAliases([file, program, args], { command: "bash s/a.sh -x" });
  assert.deepEqual(given, { program: "bash", path: "s/a.sh", args: ["-x"] });
});

Deno.test("renameAliases() chooses none of two arguments of a kind", () => {
  const two = ["old", "new"].map((name) => argOf(name, { limits: { within: "." } }));
  assert.deepEqual(renameAliases(two, { path: "a" }).given, { path: "a" });
});

for (const [given, named, reasons] of rows) {
  Deno.test(`renameAliases() of ${JSON.stringify(given)}`, () => {
    assert.deepEqual(renameAliases(args, { ...given }), { given: named, reasons });
  });
}

Deno.test("renameAliases() hides no argument, and takes nothing that is inherited", () => {
  const both = [argOf("a", { aliases: ["b", "toString"] }), argOf("b")];
  assert.deepEqual(renameAliases(both, { b: 1 }), { given: { b: 1 }, reasons: [] });
});
