/** `climax list`: tables for people, JSON for scripts. */

import assert from "node:assert/strict";
import { fixture } from "../../e2e/_server.ts";
import { climax } from "./_climax.ts";

const probe = fixture("probe.yaml");

Deno.test("climax list without arguments lists the bundled configs", async () => {
  const { code, stdout, stderr } = await climax(["list"]);
  assert.deepEqual([code, stderr], [0, ""]);
  const rows = stdout.trimEnd().split("\n").map((line) => line.split(/ {2,}/));
  assert.deepEqual(rows[0], ["CONFIG", "TOOLS", "CATEGORY", "DESCRIPTION"]);
  assert.deepEqual(rows.slice(1).map(([name]) => name), ["claude", "coreutils", "docker", "git"]);
  for (const row of rows) assert.equal(row.length, 4, row.join());
});

Deno.test("climax list CONFIG lists its tools in columns", async () => {
  const { code, stdout } = await climax(["list", probe]);
  assert.equal(code, 0);
  const lines = stdout.trimEnd().split("\n");
  assert.equal(lines.length, 13);
  const column = lines[0]!.indexOf("DESCRIPTION");
  assert.equal(lines[1]!.indexOf("Print the arguments as JSON"), column);
  assert.ok(lines.every((line) => line === line.trimEnd()));
});

Deno.test("climax list --json is what search finds, however many tools there are", async () => {
  const { code, stdout } = await climax(["list", "git", probe, "--json"]);
  assert.equal(code, 0);
  const tools = JSON.parse(stdout);
  assert.ok(tools.length > 50);
  const search = await climax(["search", "probe_required", "--config", probe, "--json"]);
  const [entry] = JSON.parse(search.stdout).results;
  assert.deepEqual(tools.find((tool: typeof entry) => tool.tool_name === "probe_required"), entry);
});

Deno.test("climax list --json without arguments has the summary of each bundled config", async () => {
  const { stdout } = await climax(["list", "--json"]);
  const configs = JSON.parse(stdout);
  assert.deepEqual(Object.keys(configs[0]).toSorted(), [
    "category",
    "description",
    "name",
    "tags",
    "tool_count",
  ]);
  assert.equal(configs.length, 4);
});

Deno.test("climax list of a broken config is exit code 3 and nothing on stdout", async () => {
  const { code, stdout, stderr } = await climax(["list", fixture("broken_keys.yaml")]);
  assert.deepEqual([code, stdout], [3, ""]);
  assert.match(stderr, /:3:1: Unknown key 'categroy'/);
});
