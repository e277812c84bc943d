/** Who counts as left behind by a server that is gone, and that nobody else does. */

import assert from "node:assert/strict";
import { scratch } from "../e2e/_scratch.ts";
import { withVariables } from "../_io.ts";
import { findProgram } from "../../src/exec/find_program.ts";
import { findOrphans } from "../../src/exec/orphans.ts";
import {
  markVariable,
  newMark,
  parseProcess,
  type Process,
  processes,
  serverOf,
  variableOfMark,
} from "../../src/exec/processes.ts";
import { fixturePath } from "../_fixtures.ts";
import { outputOf, processTools, programs } from "../_requirements.ts";
import { listed } from "./_listing.ts";

function markOf(server: number, call = "a"): string {
  return `${server}.1700000000.${call.repeat(24)}`;
}

const self = listed(Deno.pid, { age: 5, parent: 70 });

const rows: readonly (readonly [string, readonly Process[], readonly number[]])[] = [
  ["nobody without a mark", [listed(10)], []],
  ["whose server is gone", [listed(10, { marks: [markOf(99)] })], [10]],
  ["nobody whose server is there", [listed(99), listed(10, { age: 50, marks: [markOf(99)] })], []],
  [
    "whose server's id another one has",
    [listed(99, { age: 20 }), listed(10, { age: 50, marks: [markOf(99)] })],
    [10],
  ],
  [
    "the younger ones of a call as well, by the oldest of them",
    [
      listed(99, { age: 20 }),
      listed(10, { age: 50, marks: [markOf(99)] }),
      listed(11, { age: 3, marks: [markOf(99)] }),
      listed(12, { age: 3, marks: [markOf(99, "b")] }),
    ],
    [10, 11],
  ],
  [
    "what descends from one, marked or not",
    [listed(10, { marks: [markOf(99)] }), listed(11, { parent: 10 }), listed(12, { parent: 11 })],
    [10, 11, 12],
  ],
  ["nobody of another user", [listed(10, { user: "0", marks: [markOf(99)] })], []],
  ["nobody of another container", [listed(10, { space: "2", marks: [markOf(99)] })], []],
  [
    "nobody of a call that this server itself is part of",
    [listed(70, { marks: [markOf(99)] }), listed(10, { marks: [markOf(99)] })],
    [],
  ],
  [
    "all of a server that ran as a program of a call",
    [listed(98, { marks: [markOf(99)] }), listed(10, { marks: [markOf(99), markOf(98, "b")] })],
    [98, 10],
  ],
  ["nobody of this server", [listed(10, { age: 2, marks: [newMark()] })], []],
];

for (const [what, others, expected] of rows) {
  Deno.test(`findOrphans() finds ${what}`, () => {
    const found = findOrphans([self, ...others]).map(({ pid }) => pid);
    assert.deepEqual(found.toSorted(), [...expected].toSorted());
  });
}

const namespace = ["-pf", "--mount-proc"];

for (
  const [count, way, said] of [
    [0, "reap", /^$/],
    [
      1,
      "look",
      /warning: 1 program left over from an earlier climax: \d+ \(sleep\); start with --kill/,
    ],
    [10, "look", /warning: 10 programs left .* climax: (?:\d+ \(sleep\)(?:, |; )){10}start/],
    [11, "reap", /warning: Ending 11 programs left .*: (?:\d+ \(sleep\)(?:, | )){10}…\n$/],
  ] as const
) {
  Deno.test(`scanOrphans() names ${count} programs, of which it shows ten: ${way}`, {
    ...await programs({ unshare: [...namespace, "true"], ps: ["-A"] }),
  }, async () => {
    const program = ["run", "--allow-all", "--no-check", fixturePath("exec", "orphans.ts")];
    const args = [...namespace, Deno.execPath(), ...program, String(count), way];
    const { stdout, stderr } = (await outputOf("unshare", args))!;
    const [ends, log] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assert.match(log!, said);
    assert.equal(ends, `${count === 0 ? "" : way === "reap" ? "SIGTERM" : "SIGINT"}\n`);
  });
}

const mark = markOf(4711);
const head = "  123     1   120   119  1000 Ss   1-02:03:04 ?        4026531836 ";
const lines: readonly (readonly [string, string, Partial<Process> | undefined])[] = [
  ["a process", `${head}sleep HOME=/root CLIMAX_CALL=${mark} PATH=/bin`, {
    pid: 123,
    parent: 1,
    group: 120,
    session: 119,
    user: "1000",
    age: 93_784,
    hasTerminal: false,
    space: "4026531836",
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
  ["a great age", head.replace("1-", "123456-") + "sh", { age: 123_456 * 86_400 + 7_384 }],
  ["an age that cannot be", head.replace("1-", "1234567-") + "sh", { age: 0 }],
  ["a terminal", head.replace("?", "pts/0") + "sh", { hasTerminal: true }],
  ["the space of somebody else", head.replace("4026531836", "         -") + "sh", { space: "-" }],
  ["one that has begun within this tick", head.replace("1-", "441077234-") + "sh", { age: 0 }],
  ["no zombie", head.replace("Ss", "Zs") + "sh", undefined],
  [
    "no heading",
    "  PID  PPID  PGID   SID   UID STAT     ELAPSED TT            PIDNS COMMAND",
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
  const [, started] = mark.split(".");
  assert.equal(serverOf(mark), Deno.pid);
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
