import assert from "node:assert/strict";
import { argOf } from "../_tools.ts";
import { renameAliases } from "../../src/tool/value.ts";

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

for (const [given, named, reasons] of rows) {
  Deno.test(`renameAliases() of ${JSON.stringify(given)}`, () => {
    assert.deepEqual(renameAliases(args, { ...given }), { given: named, reasons });
  });
}

Deno.test("renameAliases() hides no argument, and takes nothing that is inherited", () => {
  const both = [argOf("a", { aliases: ["b", "toString"] }), argOf("b")];
  assert.deepEqual(renameAliases(both, { b: 1 }), { given: { b: 1 }, reasons: [] });
});
