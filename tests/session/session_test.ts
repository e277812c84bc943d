/** Start-up as a whole: all or nothing, the policy before the index, and an end. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { call } from "../../src/call/call.ts";
import { ClimaxError, ExitCode } from "../../src/errors.ts";
import { systemClock } from "../../src/async/clock.ts";
import { defaultOutputBounds } from "../../src/jobs/stored_output.ts";
import { Outputs } from "../../src/jobs/outputs.ts";
import { Jobs } from "../../src/jobs/jobs.ts";
import { resetLog, setLogFile } from "../../src/log.ts";
import { openSession } from "../../src/session/session.ts";
import { withVariables } from "../_io.ts";
import { unix } from "../_requirements.ts";
import { sandboxed } from "../_sandbox.ts";
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

Deno.test("a session of programs needs no network, and writes where a sandbox may", async () => {
  const configs = [config("a", ["a_x"])];
  await using session = await openSession({ configs });
  assert.deepEqual(session.permissions(), { net: false, write: false });
  await using held = await openSession({ configs, policy: policy({}, { default: "enabled" }) });
  assert.deepEqual(held.permissions(), { net: false, write: false });
});

Deno.test("a session has what it is given, and stores outputs where the policy lets tools read them", async () => {
  const configs = [config("a", ["a_x"])];
  const outputs = new Outputs(defaultOutputBounds);
  const jobs = new Jobs({ running: 1 });
  for (
    const [options, expected] of [
      [{}, false],
      [{ outputs, jobs, results: "compact" }, true],
      [{ outputs, policy: policy({}, { default: "enabled", deny: ["output_read"] }) }, false],
    ] as const
  ) {
    await using session = await openSession({ configs, ...options });
    const { storesOutputs, keep, background, results } = session;
    assert.deepEqual([storesOutputs?.(), keep !== undefined], [expected, expected]);
    if (expected) assert.equal((await keep!("text", undefined))?.bytes, 4);
    assert.equal(background?.isAvailable(), expected || undefined);
    assert.equal(results, expected ? "compact" : "contract");
  }
  await Promise.all([outputs.close(), jobs.close()]);
});

unix.test("openSession() serves of a set what is installed, and of configs that are named all", async () => {
  await using dir = await scratch({ "gh": "#!/bin/sh\necho gh version 2" });
  await Deno.chmod(join(dir.path, "gh"), 0o755);
  using _set = withVariables({ PATH: dir.path });
  for (const [configs, expected] of [[["@vcs"], ["gh"]], [["@vcs", "git"], ["gh", "git"]]]) {
    await using session = await openSession({ configs: configs! });
    const owners = new Set(session.index.tools.map(({ owner }) => owner.name));
    assert.deepEqual([...owners].toSorted(), expected);
  }
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
    ["nothing holds it", { policy: "open" }, false],
    ["a person confirms it without a policy", {}, true],
    ["a policy lets it run", { policy: policy({ project_test: null }) }, false],
    ["a person confirms it", { policy: policy({ project_test: { confirm: true } }) }, true],
    ["a sandbox holds it", { sandbox: true }, true],
  ] as const
) {
  const { test } = "sandbox" in options ? sandboxed : Deno;
  test(`code of a project, where ${how}: ${isServed ? "" : "not "}served`, async () => {
    await using dir = await scratch();
    setLogFile(join(dir.path, "log"));
    await using session = await openSession({ configs: [run], ...options });
    resetLog();
    const said = await Deno.readTextFile(join(dir.path, "log"));
    assert.equal(said.includes("Nothing of 'project'"), !isServed);
    const isListed = session.index.get("project_test") !== undefined;
    assert.equal(isListed, isServed);
    const { content: [first], isError } = await call(session, { tool: "project_test" });
    const text = first?.type === "text" ? first.text : "";
    assert.equal(/withheld: it runs the project's own code.*\n.*--sandbox/.test(text), !isServed);
    if (!isServed) assert.equal(isError, true);
  });
}

const clock: typeof systemClock = {
  ...systemClock,
  after(ms, act, options) {
    // Nothing but the watch asks for a second
    if (ms === 1000) throw new Error("no timers are left");
    return systemClock.after(ms, act, options);
  },
};

for (
  const [why, message, options] of [
    ["the files cannot be watched", /no timers are left/, { watch: true, clock }],
    ["no sandbox can be made", /^ClimaxError: Programs cannot be held in a sandbox/, {
      policy: policy({ a_x: null }, { executor: { type: "sandbox", network: "host" } }),
    }],
  ] as const
) {
  Deno.test(`openSession() ends what it opened where ${why}`, async () => {
    await using dir = await scratch();
    const [file, pidFile] = [join(dir.path, "tamamo-x.config.json"), join(dir.path, "pid")];
    await Deno.writeTextFile(file, configText([odd("odd", "tells", pidFile)]));
    using _set = withVariables({ PATH: dir.path });
    const opening = openSession({ configs: [config("a", ["a_x"])], mcp: [file], ...options });
    await assert.rejects(opening, message);
    const pid = Number(await Deno.readTextFile(pidFile));
    assert.throws(() => Deno.kill(pid, "SIGCONT"), Deno.errors.NotFound);
  });
}

for (
  const [named, isNamed] of [["readonly", true], [
    policy({}, { default: "enabled", effects: ["read"] }),
    false,
  ], [
    policy({}, { default: "enabled", deny: ["effect:write", "effect:destructive"] }),
    false,
  ]] as const
) {
  Deno.test(`what ${JSON.stringify(named)} leaves out for its effect is ${isNamed ? "named" : "unknown"}, never called`, async () => {
    await using session = await openSession({ configs: ["git"], policy: named });
    const withheld = await session.index.uncallable!.withheld();
    const notLoaded = await session.index.uncallable!.notLoaded();
    const ofGit = withheld.filter(({ tool }) => tool.owner.name === "git");
    assert.deepEqual([ofGit.length > 20, withheld.length > 0], [isNamed, isNamed]);
    assert.deepEqual(
      notLoaded.filter(({ tool }) => tool.owner.name === "git" || tool.effect !== "read"),
      [],
    );
    assert.equal(session.index.resolve("git_commit"), undefined);
    const { isError, content } = await call(session, { tool: "git_commit", args: {} });
    assert.equal(isError, true);
    assert.equal(/Ask a person/.test(JSON.stringify(content)), isNamed);
  });
}

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
