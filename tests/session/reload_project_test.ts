/** The keys of a project's file that are not servers, edited while the project is served. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { cliConfigsOf } from "../../src/cli/project.ts";
import { openSession, type Session, type SessionOptions } from "../../src/session/session.ts";
import { defaultOutputBounds } from "../../src/jobs/stored_output.ts";
import { Outputs } from "../../src/jobs/outputs.ts";
import { FakeClock } from "../_clock.ts";
import { ioOf, withVariables } from "../_io.ts";
import { setIo } from "../../src/io.ts";
import { formatProblem } from "../../src/errors.ts";
import { readUpstreamConfig } from "../../src/sources/upstream/config.ts";
import { accept } from "../../src/trust/accepted.ts";
import { answerTo } from "../_session.ts";
import { configText } from "../_upstream.ts";
import { type Scratch, scratch } from "../e2e/_scratch.ts";

interface Served {
  readonly session: Session;
  readonly dir: Scratch;
  /** Writes a file, and waits until that is seen. */
  edit(name: string, text: string): Promise<void>;
}

const config = (name: string, word: string) => {
  return `name: ${name}\ncommand: echo\ntools:\n  - {name: say_${name}, command: "${word}"}\n`;
};

async function withProject(
  project: object,
  use: (served: Served) => Promise<void>,
  options: Pick<SessionOptions, "outputs"> = {},
): Promise<void> {
  await using dir = await scratch();
  using _set = withVariables({ CLIMAX_CACHE_DIR: join(dir.path, "cache") });
  for (const name of ["one", "two"]) {
    await Deno.writeTextFile(join(dir.path, `${name}.yaml`), config(name, name));
  }
  const file = join(dir.path, "tamamo-x.config.json");
  await Deno.writeTextFile(file, configText([], project));
  const policy = join(dir.path, "policy.yaml");
  await Deno.writeTextFile(policy, "default: enabled\n");
  const clock = new FakeClock();
  await using session = await openSession({
    configs: [],
    moreConfigs: cliConfigsOf(file),
    mcp: [file],
    policy,
    watch: true,
    clock,
    ...options,
  });
  await use({
    session,
    dir,
    async edit(name, text) {
      await Deno.writeTextFile(join(dir.path, name), text);
      const refreshed = session.gate.refresh!();
      // A file is read once it has settled
      await clock.timer(100);
      await clock.advance(100);
      await refreshed;
    },
  });
}

const names = ({ index }: Session) => index.tools.map(({ name }) => name);

Deno.test("cliConfigs of a project's file are loaded again, and their own files are watched", async () => {
  await withProject({ cliConfigs: ["./one.yaml"] }, async ({ session, edit }) => {
    const project = (rest: object) => edit("tamamo-x.config.json", configText([], { ...rest }));
    assert.deepEqual(names(session), ["say_one"]);
    await project({ cliConfigs: ["./one.yaml", "./two.yaml"] });
    assert.deepEqual(names(session), ["say_one", "say_two"]);
    assert.equal((await answerTo(session, { tool: "say_two" })).text, "two");
    await edit("two.yaml", config("two", "deux"));
    assert.equal((await answerTo(session, { tool: "say_two" })).text, "deux");
    // One that is not there changes nothing
    await project({ cliConfigs: ["./two.yaml", "./three.yaml"] });
    assert.deepEqual(names(session), ["say_one", "say_two"]);
    await project({ cliConfigs: ["./two.yaml"] });
    assert.deepEqual(names(session), ["say_two"]);
    assert.match((await answerTo(session, { tool: "say_one" })).text, /^Unknown tool: say_one/);
  });
});

Deno.test("results of a project's file are loaded again", async () => {
  const cliConfigs = ["./one.yaml"];
  await withProject({ cliConfigs }, async ({ session, edit }) => {
    const project = (rest: object) =>
      edit("tamamo-x.config.json", configText([], { cliConfigs, ...rest }));
    assert.equal(session.results, "contract");
    await project({ results: "compact" });
    assert.equal(session.results, "compact");
    await project({ results: "loud" });
    assert.equal(session.results, "compact");
    await project({});
    assert.equal(session.results, "contract");
  });
});

Deno.test("outputs can be read on, and programs run, as the policy of each moment has it", async () => {
  const outputs = new Outputs(defaultOutputBounds);
  await withProject({ cliConfigs: ["./one.yaml"] }, async ({ session, edit }) => {
    assert.equal(session.storesOutputs?.(), true);
    await edit("policy.yaml", "default: enabled\ndeny: [output_read]\n");
    assert.equal(session.storesOutputs?.(), false);
    await edit("policy.yaml", "default: enabled\nexecutor: {type: docker, image: '[none]'}\n");
    assert.notEqual((await answerTo(session, { tool: "say_one" })).text, "one");
  }, { outputs });
  outputs.close();
});

Deno.test("what a commit brings into a project's file waits for a person", async () => {
  await using dir = await scratch();
  const env = { HOME: dir.path, XDG_CONFIG_HOME: join(dir.path, "settings") };
  const file = "climax.json";
  const write = (cliConfigs: readonly string[]) => {
    return Deno.writeTextFile(join(dir.path, file), configText([], { cliConfigs }));
  };
  const before = setIo(ioOf({ cwd: dir.path, env, stdin: "", write: () => {} }));
  try {
    const configs = cliConfigsOf(file);
    for (const names of [["git"], ["docker", "git"]]) {
      await write(names);
      assert.deepEqual(await configs(), []);
      const read = await readUpstreamConfig(file);
      assert.match(read.ok ? formatProblem(read.warnings[0]!) : "", /Not used.*: 'cliConfigs', /);
      if (read.ok) await accept(read.config.rest);
      assert.deepEqual(await configs(), names);
    }
  } finally {
    setIo(before);
  }
});
