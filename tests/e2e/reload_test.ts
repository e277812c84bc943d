/** A running server whose configs and policy are edited: all of it counts, or none of it. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { startReady } from "./_raw.ts";
import { scratch } from "./_scratch.ts";
import { unix } from "../_requirements.ts";

function config(...tools: (readonly [name: string, word: string])[]): string {
  return "name: say\ndescription: Says words\ncommand: echo\ntools:\n" +
    tools.map(([name, word]) => {
      return `  - name: ${name}\n    description: Say ${word}\n    command: "${word}"\n`;
    }).join("");
}

/** Writes a file as an editor does: a new file takes the place of the old one. */
async function put(path: string, text: string): Promise<void> {
  await Deno.writeTextFile(`${path}.new`, text);
  await Deno.rename(`${path}.new`, path);
}

/** A config and a policy that a server is to serve, in a folder of their own. */
async function writeServed() {
  const { path: dir, [Symbol.asyncDispose]: remove } = await scratch({
    "say.yaml": config(["one", "1"], ["two", "2"]),
    "policy.yaml": "default: enabled\n",
  });
  const files = { config: join(dir, "say.yaml"), policy: join(dir, "policy.yaml") };
  return { dir, ...files, [Symbol.asyncDispose]: remove };
}

const underPolicy = ({ config, policy }: { config: string; policy: string }) => {
  return [config, "--policy", policy, "--classic"];
};

unix.test("an edited config is served, and the client told", async () => {
  await using files = await writeServed();
  await using server = await startReady([files.config, "--classic"]);
  assert.equal((await server.call("one")).text, "1");
  await put(files.config, config(["one", "uno"], ["three", "3"]));
  await server.message(({ method }) => method === "notifications/tools/list_changed");
  const { result } = await server.request("tools/list");
  assert.deepEqual(result.tools.map(({ name }: { name: string }) => name), ["one", "three"]);
  assert.equal((await server.call("one")).text, "uno");
  assert.match((await server.call("two")).text, /^Unknown tool: two/);
});

unix.test("a broken edit is logged, and everything stays as it was", async () => {
  await using files = await writeServed();
  await using server = await startReady(underPolicy(files));
  await put(files.config, "tools: [");
  assert.equal((await server.call("one")).text, "1");
  await server.logged("The changes are not loaded: the previous configs and policy stay in use");
  await put(files.config, config(["one", "uno"]));
  await put(files.policy, "default: enabled\ndenny: [one]\n");
  // Two edits count together: the good one waits for the other
  assert.equal((await server.call("one")).text, "1");
  await put(files.policy, "default: enabled\n");
  assert.equal((await server.call("one")).text, "uno");
  await Deno.remove(files.config);
  assert.equal((await server.call("one")).text, "uno");
});

unix.test("a policy that cannot be read stops calls until it can, and audits that", async () => {
  await using files = await writeServed();
  const audit = join(files.dir, "audit.jsonl");
  await using server = await startReady([...underPolicy(files), "--audit", audit]);
  assert.equal((await server.call("one")).text, "1");
  await Deno.rename(files.policy, `${files.policy}.away`);
  const refused = await server.call("one");
  const reason = `the policy '${files.policy}' cannot be read any more: File not found`;
  assert.deepEqual(refused, { text: `Call refused: ${reason}`, isError: true });
  await server.logged(`No call is made: ${reason}`);
  // A broken policy allows no call
  await Deno.writeTextFile(files.policy, "nonsense: 1\n");
  assert.equal((await server.call("one")).isError, true);
  await put(files.policy, "default: enabled\ndeny: [two]\n");
  assert.equal((await server.call("one")).text, "1");
  const [, line] = (await Deno.readTextFile(audit)).trim().split("\n");
  const { decision, rule } = JSON.parse(line!);
  assert.deepEqual({ decision, rule }, { decision: "refused", rule: "policy cannot be read" });
});

unix.test("--no-watch serves what there was at the start", async () => {
  await using files = await writeServed();
  await using server = await startReady([...underPolicy(files), "--no-watch"]);
  await put(files.config, config(["one", "uno"]));
  await Deno.remove(files.policy);
  assert.equal((await server.call("one")).text, "1");
});

unix.test("a config that appears in front of the served one on the search path is not taken", async () => {
  await using files = await writeServed();
  await using served = await scratch();
  const words = ["coreutils", files.config, "--classic"];
  await using server = await startReady(words, { cwd: served.path });
  await Deno.mkdir(join(served.path, ".climax"));
  await Deno.writeTextFile(join(served.path, ".climax", "coreutils.yaml"), config(["evil", "x"]));
  await put(files.config, config(["one", "uno"]));
  assert.equal((await server.call("one")).text, "uno");
  assert.match((await server.call("evil")).text, /^Unknown tool/);
});

unix.test("a mounted ConfigMap that is exchanged by its link is seen", async () => {
  await using dir = await scratch();
  const version = async (name: string, word: string) => {
    await Deno.mkdir(join(dir.path, name));
    await Deno.writeTextFile(join(dir.path, name, "say.yaml"), config(["one", word]));
    await Deno.writeTextFile(join(dir.path, name, "policy.yaml"), "default: enabled\n");
    // As kubelet does it: the link to the newest folder is replaced at once
    await Deno.symlink(name, join(dir.path, "..data_tmp"));
    await Deno.rename(join(dir.path, "..data_tmp"), join(dir.path, "..data"));
  };
  await version("..2026_01", "1");
  for (const name of ["say.yaml", "policy.yaml"]) {
    await Deno.symlink(join("..data", name), join(dir.path, name));
  }
  const file = join(dir.path, "say.yaml");
  await using server = await startReady([
    file,
    "--policy",
    join(dir.path, "policy.yaml"),
    "--classic",
  ]);
  assert.equal((await server.call("one")).text, "1");
  await version("..2026_02", "2");
  await Deno.remove(join(dir.path, "..2026_01"), { recursive: true });
  assert.equal((await server.call("one")).text, "2");
});
