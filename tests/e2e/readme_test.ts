/**
 * What the README tells people to paste into their clients, started as it stands there, and what a
 * clone has to fetch for that.
 */

import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { parse as parseToml } from "smol-toml";
import { RawServer } from "./_raw.ts";
import { scratch } from "./_scratch.ts";
import { environment, root } from "./_server.ts";

/** A command line as a client has it. */
interface Server {
  readonly command: string;
  readonly args: readonly string[];
}

/** The texts to paste in the README's table of clients, by client. */
async function pasted(): Promise<Map<string, string>> {
  const readme = await Deno.readTextFile(join(root, "README.md"));
  const [, section] = readme.split("## Add it to an MCP client\n");
  const rows = section!.split("\n## ")[0]!.matchAll(/^\| ([A-Z][\w ]+) \| .* \| (.+) \|$/gm);
  const texts = new Map<string, string>();
  let before = "";
  for (const [, client, text] of rows) {
    before = text === "the same" ? before : text!.replace(/^`(.*)`$/, "$1");
    texts.set(client!, before);
  }
  return texts;
}

/** The server in a text: a command line of a client's own, JSON or TOML. */
function serverIn(text: string): Server {
  const [, line] = text.split(" -- ");
  if (line !== undefined) {
    const [command, ...args] = line.split(" ");
    return { command: command!, args };
  }
  const settings = text.startsWith("{") ? JSON.parse(text) : parseToml(text);
  const servers = settings.mcpServers ?? settings.servers ?? settings.context_servers ??
    settings.mcp_servers;
  return servers.climax;
}

/** Starts `server` with this Deno in the place of npx, and this clone in that of the reader's. */
function start({ command, args }: Server, cwd: string, denoDir?: string): RawServer {
  assert.deepEqual([command, ...args.slice(0, 2)], ["npx", "-y", "deno@2.9.6"]);
  const words = args.slice(2).map((word) => word.replace("/path/to/climax/", root));
  const child = new Deno.Command(Deno.execPath(), {
    args: denoDir === undefined ? words : ["run", "--cached-only", ...words.slice(1)],
    cwd,
    env: environment({
      DENO_NO_UPDATE_CHECK: "1",
      ...(denoDir === undefined ? {} : { DENO_DIR: denoDir }),
    }),
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  return new RawServer(child);
}

/** Finds and calls a tool of git. */
async function useGit(server: RawServer): Promise<void> {
  const { result } = await server.initialize();
  assert.equal(result.serverInfo.name, "climax");
  const found = await server.call("climax_search", { query: "show the version of git" });
  assert.equal(found.isError, false);
  const args = { tool_name: "git_status", args: {} };
  assert.match((await server.call("climax_call", args)).text, /not a git repository/);
}

Deno.test("the README has a text for every client of its table, and each starts", async () => {
  const texts = await pasted();
  assert.deepEqual([...texts.keys()], [
    ...["Claude Code", "Claude Desktop", "Cursor", "Windsurf", "Gemini CLI", "VS Code", "Zed"],
    "Codex",
  ]);
  await using dir = await scratch();
  for (const text of new Set(texts.values())) {
    await using server = start(serverIn(text), dir.path);
    await useGit(server);
    await server.closeInput();
    const { code, stderr } = await server.ended();
    assert.equal(code, 0);
    // The one line is that of the call that failed
    assert.match(stderr, /^\S+ warning: git_status: exited with 128 after \d+ ms\n$/);
  }
});

/** Everything that serving programs fetches: neither language models, nor clients, nor tests. */
const served = [
  "@modelcontextprotocol/core",
  "@modelcontextprotocol/server",
  "argparse",
  "js-yaml",
  "leven",
  "stemmer",
  "zod",
];

Deno.test("a start from a clone needs few packages, and no registry when it has them", async () => {
  await using dir = await scratch();
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  const { npmCache } = JSON.parse(new TextDecoder().decode(stdout));
  const registry = "registry.npmjs.org";
  for (const name of served) {
    const from = join(npmCache, registry, name);
    await cp(from, join(dir.path, "npm", registry, name), { recursive: true });
  }
  const text = (await pasted()).get("Cursor")!;
  await using server = start(serverIn(text), dir.path, dir.path);
  await useGit(server);
  await server.closeInput();
  const { code, stderr } = await server.ended();
  assert.equal(code, 0, stderr);

  // The test can fail: what is not there is missed
  await Deno.remove(join(dir.path, "npm", registry, "leven"), { recursive: true });
  await using lacking = start(serverIn(text), dir.path, dir.path);
  const ended = await lacking.ended();
  assert.match(ended.stderr, /leven/);
});
