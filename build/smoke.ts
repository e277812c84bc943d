/**
 * Whether an executable is a climax that works: starts it, lists its tools and calls one, over stdio
 * with the SDK's client. `deno task smoke [PROGRAM [ARGUMENT…]]`; without one, the binary that
 * `deno task compile` made.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

/** Git is on every machine that builds, and this tool needs no repository. */
const config = `name: smoke
command: git
tools:
  - name: git_version
    description: Print git's version
    command: --version
`;

/** Drives the program; what it says is left to stderr. @throws when it does not answer as it should */
export async function smoke(
  [command, ...args]: readonly [string, ...string[]],
): Promise<string> {
  const directory = await Deno.makeTempDir({ prefix: "climax-smoke-" });
  const client = new Client({ name: "smoke", version: "1.0.0" });
  try {
    const path = join(directory, "smoke.yaml");
    await Deno.writeTextFile(path, config);
    const env = Deno.env.toObject();
    const transport = new StdioClientTransport({ command, args: [...args, path], env });
    await client.connect(transport);
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(({ name }) => name), ["climax_search", "climax_call"]);
    const call = { name: "climax_call", arguments: { tool_name: "git_version" } };
    const { content, isError } = await client.callTool(call);
    const [block] = content as { text: string }[];
    assert.notEqual(isError, true, block?.text);
    assert.match(block!.text, /^git version \d/);
    return `${client.getServerVersion()?.version} lists its tools and calls one: ${block!.text}`;
  } finally {
    await client.close();
    await Deno.remove(directory, { recursive: true });
  }
}

if (import.meta.main) {
  const binary = Deno.build.os === "windows" ? "climax.exe" : "climax";
  const [program = join("dist", binary), ...args] = Deno.args;
  const said = await smoke([program, ...args]);
  Deno.stdout.writeSync(new TextEncoder().encode(`${program}: climax ${said}\n`));
}
