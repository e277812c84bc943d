/** How a listing of processes is read, and the marks by which a call knows its own. */

import assert from "node:assert/strict";
import { scratch } from "../e2e/_scratch.ts";
import { withVariables } from "../_io.ts";
import { findProgram } from "../../src/exec/find_program.ts";
import {
  markVariable,
  newMark,
  parseProcess,
  type Process,
  processes,
  variableOfMark,
} from "../../src/exec/processes.ts";
import { fixturePath } from "../_fixtures.ts";
import { processTools } from "../_requirements.ts";

function markOf(server: number, call = "a"): string {
  return `${server}.1700000000.${call.repeat(24)}`;
}

const mark = markOf(4711);
const head = "  123     1   120   119 Ss   ?        ";
const lines: readonly (readonly [string, string, Partial<Process> | undefined])[] = [
  ["a process", `${head}sleep HOME=/root CLIMAX_CALL=${mark} PATH=/bin`, {
    pid: 123,
    parent: 1,
    group: 120,
    session: 119,
    hasTerminal: false,
    name: "sleep",
    marks: [mark],
  }],
  ["marks around a mark", `${head}a CLIMAX_CALL=${mark}:${markOf(5)}`, {
    marks: [mark, markOf(5)],
  }],
  ["a mark behind a false one", `${head}a A= CLIMAX_CALL=x CLIMAX_CALL=${mark}`, { marks: [mark] }],
  ["no mark in another variable", `${head}a XCLIMAX_CALL=${mark}`, { marks: [] }],
  ["no mark in what is none", `${head}a CLIMAX_CALL=1.2.zz:;`, { marks: [] }],
  ["a mark as far as it looks", `${head}a CLIMAX_CALL=${"x".repeat(1023 - mark.length)}:${mark}`, {
    marks: [mark],
  }],
  ["no mark beyond that", `${head}a CLIMAX_CALL=${"x".repeat(1024 - mark.length)}:${mark}`, {
    marks: [],
  }],
  ["one without a name", head, { name: "?" }],
  ["a terminal", head.replace("?", "pts/0") + "sh", { hasTerminal: true }],
  ["no zombie", head.replace("Ss", "Zs") + "sh", undefined],
  [
    "no heading",
    "  PID  PPID  PGID   SID STAT TT       COMMAND",
    undefined,
  ],
];

for (const [what, line, expected] of lines) {
  Deno.test(`parseProcess() reads ${what}`, () => {
    const found = parseProcess(line);
    assert.deepEqual(found && { ...found, ...expected }, found);
    assert.equal(found === undefined, expected === undefined);
  });
}

Deno.test("variableOfMark() keeps the eight nearest of the marks around a call", () => {
  const outer = Array.from({ length: 10 }, (_, at) => markOf(at + 1));
  using _ = withVariables({ [markVariable]: `${outer.join(":")}:x` });
  assert.equal(variableOfMark(mark), [...outer.slice(2), mark].join(":"));
});

Deno.test("newMark() has this process, its start and a random part", () => {
  const mark = newMark();
  const [pid, started] = mark.split(".");
  assert.equal(pid, String(Deno.pid));
  assert.equal(started, String(Math.floor(performance.timeOrigin / 1000)));
  assert.notEqual(newMark(), mark);
});

processTools.test("processes() lists once for all that ask before it begins", async () => {
  const listing = processes();
  assert.equal(processes(), listing);
  const all = await listing;
  assert.equal(all?.some(({ pid }) => pid === Deno.pid), true);
  const other = processes();
  assert.notEqual(other, listing);
  await other;
});

processTools.test("processes() believes no list of a program that has failed, and no empty one", async () => {
  await using dir = await scratch();
  const real = findProgram("ps", { env: {} });
  const scripts = [`${real} "$@"`, `${real} "$@"; exit 1`, ""];
  // In a process of its own: where `ps` is, it looks for once
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", "--no-check"],
      fixturePath("exec", "listings.ts"),
      dir.path,
      ...scripts,
    ],
    env: { PATH: `${dir.path}:${Deno.env.get("PATH")}` },
  }).output();
  assert.equal(new TextDecoder().decode(stdout), "itself: true\nnothing\nnothing\n");
});
