/** Start-up as a whole: all or nothing, the policy before the index, and an end. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { call } from "../../src/call/call.ts";
import { ClimaxError, ExitCode } from "../../src/errors.ts";
import { systemClock } from "../../src/async/clock.ts";
import { defaultOutputBounds } from "../../src/jobs/output_text.ts";
import { Outputs } from "../../src/jobs/outputs.ts";
import { Jobs } from "../../src/jobs/jobs.ts";
import { resetLog, setLogFile } from "../../src/log.ts";
import { openSession } from "../../src/session/session.ts";
import { withVariables } from "../_io.ts";
import { unix } from "../_requirements.ts";
import { configText, odd } from "../_upstream.ts";
import { scratch } from "../e2e/_scratch.ts";

const config = (name: string, tools: readonly string[]) => ({
  file: `${name}.yaml`,
  text: JSON.stringify({ name, command: "echo", tools: tools.map((tool) => ({ name: tool })) }),
});

const policy = (tools: object, rest: object = {}) => ({
  file: "policy.yaml",
  text: JSON.stringify({ ...rest, tools }),
});

Deno.test("openSession() opens all or nothing, and says every problem", async () => {
  const broken = { file: "broken.yaml", text: "name: x\ncommand: 3\ntools: {}\n" };
  const wrong = policy({}, { default: "maybe" });
  const opening = openSession({ configs: [config("a", ["a_x"]), broken], policy: wrong });
  await assert.rejects(opening, (error) => {
    assert.ok(error instanceof ClimaxError);
    assert.equal(error.exitCode, ExitCode.file);
    const files = error.problems.map(({ file }) => file);
    assert.deepEqual([...new Set(files)].toSorted(), ["broken.yaml", "policy.yaml"]);
    return true;
  });
});

Deno.test("a session needs what its tools take, and no network for programs", async () => {
  const configs = [config("a", ["a_x"])];
  await using session = await openSession({ configs });
  const { run, read, write, net } = await session.permissions();
  assert.equal(run.includes("echo"), true);
  assert.deepEqual({ read, write, net }, { read: [], write: [], net: [] });
  await using dir = await scratch();
  const audit = join(dir.path, "audit.jsonl");
  const needs = await session.permissions({ audit });
  assert.deepEqual([needs.read, needs.write], [[audit], [audit]]);
});

Deno.test("a session says whether outputs can be read on: where they are stored, and by the policy", async () => {
  const configs = [config("a", ["a_x"])];
  const outputs = new Outputs(defaultOutputBounds);
  for (
    const [options, expected] of [
      [{}, false],
      [{ outputs }, true],
      [{ outputs, policy: policy({}, { default: "enabled", deny: ["output_read"] }) }, false],
    ] as const
  ) {
    await using session = await openSession({ configs, ...options });
    assert.deepEqual([session.keepsOutputs?.(), session.keep !== undefined], [expected, expected]);
    if (expected) assert.equal((await session.keep!("text", undefined))?.bytes, 4);
  }
  await outputs.close();
});

Deno.test("a session has the format and the jobs that it is given", async () => {
  const configs = [config("a", ["a_x"])];
  await using bare = await openSession({ configs });
  assert.deepEqual([bare.results, bare.background], ["contract", undefined]);
  const jobs = new Jobs({ running: 1 });
  await using session = await openSession({ configs, results: "compact", jobs });
  assert.deepEqual([session.results, session.background?.isAvailable()], ["compact", true]);
  await jobs.close();
});

unix.test("openSession() ends what it opened where no sandbox can be made", async () => {
  await using dir = await scratch();
  const [file, pidFile] = [join(dir.path, "tamamo-x.config.json"), join(dir.path, "pid")];
  await Deno.writeTextFile(file, configText([odd("odd", "tells", pidFile)]));
  using _set = withVariables({ PATH: dir.path });
  const held = policy({ a_x: null }, { executor: { type: "sandbox" } });
  const opening = openSession({ configs: [config("a", ["a_x"])], mcp: [file], policy: held });
  await assert.rejects(opening, /Programs cannot be held in a sandbox/);
  const pid = Number(await Deno.readTextFile(pidFile));
  assert.throws(() => Deno.kill(pid, "SIGCONT"), Deno.errors.NotFound);
});

unix.test("openSession() serves of a set what is installed, and of configs that are named all", async () => {
  await using dir = await scratch({ "gh": "#!/bin/sh\n" });
  await Deno.chmod(join(dir.path, "gh"), 0o755);
  using _set = withVariables({ PATH: dir.path });
  for (const [configs, expected] of [[["@vcs"], ["gh"]], [["@vcs", "git"], ["gh", "git"]]]) {
    await using session = await openSession({ configs: configs! });
    const owners = new Set(session.index.tools.map(({ owner }) => owner.name));
    assert.deepEqual([...owners].toSorted(), expected);
  }
});

Deno.test("a session reads the directories of a policy", async () => {
  const args = ["p", "q", "r"].map((name) => ({ name, positional: true }));
  const tools = [{ name: "a_x", args }];
  const text = JSON.stringify({ name: "a", command: "echo", tools });
  await using session = await openSession({
    configs: [{ file: "a.yaml", text }],
    policy: policy({ a_x: { args: { p: { within: "." }, q: { within: "/usr" } } } }),
  });
  assert.deepEqual((await session.permissions()).read, [Deno.cwd(), "/usr"]);
});

Deno.test("close() closes the audit log, and may be called twice", async () => {
  await using dir = await scratch();
  const audit = join(dir.path, "audit.jsonl");
  const session = await openSession({ configs: [config("a", ["a_x"])], audit });
  await call(session, { tool: "nothing" });
  await session.close();
  const [line] = (await Deno.readTextFile(audit)).trim().split("\n");
  assert.equal(JSON.parse(line!).rule, "unknown tool");
  await session.close();
});

const run = {
  file: "project.yaml",
  text: JSON.stringify({
    name: "project",
    command: "echo",
    tools: [{ name: "project_test", effect: "destructive", requires: "sandbox" }],
  }),
};

for (
  const [how, options, isServed] of [
    ["nothing holds it", {}, false],
    ["a policy lets it run", { policy: policy({ project_test: null }) }, false],
    ["programs run on another machine", {
      policy: policy({ project_test: null }, { executor: { type: "ssh", host: "h" } }),
    }, false],
    ["a person confirms it", { policy: policy({ project_test: { confirm: true } }) }, true],
    ["a sandbox holds it", { sandbox: true }, true],
  ] as const
) {
  Deno.test(`code of a project, where ${how}: ${isServed ? "" : "not "}served`, async () => {
    await using dir = await scratch();
    setLogFile(join(dir.path, "log"));
    await using session = await openSession({ configs: [run], ...options });
    resetLog();
    const warned = (await Deno.readTextFile(join(dir.path, "log"))).includes(
      "Nothing of 'project'",
    );
    assert.equal(warned, !isServed);
    const isListed = session.index.get("project_test") !== undefined;
    assert.equal(isListed, isServed);
    const { content: [first], isError } = await call(session, { tool: "project_test" });
    const text = first?.type === "text" ? first.text : "";
    assert.equal(/withheld: it runs the project's own code.*\n.*--sandbox/.test(text), !isServed);
    if (!isServed) assert.equal(isError, true);
  });
}

Deno.test("openSession() ends what it opened when the files cannot be watched", async () => {
  await using dir = await scratch();
  const [file, pidFile] = [join(dir.path, "tamamo-x.config.json"), join(dir.path, "pid")];
  await Deno.writeTextFile(file, configText([odd("odd", "tells", pidFile)]));
  const clock: typeof systemClock = {
    ...systemClock,
    after(ms, act, options) {
      // Nothing but the watch asks for a second
      if (ms === 1000) throw new Error("no timers are left");
      return systemClock.after(ms, act, options);
    },
  };
  const opening = openSession({ configs: [], mcp: [file], watch: true, clock });
  await assert.rejects(opening, /no timers are left/);
  const pid = Number(await Deno.readTextFile(pidFile));
  assert.throws(() => Deno.kill(pid, "SIGCONT"), Deno.errors.NotFound);
});
