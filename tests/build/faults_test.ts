import assert from "node:assert/strict";
import { faultsIn } from "../../build/_faults.ts";

const rows: readonly [line: string, changed: readonly string[]][] = [
  ["if (a < b && !c) return 2;", [
    "if (a <= b && !c) return 2;",
    "if (a < b || !c) return 2;",
    "if (a < b && c) return 2;",
    "if (a < b && !c) return 3;",
    "if (a < b && !c) return 1;",
    "",
  ]],
  ["await this.#run(a ?? [true]);", [
    "await this.#run(a ?? [false]);",
    "await this.#run(a && [true]);",
    "",
  ]],
  ["this.#bytes -= a.length;", ["this.#bytes += a.length;", ""]],
  // Texts, patterns, comments and types have none
  ['log("a < 2"); // 1 === 1', []],
  ["const a = /true \\/ [/] && 1/.test(`1 < ${2}`);", []],
  ["readonly ok: true;", []],
  ["const a = (b: Extract<C, { ok: false }>) => b;", []],
  ["const a = () =>\n  run();", []],
  ['const a = "" +\n  run();', []],
  ["> {", []],
  ["const timeoutMs = 5000;", []],
  // Lets others run, and decides nothing
  ["if (at % 10 === 0) yield;", []],
  ["await yieldToEventLoop();", []],
];

for (const [line, changed] of rows) {
  Deno.test(`faultsIn() changes ${line}`, () => {
    const faults = faultsIn("a.ts", `a();\n  ${line}\n`);
    assert.deepEqual(
      faults.filter(({ line }) => line > 0).map(({ changed }) => changed.trim()),
      changed,
    );
  });
}
