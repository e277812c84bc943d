/**
 * The commands of the README and the client entries of docs/clients.md work in a clone, started as
 * it stands there, and what a clone has to fetch for that.
 */

import assert from "node:assert/strict";
import { delimiter, dirname, join } from "node:path";
import { clients } from "../../../src/setup/clients.ts";
import { clientEntries } from "../../e2e/_client_entries.ts";
import { RawServer } from "../../e2e/_raw.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { environment, root } from "../../e2e/_server.ts";
import { unix } from "../../_requirements.ts";
import { spawn } from "../../_run.ts";

/** A command line as a client has it. */
interface Server {
  readonly command: string;
  readonly args: readonly string[];
}

/** The commands that docs/clients.md shows, by client. */
async function pasted(): Promise<Map<string, Server>> {
  const entries = await clientEntries();
  return new Map(entries.entries().map(([client, { text }]) => [client, serverIn(text)]));
}

/** The server in an entry: an object of JSON, or lines of TOML or YAML. */
function serverIn(text: string): Server {
  if (!text.startsWith("{")) {
    const field = (name: RegExp) => {
      return text.split("\n").map((line) => line.trim()).find((line) => name.test(line))!
        .replace(name, "");
    };
    const command = field(/^(?:command = |cmd: )/).replaceAll('"', "");
    return { command, args: JSON.parse(field(/^args(?: =|:) /)) };
  }
  const { mcpServers, servers, context_servers, mcp } = JSON.parse(text);
  const { command, args = [] } = (mcpServers ?? servers ?? context_servers ?? mcp).climax;
  const [program, ...more] = [command, args].flat();
  return { command: program, args: more };
}

/** Starts `server` with this Deno, and this clone in the place of the reader's. */
function start({ command, args }: Server, cwd: string, denoDir?: string): RawServer {
  const isLauncher = command === "/path/to/climax/climax";
  if (!isLauncher) assert.deepEqual([command, ...args.slice(0, 2)], ["npx", "-y", "deno@2.9.6"]);
  const [, , run, ...words] = args;
  const ownPath = [dirname(Deno.execPath()), Deno.env.get("PATH")].join(delimiter);
  const env = environment({
    DENO_NO_UPDATE_CHECK: "1",
    PATH: ownPath,
    ...(denoDir === undefined ? {} : { DENO_DIR: denoDir }),
  });
  const started = isLauncher
    ? [join(root, "climax"), ...args]
    : [Deno.execPath(), run!, "--cached-only", ...words];
  return new RawServer(spawn(started, { cwd, env }));
}

/** Finds and calls a tool of git. */
async function useGit(server: RawServer, cwd?: string): Promise<void> {
  assert.equal((await server.initialize()).result.serverInfo.name, "climax");
  const found = await server.call("climax_search", { query: "show the version of git" });
  assert.equal(found.isError, false);
  const args = { tool_name: "git_status", args: {} };
  const expected = cwd === root ? /^On branch |^HEAD detached / : /not a git repository/;
  assert.match((await server.call("climax_call", args)).text, expected);
}

/** The two commands under "From a clone". */
async function cloneCommands(): Promise<string[]> {
  const readme = await Deno.readTextFile(join(root, "README.md"));
  const [, section] = readme.split("\n## From a clone\n");
  const [, block] = /^```sh\n([^]*?)^```$/m.exec(section!)!;
  return block!.trimEnd().split("\n").filter((line) => !line.startsWith("#"));
}

/** The one that serves. */
async function firstCommand(): Promise<Server> {
  const [first] = await cloneCommands();
  const [command, ...args] = first!.split(" ");
  return { command: command!, args };
}

Deno.test("the README's two commands serve git and run the tests, with Node.js alone", async () => {
  const [, second, ...others] = await cloneCommands();
  assert.deepEqual(others, []);
  assert.equal(second, "npx -y deno@2.9.6 task test");
  await using server = start(await firstCommand(), root);
  await useGit(server, root);
});

unix.test("docs/clients.md has an entry for every client, and each starts", async () => {
  const servers = await pasted();
  assert.equal(servers.size, clients.length);
  // Many are the same, which one start shows then
  const different = new Map([...servers.values()].map((each) => [JSON.stringify(each), each]));
  await using dir = await scratch();
  for (const each of different.values()) {
    await using server = start(each, dir.path);
    await useGit(server);
    await server.closeInput();
    const { code, stderr } = await server.ended();
    assert.equal(code, 0);
    // The one line is that of the call that failed
    assert.match(stderr, /^\S+ warning: git_status: exited with 128 after \d+ ms\n$/);
  }
});
