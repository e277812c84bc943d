/**
 * The MCP Inspector's command line drives the server. Not part of `deno task test`, because npx
 * installs the Inspector first: `deno task inspector`.
 */

import assert from "node:assert/strict";
import { climax, environment, fixture } from "../tests/e2e/_server.ts";
import { within } from "../tests/_wait.ts";
import { scratch } from "../tests/e2e/_scratch.ts";

const npx = Deno.build.os === "windows" ? "npx.cmd" : "npx";

/** What the Inspector prints for one method, as JSON. */
async function inspect(serverArgs: readonly string[], ...options: string[]): Promise<unknown> {
  // Away from the project, so that npx looks at no package.json or node_modules of ours
  await using dir = await scratch();
  const server = climax("run", ...serverArgs);
  const command = new Deno.Command(npx, {
    args: ["-y", "@modelcontextprotocol/inspector", "--cli", ...server, ...options],
    cwd: dir.path,
    env: environment(),
    clearEnv: true,
    stdin: "null",
  });
  const { code, stdout, stderr } = await within(command.output(), "the Inspector", 5);
  const decoder = new TextDecoder();
  assert.equal(code, 0, decoder.decode(stderr));
  return JSON.parse(decoder.decode(stdout));
}

function names(listed: unknown): string[] {
  return (listed as { tools: { name: string }[] }).tools.map(({ name }) => name);
}

Deno.test("the Inspector lists the two tools of discovery", async () => {
  const listed = await inspect(["git"], "--method", "tools/list");
  assert.deepEqual(names(listed), ["climax_search", "climax_call"]);
});

Deno.test("the Inspector lists the tools of classic mode", async () => {
  const config = fixture("probe.yaml");
  const listed = await inspect([config, "--classic"], "--method", "tools/list");
  assert.equal(names(listed)[0], "probe_args");
});

Deno.test("the Inspector calls a tool in either mode, with the same result", async () => {
  const config = fixture("probe.yaml");
  const method = ["--method", "tools/call", "--tool-name"];
  const args = `args={"text":"two words","count":"7"}`;
  const toolArgs = ["--tool-arg", "tool_name=probe_args", "--tool-arg", args];
  const discovery = await inspect([config], ...method, "climax_call", ...toolArgs);
  assert.deepEqual(discovery, {
    content: [{ type: "text", text: `["two words","--count","7","-l","3"]` }],
    isError: false,
  });
  const direct = ["--tool-arg", "text=two words", "--tool-arg", "count=7"];
  const classic = await inspect([config, "--classic"], ...method, "probe_args", ...direct);
  assert.deepEqual(classic, discovery);
});
