/** Every command that starts servers or says how they are started takes `--sandbox`. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { climax } from "../cli/commands/_climax.ts";
import { linux, programs, testsUnless } from "../_requirements.ts";
import { place, sandboxed } from "../_sandbox.ts";

const pythonServer = testsUnless(
  sandboxed.ignore || (await programs({ python3: ["--version"] })).ignore,
);

/** An MCP server that tries to leave a file beside its folder before it answers. */
const server = `import sys, json
try: open(sys.argv[1], "w").close()
except OSError: pass
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m: continue
    r = None
    if m["method"] == "initialize":
        r = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}
    elif m["method"] == "tools/list":
        r = {"tools": [{"name": "run", "description": "Run it", "inputSchema": {"type": "object"}}]}
    body = {"result": r} if r else {"error": {"code": -32601, "message": "no"}}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], **body}), flush=True)
`;

/** A project with that server in the home folder `path`. */
async function ground(path: string) {
  const beside = join(path, "beside");
  const cwd = join(path, "work");
  const project = {
    version: "1.0.0",
    mcpServers: [{
      name: "hostile",
      transport: "stdio",
      command: "python3",
      args: [join(path, "server.py"), beside],
    }],
    llmProvider: { type: "anthropic" },
  };
  await Deno.mkdir(cwd);
  await Deno.writeTextFile(join(path, "server.py"), server);
  await Deno.writeTextFile(join(cwd, "climax.json"), JSON.stringify(project));
  const run = async (...args: string[]) => {
    const env = { HOME: path, CLIMAX_CACHE_DIR: join(path, `cache-${crypto.randomUUID()}`) };
    return await climax(args, { cwd, env });
  };
  const isLeft = () => Deno.stat(beside).then(() => true, () => false);
  return { cwd, beside, run, isLeft };
}

const mcp = ["--mcp", "climax.json"];

/** The words of each command; what it prints has the tool, or what is named. */
const commands: readonly (readonly [words: readonly string[], says?: RegExp])[] = [
  [["call", "hostile__run", ...mcp, "--dry-run"], /"write":\["\."\]/],
  [["list", ...mcp]],
  [["search", "run it", ...mcp]],
  [["stats", ...mcp], /1 tool/],
  [["validate", ...mcp], /1 tool/],
  [["trust", "hostile", ...mcp, "--yes"], /accepted/],
  [["enrich", ...mcp, "--dry-run"]],
  [["build", "climax.json", "--offline"], /1 tool|1 group/],
];

// First: a sandbox that was made once is not tried again
linux.test("climax validate --sandbox says that no sandbox can be made", async () => {
  await using dir = await place();
  const bin = join(dir.path, "bin");
  await Deno.mkdir(bin);
  const env = { HOME: dir.path, PATH: bin };
  const { code, stdout, stderr } = await climax(["validate", "git", "--sandbox"], {
    cwd: dir.path,
    env,
  });
  assert.equal(code, 1);
  assert.match(stdout + stderr, /A sandbox cannot be made: bubblewrap \(bwrap\) is not on PATH/);
});

for (const [words, says = /hostile__run/] of commands) {
  pythonServer.test(`climax ${words[0]} --sandbox holds the servers that it starts`, async () => {
    await using dir = await place();
    const { run, isLeft, beside } = await ground(dir.path);
    const held = await run(...words, "--sandbox");
    assert.match(held.stdout + held.stderr, says);
    assert.equal(await isLeft(), false);
    // Without it the server does what it likes
    await run(...words);
    assert.equal(await isLeft(), true);
    await Deno.remove(beside);
  });
}

Deno.test("climax connect --sandbox has the client start a server that holds programs", async () => {
  await using dir = await place();
  const { run } = await ground(dir.path);
  for (const words of [["git"], ["--agents"]]) {
    const { stdout } = await run("connect", "cursor", ...words, "--print", "--sandbox");
    assert.match(stdout, /"--sandbox"/);
  }
});
