/** `climax run`: how it is called, and that a broken config is never half-served. */

import assert from "node:assert/strict";
import { scratch } from "../../e2e/_scratch.ts";
import { fixture } from "../../e2e/_server.ts";
import { climax, ends } from "./_climax.ts";

const probe = fixture("probe.yaml");
const fixtures = fixture("");

const list = [
  {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "test", version: "1.0.0" },
    },
  },
  { jsonrpc: "2.0", method: "notifications/initialized" },
  { jsonrpc: "2.0", id: 2, method: "tools/list" },
].map((message) => `${JSON.stringify(message)}\n`).join("");

/** The names that `tools/list` has. */
function toolNames(stdout: string): string[] {
  const answer = stdout.trim().split("\n").map((line) => JSON.parse(line)).find(({ id }) =>
    id === 2
  );
  return answer.result.tools.map(({ name }: { name: string }) => name);
}

for (
  const [args, first] of [
    [["run", probe], "climax_search"],
    [[probe], "climax_search"],
    [["run", probe, "--classic"], "probe_args"],
    [["run", "--classic", probe], "probe_args"],
    [[probe, "--classic"], "probe_args"],
    [["--classic", probe], "probe_args"],
    [["coreutils", "--classic"], "ls"],
    [["--log-level", "error", "--classic", probe, "coreutils"], "probe_args"],
    [[probe, "--log-level=info", "coreutils", "--classic"], "probe_args"],
  ] as [string[], string][]
) {
  const shown = args.map((word) => word === probe ? "probe.yaml" : word).join(" ");
  Deno.test(`climax ${shown}`, async () => {
    const { stdout } = await ends(climax(args, { stdin: list }), { code: 0 });
    assert.equal(toolNames(stdout)[0], first);
  });
}

Deno.test("climax run expands variables of the command, and names one that is not set", async () => {
  const config = "name: v\ncommand: $CLIMAX_TEST_PROGRAM\ntools:\n  - name: v\n";
  await using dir = await scratch({ "v.yaml": config });
  const ran = await climax(["run", "v.yaml"], { cwd: dir.path, stdin: list });
  assert.equal(ran.code, 3);
  assert.match(ran.stderr, /^v\.yaml:2:1: 'command': variable \$CLIMAX_TEST_PROGRAM is not set$/m);

  const env = { CLIMAX_TEST_PROGRAM: "some program" };
  const args = ["call", "v", "--config", "v.yaml", "--dry-run", "--json"];
  const dry = await climax(args, { cwd: dir.path, env });
  assert.deepEqual(JSON.parse(dry.stdout).argv, ["some program"]);
});

Deno.test("climax run reports every problem of every config, and serves nothing", async () => {
  const configs = ["broken_keys.yaml", "broken_values.yaml", "probe.yaml", "./broken_syntax.txt"];
  const ran = await climax(["run", ...configs, "none.yaml"], { cwd: fixtures, stdin: list });
  assert.equal(ran.code, 3);
  assert.equal(ran.stdout, "");
  const places = ran.stderr.split("\n").filter((line) => /\.(?:yaml|txt):/.test(line))
    .map((line) => line.split(": ")[0]).toSorted();
  assert.deepEqual(places, [
    ...["./broken_syntax.txt:5:1", "broken_keys.yaml:10:9", "broken_keys.yaml:3:1"],
    ...["broken_keys.yaml:8:9", "broken_keys.yaml:9:9", "broken_values.yaml:10:9"],
    ...["broken_values.yaml:5:5", "broken_values.yaml:9:9", "none.yaml"],
  ]);
  assert.match(ran.stderr, /^broken_keys\.yaml:3:1: Unknown key 'categroy'$/m);
  assert.match(ran.stderr, /^error: Nothing was loaded: 9 problems$/m);
});

Deno.test("climax run merges configs; of two tools with one name the last is served", async () => {
  const config = (program: string) =>
    `name: ${program}\ncommand: ${program}\ntools:\n  - name: same\n    description: ${program}\n`;
  await using dir = await scratch({ "a.yaml": config("first"), "b.yaml": config("second") });
  const args = ["run", "a.yaml", "b.yaml", "--classic"];
  const { stdout, stderr } = await ends(climax(args, { cwd: dir.path, stdin: list }), { code: 0 });
  assert.deepEqual(toolNames(stdout), ["same"]);
  assert.match(stdout, /"description":"second"/);
  assert.match(
    stderr,
    /warning: b\.yaml:4:5: Tool 'same' is defined again; .*\n.*Not used: the one at a\.yaml:4:5/,
  );
});
