/**
 * Checks that an executable is a working climax: starts it, lists its tools, calls one, and uses the parts
 * that each form of the program packs differently, workers and the libraries for language models.
 * `deno run -A build/smoke.ts [PROGRAM [ARGUMENT…]]`; by default the binary of `deno task compile`.
 */

import assert from "node:assert/strict";
import { join, resolve } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

type Words = readonly [program: string, ...args: string[]];

/** Every machine that builds has git, and these tools need no repository. */
function configText(large: string): string {
  return `name: smoke
command: git
tools:
  - name: git_version
    description: Print git's version
    command: --version
  - name: git_settings
    description: Print a large file of settings
    command: config --list
    argv: ["--file", ${JSON.stringify(large)}]
`;
}

/** Too many lines for one result, so that they are stored, and for a search on the main thread. */
const settings = Array.from({ length: 30_000 }, (_, at) => `\tkey${at} = value`);

/** Drives the program, whose stderr is inherited. @throws when an answer is not as expected */
export async function smoke(words: Words): Promise<string> {
  const directory = await Deno.makeTempDir({ prefix: "climax-smoke-" });
  try {
    const path = join(directory, "smoke.yaml");
    const large = join(directory, "large.ini");
    await Deno.writeTextFile(large, `[smoke]\n${settings.join("\n")}\n`);
    await Deno.writeTextFile(path, configText(large));
    const said = await useTools(words, path);
    await askModel(words, directory);
    return said;
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

async function useTools([command, ...args]: Words, config: string): Promise<string> {
  const client = new Client({ name: "smoke", version: "1.0.0" });
  const call = async (tool_name: string, args: Record<string, unknown> = {}) => {
    const request = { name: "climax_call", arguments: { tool_name, args } };
    const { content, isError } = await client.callTool(request);
    const [block] = content as { text: string }[];
    assert.notEqual(isError, true, block?.text);
    return block!.text;
  };
  try {
    const env = Deno.env.toObject();
    const transport = new StdioClientTransport({
      command,
      args: [...args, "run", config, "--scripts"],
      env,
    });
    await client.connect(transport);
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(({ name }) => name), ["climax_search", "climax_call"]);
    const version = await call("git_version");
    assert.match(version, /^git version \d/);
    const [, id] = /output_read \{"id": "(\w+)"/.exec(await call("git_settings")) ?? [];
    // Longer than outputs that are searched without a worker
    const found = await call("output_search", { id, pattern: "key12345=", context: 0 });
    assert.match(found, /^12346: smoke\.key12345=value\n/);
    const code = 'return (await call("git_version")).text.trimEnd()';
    assert.equal(await call("script_run", { code }), version);
    return `${client.getServerVersion()?.version} lists its tools and calls one: ${version}`;
  } finally {
    await client.close();
  }
}

/** Has the program ask a language model in this process, which accepts no key. */
async function askModel([command, ...args]: Words, directory: string): Promise<void> {
  await using model = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => {
    return Response.json({ type: "error", error: { message: "smoke" } }, { status: 401 });
  });
  const endpointOverride = `http://127.0.0.1:${model.addr.port}`;
  const project = {
    version: "1.0.0",
    mcpServers: [],
    cliConfigs: ["git"],
    llmProvider: { type: "anthropic", endpointOverride },
  };
  await Deno.writeTextFile(join(directory, "tamamo-x.config.json"), JSON.stringify(project));
  const settings = { XDG_CONFIG_HOME: directory, APPDATA: directory };
  const run = async (...words: string[]) => {
    const { stderr } = await new Deno.Command(resolved(command), {
      args: [...args.map(resolved), ...words],
      cwd: directory,
      env: { ANTHROPIC_API_KEY: "smoke", NO_COLOR: "1", ...settings },
      stdin: "null",
    }).output();
    return new TextDecoder().decode(stderr);
  };
  await run("trust", "--all", "--yes");
  const said = await run("build");
  assert.match(said, /does not accept the credential \(401\)/, said);
}

/** Makes a relative path absolute; other words stay. */
function resolved(word: string): string {
  return /^[^-].*[\\/]/.test(word) ? resolve(word) : word;
}

if (import.meta.main) {
  const binary = Deno.build.os === "windows" ? "climax.exe" : "climax";
  const [program = join("dist", binary), ...args] = Deno.args;
  const said = await smoke([program, ...args]);
  Deno.stdout.writeSync(new TextEncoder().encode(`${program}: climax ${said}\n`));
}
