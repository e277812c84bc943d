/** `climax lock`, and what `--locked` serves when a program has changed since. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { writeFarm } from "../../setup/_farm.ts";
import { type Scratch, scratch } from "../../e2e/_scratch.ts";
import { root } from "../../_fixtures.ts";
import { climax, ends } from "./_climax.ts";
import { unix } from "../../_requirements.ts";
import { runToEnd } from "../../_run.ts";

/** A directory with a farm, its config, and `true` beside it. */
async function lockedFarm(): Promise<Scratch & { readonly farm: string }> {
  const dir = await scratch();
  const farm = writeFarm(dir.path);
  const config = `name: mixed
command: ""
tools:
  - {name: list, command: ${farm} list}
  - {name: nothing, command: sh -c}
`;
  await Deno.writeTextFile(join(dir.path, "mixed.yaml"), config);
  return Object.assign(dir, { farm });
}

/** The tools that `climax run` serves with these words. */
async function servedTools(cwd: string, args: readonly string[]) {
  const requests = [
    {
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "test", version: "1" },
      },
    },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/list" },
    { id: 3, method: "tools/call", params: { name: "list" } },
  ].map((request) => JSON.stringify({ jsonrpc: "2.0", ...request }));
  const ran = await climax(["run", "mixed.yaml", "--classic", ...args], {
    cwd,
    stdin: `${requests.join("\n")}\n`,
  });
  const answers = ran.stdout.trim().split("\n").filter((line) => line !== "")
    .map((line) => JSON.parse(line));
  const tools = answers.find(({ id }) => id === 2)?.result.tools as { name: string }[] | undefined;
  const called = answers.find(({ id }) => id === 3);
  return { ...ran, tools: tools?.map(({ name }) => name), called };
}

unix.test("a lock has tools that only a sandbox holds, and a start without them says so", async () => {
  await using dir = await scratch();
  const config =
    "name: own\ncommand: sh\ntools: [{name: run_own, command: -c, requires: sandbox}]\n";
  await Deno.writeTextFile(join(dir.path, "own.yaml"), config);
  const cwd = dir.path;
  const locked = await climax(["lock", "own.yaml"], { cwd });
  assert.match(locked.stdout, /: 1 tool\n$/);
  const checked = await climax(["validate", "own.yaml", "--locked"], { cwd });
  assert.equal(checked.code, 0, checked.stdout);
  await ends(climax(["list", "own.yaml"], { cwd }), {
    stderr: /Nothing of 'own' is served: it runs .* code; serve it with --sandbox or --policy ask/,
  });
  await ends(climax(["list", "own.yaml", "--policy", "ask"], { cwd }), {
    stdout: /run_own/,
    stderr: "",
  });
  await ends(climax(["help", "run_own", "--config", "own.yaml"], { cwd }), {
    code: 2,
    stderr: /withheld/,
  });
});

unix.test("climax lock follows no link to a file that nobody named", async () => {
  await using dir = await lockedFarm();
  const cwd = dir.path;
  await Deno.writeTextFile(join(cwd, "mine"), "mine\n");
  await Deno.symlink("mine", join(cwd, "climax.lock.json"));
  const { code, stderr } = await climax(["lock", "mixed.yaml"], { cwd });
  assert.equal(code, 3);
  assert.match(stderr, /climax\.lock\.json: The file is a link, which is not followed\n/);
  assert.equal(await Deno.readTextFile(join(cwd, "mine")), "mine\n");
  assert.equal((await climax(["lock", "mixed.yaml", "-o", "mine"], { cwd })).code, 0);
});

unix.test("climax run --locked serves what is as it was, and says what is not", async () => {
  await using dir = await lockedFarm();
  const cwd = dir.path;
  const locked = await climax(["lock", "mixed.yaml"], { cwd });
  assert.equal(locked.code, 0, locked.stderr);
  assert.match(locked.stdout, /\/farm: farm 1\.0\n/);
  assert.match(locked.stdout, /climax\.lock\.json: 2 tools\n$/);
  assert.deepEqual((await servedTools(cwd, ["--locked"])).tools, ["list", "nothing"]);

  const script = await Deno.readTextFile(dir.farm);
  await Deno.writeTextFile(dir.farm, script.replace("farm 1.0", "farm 2.0"));
  const left = await servedTools(cwd, ["--lock", "climax.lock.json"]);
  assert.deepEqual(left.tools, ["nothing"]);
  assert.match(
    left.called.result.content[0].text,
    /^Tool 'list' is withheld: what it runs is not as it was locked\n.*: climax lock CONFIG…$/,
  );
  assert.match(left.stderr, /another file than it was: farm 1\.0, now farm 2\.0 \(breaks list\)/);
  assert.deepEqual((await servedTools(cwd, [])).tools, ["list", "nothing"]);

  const validated = await climax(["validate", "mixed.yaml", "--locked"], { cwd });
  assert.equal(validated.code, 1);
  assert.match(validated.stdout, /climax\.lock\.json: 1 change\n$/);
});

unix.test("climax run --locked without a lock does not start", async () => {
  await using dir = await lockedFarm();
  const ran = await servedTools(dir.path, ["--locked"]);
  assert.deepEqual([ran.code, ran.tools], [3, undefined]);
  assert.match(ran.stderr, /climax\.lock\.json: File not found\n {2}hint: climax lock CONFIG/);
});

unix.test("climax run --locked refuses a policy that runs other programs", async () => {
  await using dir = await lockedFarm();
  const cwd = dir.path;
  await climax(["lock", "mixed.yaml"], { cwd });
  const policy = "executor: {type: docker, image: alpine}\ndefault: enabled\n";
  await Deno.writeTextFile(join(cwd, "policy.yaml"), policy);
  const ran = await servedTools(cwd, ["--locked", "--policy", "policy.yaml"]);
  assert.equal(ran.code, 2);
  assert.match(ran.stderr, /--locked looks at the programs of this machine/);
});

unix.test("climax lock says which programs are missing", async () => {
  const config = "name: x\ncommand: climax-no-such-program\ntools: [{name: x}]\n";
  await using dir = await scratch({ "x.yaml": config });
  const ran = await climax(["lock", "x.yaml"], { cwd: dir.path });
  assert.equal(ran.code, 1);
  assert.match(ran.stderr, /Program 'climax-no-such-program' is not on PATH/);
});

unix.test("climax run --locked does not start where it may not look", async () => {
  await using dir = await lockedFarm();
  const cwd = dir.path;
  await climax(["lock", "mixed.yaml"], { cwd });
  const main = join(root, "main.ts");
  const words = ["run", `--allow-read=${cwd},${root}`, "--allow-env", main, "mixed.yaml"];
  const ran = runToEnd([Deno.execPath(), ...words, "--locked"], { cwd });
  await ends(ran, { code: 2, stderr: /--locked needs more than this process may/ });
});
