/** `climax run`: how it is called, and that a broken config is never half-served. */

import assert from "node:assert/strict";
import { scratch } from "../../e2e/_scratch.ts";
import { fixture } from "../../e2e/_server.ts";
import { climax, ends } from "./_climax.ts";

const probe = fixture("probe.yaml");

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
