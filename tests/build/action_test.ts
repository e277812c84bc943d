/** `action.yml`: its steps, run by bash as a workflow would. */

import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { load } from "js-yaml";
import { programs, unix } from "../_requirements.ts";
import { scratch } from "../e2e/_scratch.ts";
import { root } from "../e2e/_server.ts";
import { run } from "./_build.ts";
import { ends } from "../cli/commands/_climax.ts";

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: {
    readonly using: string;
    readonly steps: readonly {
      readonly if?: string;
      readonly shell: string;
      readonly env?: Readonly<Record<string, string>>;
      readonly run: string;
    }[];
  };
}

const action = load(await Deno.readTextFile(join(root, "action.yml"))) as Action;
const bash = unix.ignore ? unix : await programs({ bash: ["--version"], git: ["--version"] });

/** Runs the steps in `cwd` with these inputs. */
async function runAction(cwd: string, inputs: Readonly<Record<string, string>>) {
  const paths = join(cwd, "paths");
  await Deno.writeTextFile(paths, "");
  const own = { GITHUB_ACTION_PATH: root.replace(/\/$/, ""), GITHUB_PATH: paths };
  const defaults = Object.entries(action.inputs).map(([name, input]) => [name, input.default]);
  const given: Record<string, string> = { ...Object.fromEntries(defaults), ...inputs };
  let ran = { code: 0, stdout: "", stderr: "" };
  for (const step of action.runs.steps) {
    if (step.if !== undefined) {
      assert.equal(step.if, "inputs.configs != ''");
      if (given["configs"] === "") continue;
    }
    const env = Object.entries(step.env ?? {}).map(([name, value]) => {
      return [name, value.replace(/^\$\{\{ inputs\.(\w+) \}\}$/, (_, input) => given[input]!)];
    });
    const added = (await Deno.readTextFile(paths)).trim();
    const PATH = [added, dirname(Deno.execPath()), Deno.env.get("PATH")].filter(Boolean).join(":");
    ran = await run(["bash", "-eo", "pipefail", "-c", step.run], {
      cwd,
      env: { ...own, PATH, ...Object.fromEntries(env) },
    });
    if (ran.code !== 0) break;
  }
  return ran;
}

bash.test("the action puts climax on PATH and checks nothing without configs", async () => {
  await using dir = await scratch();
  await ends(runAction(dir.path, {}), { code: 0, stdout: "" });
  assert.equal(await Deno.readTextFile(join(dir.path, "paths")), `${root.replace(/\/$/, "")}\n`);
});

bash.test("the action checks configs and a policy", async () => {
  const own = "name: own\ncommand: git\ntools:\n  - name: own_version\n    command: --version\n";
  await using dir = await scratch({
    "my own.yaml": `${own}    description: Print it\n`,
    "wrong.yaml": "name: wrong\ntool: []\n",
    "policy.yaml": "tools:\n  nothing_here: {}\n",
  });
  const configs = "git\n./my own.yaml\n";
  await ends(runAction(dir.path, { configs }), { code: 0 });
  const refused: [inputs: Readonly<Record<string, string>>, said: RegExp][] = [
    [{ configs: "./wrong.yaml" }, /wrong\.yaml:2:1: Unknown key .tool/],
    [{ configs, policy: "./policy.yaml" }, /nothing_here/],
  ];
  for (const [inputs, said] of refused) {
    const { stdout, stderr } = await ends(runAction(dir.path, inputs), { code: 1 });
    assert.match(stdout + stderr, said);
  }
});
