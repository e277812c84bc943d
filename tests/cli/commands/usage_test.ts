/** The command line as such: help, version, and what is said about words it does not know. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { scratch } from "../../e2e/_scratch.ts";
import { climax, ends } from "./_climax.ts";

Deno.test("climax version --json prints the same for a script", async () => {
  const { stdout } = await ends(climax(["version", "--json"]), { code: 0 });
  const { mcp, ...read } = JSON.parse(stdout);
  assert.deepEqual(Object.keys(read), ["version", "deno", "v8", "built"]);
  const text = (await climax(["--version"])).stdout;
  assert.ok(text.startsWith(`climax ${read.version}\ndeno ${read.deno}, v8 ${read.v8}\n`), text);
  assert.match(text, new RegExp(`^mcp ${mcp.join(", ")}\nbuilt as ${read.built}$`, "m"));
});

Deno.test("climax --help prints in 25 lines what one does first, and where the rest is", async () => {
  const { stdout, stderr } = await ends(climax(["--help"]), { code: 0, stderr: "" });
  assert.ok(stdout.trimEnd().split("\n").length <= 25, stdout);
  assert.match(stdout, /^Start here:\n {2}try .*\n {2}search .*\n {2}connect /m);
  assert.match(stdout, /'climax help --all'/);
  assert.deepEqual(stdout.split("\n").filter((line) => line.length > 60), []);
  assert.deepEqual(await climax([]), { code: 2, stdout: stderr, stderr: stdout });
});

for (const word of ["policy", "token"]) {
  Deno.test(`climax ${word} shows its commands, as its help does`, async () => {
    const { code, stdout, stderr } = await ends(climax(["help", word]), { code: 0, stderr: "" });
    assert.ok(stdout.startsWith(`Usage: climax ${word} COMMAND`), stdout);
    assert.match(stdout, new RegExp(`^  ${word} \\w+ {2}`, "m"));
    for (const flag of ["--help", "-h"]) {
      assert.deepEqual(await climax([word, flag]), { code, stdout, stderr });
    }
    assert.deepEqual(await climax([word]), { code: 2, stdout: "", stderr: stdout });
  });
}

const originals: readonly (readonly [line: string, stderr: RegExp])[] = [
  ["git --transport sse", /--transport must be stdio or streamable-http, found 'sse'\n.*--http/],
  ["git --port 9000", /--transport must be stdio or streamable-http/],
  [
    "--host=0.0.0.0 git --transport streamable-http --port 9",
    /read as --http 0\.0\.0\.0:9\n.*Refusing/,
  ],
  [
    "git --host ::1 --transport=streamable-http --clients x",
    /--http \[::1\]:8000\n.*--clients requires/,
  ],
  ["run git --transport stdio --port 1 --http", /'--http <address>' argument missing/],
  ["git --headless-approve", /no person is there\n.*climax approve/],
  ["test-dialog", /No command .*\n.*climax approve/],
  [
    "init --preserve-servers --detect-agents --no-add-to-agent --model",
    /its old flags do nothing\n.*argument missing/,
  ],
  ["list --port 1", /Unknown option '--port'/],
];

for (const [line, stderr] of originals) {
  Deno.test(`climax ${line}, as the original takes it`, async () => {
    await ends(climax(line.split(" ")), { code: 2, stderr });
  });
}

Deno.test("climax connect takes the place of the original in a client", async () => {
  for (
    const words of [["climax", "run", "git", "--transport", "stdio"], [
      ...["uvx", "--from", "climax-mcp", "climax", "git", "--transport=stdio", "--port", "9"],
    ]]
  ) {
    const [command, ...args] = words;
    await using dir = await scratch({ ".mcp.json": { mcpServers: { climax: { command, args } } } });
    const connect = ["connect", "claude-code", "jq", "--scope", "project", "--yes"];
    const env = { HOME: dir.path, USERPROFILE: dir.path };
    const stderr = "  hint: climax log shows what it calls\n";
    await ends(climax(connect, { cwd: dir.path, env }), { code: 0, stderr });
    const written = JSON.parse(await Deno.readTextFile(join(dir.path, ".mcp.json")));
    assert.deepEqual(written.mcpServers.climax.args.slice(-2), ["git", "jq"]);
    assert.equal(written.mcpServers.climax.args.includes("climax"), false);
  }
});
