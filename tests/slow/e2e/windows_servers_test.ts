/** MCP servers over stdio as Windows starts them: more than one runtime of Deno has threads for, and by npx, a batch file. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { fixturePath } from "../../_fixtures.ts";
import { programs } from "../../_requirements.ts";
import { configText, type ServerSketch } from "../../_upstream.ts";
import { isAlive, pidIn, until, untilGone } from "../../_wait.ts";
import { startReady } from "../../e2e/_raw.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { fixture } from "../../e2e/_server.ts";

const script = fixturePath("upstream", "small_server.mjs");
const isWindows = Deno.build.os === "windows";

/** Calls the tool of each of `servers` at once, with a program beside; then they have ended. */
async function useAll(servers: readonly ServerSketch[], folder: string): Promise<void> {
  const config = join(folder, "servers.json");
  await Deno.writeTextFile(config, configText(servers));
  await using server = await startReady(["--mcp", config, fixture("probe.yaml")], { cwd: folder });
  const texts = await Promise.all([
    ...servers.map(({ name }) => ({ tool_name: `${name}__say`, args: { text: `I am ${name}` } })),
    { tool_name: "probe_stdin", args: { text: "beside" } },
  ].map((call) =>
    until(async () => {
      const { text } = await server.call("climax_call", call);
      return /Its tools are not known until it answers/.test(text) ? undefined : text;
    }, call.tool_name)
  ));
  assert.deepEqual(texts, [...servers.map(({ name }) => `I am ${name}`), "beside"]);
  const pids = await Promise.all(servers.map(({ name }) => pidIn(join(folder, name))));
  for (const pid of pids) assert.equal(isAlive(pid), true);
  await server.closeInput();
  await server.ended();
  await untilGone(...pids);
}

Deno.test("ten servers over stdio answer while a program runs, and end with climax", async () => {
  await using dir = await scratch();
  const names = Array.from({ length: 10 }, (_, index) => `s${index}`);
  await useAll(
    names.map((name) => {
      const args = ["run", "--no-config", "--allow-write", script, join(dir.path, name)];
      return { name, transport: "stdio", command: Deno.execPath(), args };
    }),
    dir.path,
  );
});

Deno.test("a server that npx starts, a batch file there, answers and ends with climax", {
  ...await programs({ [isWindows ? "npx.cmd" : "npx"]: ["--version"] }),
}, async () => {
  const manifest = { name: "small-server", version: "1.0.0", bin: "small_server.mjs" };
  await using dir = await scratch({ "package/package.json": JSON.stringify(manifest) });
  const pack = join(dir.path, "package");
  await Deno.writeTextFile(
    join(pack, "small_server.mjs"),
    `#!/usr/bin/env node\n${await Deno.readTextFile(script)}`,
  );
  const npm = new Deno.Command(isWindows ? "npm.cmd" : "npm", { args: ["pack"], cwd: pack });
  assert.equal((await npm.output()).success, true);
  // As the documents of servers have it, with a file in place of a name
  const archive = join(pack, "small-server-1.0.0.tgz");
  const args = ["-y", "--package", archive, "small-server", join(dir.path, "small")];
  await useAll([{ name: "small", transport: "stdio", command: "npx", args }], dir.path);
});
