/** `climax add` and `climax remove`: the servers of the project's file. */

import assert from "node:assert/strict";
import { ends } from "./_climax.ts";
import { type Home, withHome } from "./_home.ts";

function inFolder(
  use: (run: Home["run"], read: () => Promise<string>, path: string) => Promise<void>,
): Promise<void> {
  return withHome({}, ({ run, read, path }) => {
    return use(run, () => read("climax.json"), path("project", "climax.json"));
  });
}

const provider = { type: "anthropic", credentialSource: "env-var" };

Deno.test("climax add writes servers that are started and reached, and remove takes them out", async () => {
  await inFolder(async (run, read, path) => {
    const first = await run("add", "--yes", "files", "--", "npx", "-y", "server", "--root", ".");
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stdout, /^\+ {7}"name": "files",$/m);
    assert.match(first.stdout, /Wrote \S*climax\.json\nNext: climax trust files /);
    const header = ["--header", "Authorization: Bearer $TOKEN"];
    assert.equal((await run("add", "https://mcp.linear.app/sse", ...header, "--yes")).code, 0);
    assert.equal((await run("add", "s", "wss://x.org", "--yes")).code, 0);
    // As other clients have it: a URL is no program
    assert.equal(
      (await run("add", "web", "http://x.org/mcp", "--header", "a: b", "--yes")).code,
      0,
    );
    const text = await read();
    const plain = text.replaceAll(/^ *\/\/.*$/gm, "");
    const { mcpServers, llmProvider } = JSON.parse(plain);
    assert.equal(llmProvider, undefined);
    assert.deepEqual(mcpServers, [
      { name: "files", transport: "stdio", command: "npx", args: ["-y", "server", "--root", "."] },
      {
        name: "linear",
        transport: "http",
        url: "https://mcp.linear.app/sse",
        headers: { Authorization: "Bearer $TOKEN" },
      },
      { name: "s", transport: "websocket", url: "wss://x.org" },
      { name: "web", transport: "http", url: "http://x.org/mcp", headers: { a: "b" } },
    ]);
    for (const name of ["linear", "files", "s", "web"]) {
      await ends(run("remove", name, "--yes"), { code: 0 });
    }
    const left = await read();
    assert.match(left, /^ {2}"mcpServers": \[\]$/m);
    assert.match(left, /^ {2}\/\/ climax add NAME/m);
    // Without servers it can be read, and has nothing to build
    await ends(run("list", "--mcp", path), { code: 0, stderr: "" });
    const built = await run("build", path);
    assert.match(built.stderr, /expected at least 1 server[^]*hint: climax add NAME/);
  });
});

Deno.test("climax add moves a credential into a variable, and prints none", async () => {
  await inFolder(async (run, read) => {
    const words = ["--env", "GITHUB_TOKEN=hunter2", "--yes", "gh", "--", "npx", "-y", "gh-server"];
    const { stdout } = await ends(run("add", ...words), { code: 0 });
    assert.doesNotMatch(stdout + await read(), /hunter2/);
    assert.match(await read(), /"GITHUB_TOKEN": "\$\{GITHUB_TOKEN\}"/);
    assert.match(stdout, /^A credential does not belong in the file: set GITHUB_TOKEN where /m);
  });
});

for (
  const [args, said] of [
    [["add", "files", "--yes"], "'files' has no command line\n  hint: climax add files -- COMMAND"],
    [["add", "https://x.org", "--yes", "--", "x"], "A server with a URL has no command line"],
    [["add", "a", "--header", "x: y", "--yes", "--", "x"], "--header is for a server with a URL"],
    [["add", "a", "--env", "x", "--yes", "--", "x"], "--env takes NAME=VALUE, not 'x'"],
    [["add", "mine", "--yes", "--", "x"], "climax.json has a server 'mine' already"],
    [["add", "a", "--", "x"], "Not a terminal, so nothing was written"],
    [["remove", "mind", "--yes"], "no server 'mind'\n  hint: Did you mean: mine"],
    [["remove", "zzz", "--yes"], "no server 'zzz'\n  hint: It has: mine"],
  ] as [string[], string][]
) {
  Deno.test(`climax ${args.join(" ")} is refused, and writes nothing`, async () => {
    await inFolder(async (run, read, path) => {
      const mcpServers = [{ name: "mine", transport: "stdio", command: "x" }];
      const text = JSON.stringify({ version: "1.0.0", mcpServers, llmProvider: provider });
      await Deno.writeTextFile(path, text);
      const { stderr } = await ends(run(...args), { code: 2 });
      assert.ok(stderr.includes(said), stderr);
      assert.equal(await read(), text);
    });
  });
}
