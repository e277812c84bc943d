/** Which of the listed processes belong to a call, also when the id of its program is another's by now. */

import assert from "node:assert/strict";
import { membersOf, newMark, type Process } from "../../src/exec/processes.ts";
import { fixturePath } from "../_fixtures.ts";
import { outputOf, programs } from "../_requirements.ts";
import { listed } from "./_listing.ts";

const mark = newMark();
const own = { marks: [mark] };

type Row = readonly [
  what: string,
  root: { readonly leads: boolean; readonly ended: boolean },
  all: readonly Process[],
  members: readonly number[],
];

const session = { leads: true, ended: false };
const marked = { leads: false, ended: false };

const rows: readonly Row[] = [
  ["the program itself, without a mark that is shown", marked, [listed(50)], [50]],
  ["what has the mark", marked, [listed(60, own)], [60]],
  [
    "what descends from a member",
    marked,
    [listed(50), listed(60, { parent: 50 }), listed(61, { parent: 60 })],
    [50, 60, 61],
  ],
  [
    "the group and the session of the program",
    session,
    [listed(50), listed(60, { group: 50 }), listed(61, { session: 50 })],
    [50, 60, 61],
  ],
  ["no group of a program without a session", marked, [listed(60, { group: 50 })], []],
  [
    "the group of a program that has ended",
    { ...session, ended: true },
    [listed(60, { group: 50 })],
    [60],
  ],
  [
    "no other process that has the program's id by now",
    { ...marked, ended: true },
    [listed(50), listed(60, { parent: 50 }), listed(61, own)],
    [61],
  ],
  [
    "neither its group nor its session",
    { ...session, ended: true },
    [listed(50), listed(60, { group: 50 }), listed(61, { session: 50 }), listed(62, own)],
    [62],
  ],
];

for (const [what, { leads, ended }, all, expected] of rows) {
  Deno.test(`membersOf() finds ${what}`, () => {
    const members = membersOf({ pid: 50, mark, leads, hasEnded: () => ended }, all);
    assert.deepEqual(members.map(({ pid }) => pid).toSorted(), expected);
  });
}

const namespace = ["-pf", "--mount-proc"];

Deno.test("endTree() leaves a process alone that got the id of a program that has ended", {
  ...await programs({ unshare: [...namespace, "true"], ps: ["-A"] }),
}, async () => {
  const file = fixturePath("exec", "reused_id.ts");
  const program = [Deno.execPath(), "run", "--allow-all", "--no-check", file];
  const output = await outputOf("unshare", [...namespace, ...program]);
  const stderr = new TextDecoder().decode(output!.stderr);
  assert.equal(new TextDecoder().decode(output!.stdout), "null\n", stderr);
});
