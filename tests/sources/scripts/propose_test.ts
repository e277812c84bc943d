/** Scripts that agents propose: what is refused, what the inbox takes, and what the tool says of itself. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { valueArgs } from "../../../src/sources/command/read_config.ts";
import { FairSemaphore } from "../../../src/async/semaphore.ts";
import { homeVariables, stateVariables } from "../../../src/process/folders.ts";
import { maxProposals, maxProposalsOfClient } from "../../../src/sources/scripts/limits.ts";
import {
  inboxFolder,
  planOfProposal,
  proposalsIn,
  proposingTool,
} from "../../../src/sources/scripts/propose.ts";
import { scriptRunner } from "../../../src/sources/scripts/runner.ts";
import { scriptTool } from "../../../src/sources/scripts/script_tool.ts";
import { textOf } from "../../../src/tool/result.ts";
import type { PlanOptions } from "../../../src/tool/runner.ts";
import { FakeClock } from "../../_clock.ts";
import { withVariables } from "../../_io.ts";
import { unixTest } from "../../_requirements.ts";
import { scratch } from "../../e2e/_scratch.ts";

const argReader = () => Promise.resolve(valueArgs);
const header = "/* climax script\ndescription: Does\neffect: read\n*/\n";

Deno.test("script_propose takes a name, a code and a reason, and changes nothing outside", () => {
  const { args, annotations, background } = proposingTool;
  assert.deepEqual(args.map(({ name, required, constraint }) => [name, required, constraint]), [
    ["name", true, { maxLength: 64 }],
    ["code", true, { maxLength: 65_536 }],
    ["reason", false, { maxLength: 1000 }],
  ]);
  assert.deepEqual([annotations, background], [
    { destructiveHint: false, openWorldHint: false },
    false,
  ]);
});

Deno.test("without a home there is no inbox", () => {
  const names = ["CLIMAX_STATE_DIR", "XDG_STATE_HOME", "LOCALAPPDATA", "HOME", "USERPROFILE"];
  using _ = withVariables(Object.fromEntries(names.map((name) => [name, ""])));
  assert.equal(inboxFolder(), undefined);
});

Deno.test("a runner asks for the inbox where scripts are proposed, and takes one after the other", async () => {
  await using dir = await scratch();
  using _ = withVariables({ CLIMAX_STATE_DIR: dir.path });
  const inbox = join(dir.path, "script-inbox");
  const runner = scriptRunner({ argReader });
  assert.deepEqual(await runner.permissions([scriptTool([]), proposingTool]), {
    read: [inbox],
    write: [inbox],
    env: [...new Set([...homeVariables, ...stateVariables])],
  });
  const propose = async (at: number, owner: string) => {
    const values = new Map([["name", `n${at}`], ["code", header]]);
    const plan = await runner.prepare(proposingTool, values);
    return plan.ok && !(await plan.run({ owner })).isError;
  };
  const ofOne = await Promise.all(Array.from({ length: 9 }, (_, at) => propose(at, "one")));
  assert.equal(ofOne.filter(Boolean).length, maxProposalsOfClient);
  const all = await Promise.all(Array.from({ length: 30 }, (_, at) => propose(at, `client ${at}`)));
  assert.equal(all.filter(Boolean).length, maxProposals - maxProposalsOfClient);
  assert.equal((await proposalsIn(inbox)).length, maxProposals);
});

unixTest(
  "a proposal is refused for what is wrong in it, and stored for its person alone",
  async () => {
    await using dir = await scratch();
    const folder = join(dir.path, "inbox");
    const clock = new FakeClock();
    const propose = async (
      name: string,
      code = header,
      options: PlanOptions = {},
      where = folder,
    ) => {
      const values = new Map([["name", name], ["code", code]]);
      const turns = new FairSemaphore(1);
      const plan = planOfProposal(proposingTool, values, {
        argReader,
        turns,
        clock,
        folder: where || undefined,
      });
      const { isError, record, content } = await plan.run(options);
      assert.equal(plan.needsPermit, false);
      assert.equal(record?.ending, isError ? "error" : "answered");
      return textOf({ content });
    };
    for (const name of ["../x", "a b", "", "1", `a${"b".repeat(64)}`]) {
      assert.match(await propose(name), /^Not proposed: 'name' is a letter, then/, name);
    }
    assert.match(await propose("a", "return 1"), /^Not proposed: its header is wrong\na\.js:1:1: /);
    const gone = { signal: AbortSignal.abort() };
    const ada = "ada".padEnd(500);
    assert.equal(await propose("a", header, gone), "Not proposed: the call was cancelled");
    assert.deepEqual([...await proposalsIn(folder)], []);
    assert.match(
      await propose("a", header, { client: "c".repeat(300), owner: ada }),
      /^Proposed 'a'\. It is no tool until/,
    );
    const again = await propose("a", header, { owner: ada });
    assert.equal(again, "Not proposed: the same one waits there already");
    const [stored, ...others] = await proposalsIn(folder);
    assert.deepEqual(others, []);
    const { client, owner, time } = stored!.proposal;
    assert.deepEqual([client, owner], ["c".repeat(200), ada]);
    assert.equal(time, new Date(clock.now()).toISOString());
    const modeOf = (path: string) => Deno.statSync(path).mode! & 0o777;
    assert.deepEqual([modeOf(folder), modeOf(stored!.path)], [0o700, 0o600]);
    for (const name of ["a.json", "b.12345678.json", "c.1234567.json"]) {
      await Deno.writeTextFile(join(folder, name), name.startsWith("b") ? "{" : "{}");
    }
    assert.equal((await proposalsIn(folder)).length, 1);
    // Of two owners they are two
    assert.match(await propose("a", header, { owner: "bob" }), /^Proposed 'a'/);
    assert.equal((await proposalsIn(folder)).length, 2);
    const texts = { ...stored!.proposal, client: "", owner: "", time: "" };
    const write = (id: number, more: object, where = folder) => {
      const path = join(where, `n.${id}.json`);
      return Deno.writeTextFile(path, JSON.stringify({ ...texts, ...more }));
    };
    const bounds = Object.entries({ client: 200, owner: 500, time: 40, reason: 1000 });
    for (const [at, [name, max]] of bounds.entries()) {
      await write(10_000_000 + at, { [name]: "x".repeat(max) });
      await write(20_000_000 + at, { [name]: "x".repeat(max + 1) });
    }
    assert.equal((await proposalsIn(folder)).length, 2 + bounds.length);
    for (let id = 1e7; id <= 1e7 + 2 * maxProposals; id++) await write(id, {}, dir.path);
    assert.equal((await proposalsIn(dir.path)).length, 2 * maxProposals);
    const file = await propose("b", header, {}, stored!.path);
    assert.match(file, /^Not proposed: its inbox cannot be written: /);
    using _ = withVariables(Object.fromEntries(stateVariables.map((name) => [name, undefined])));
    const unknown = await propose("b", header, {}, "");
    assert.match(unknown, /the folder of the person is not known/);
  },
);
