/** Which command lines start this program, and what ends one that starts itself. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { deeper, isClimax, refuseDepth } from "../../src/process/own_command.ts";
import { climaxProcess, ends } from "../cli/commands/_climax.ts";
import { startHttpProcess } from "../e2e/_http.ts";
import { scratch } from "../e2e/_scratch.ts";
import { climax as commandLine, fixture, root } from "../e2e/_server.ts";
import { freePort } from "../_free_port.ts";
import { ioOf } from "../_io.ts";
import { unix } from "../_requirements.ts";
import { sandboxed } from "../_sandbox.ts";
import { post } from "../server/http/_server.ts";
import { setIo } from "../../src/io.ts";

const lines: readonly (readonly [line: string, is: boolean])[] = [
  ["climax git", true],
  ["/opt/bin/climax run git", true],
  ["C:\\tools\\climax.exe git", true],
  ["/opt/climax-0.9.0-linux-x64 git", true],
  ["npx -y climax-mcp git", true],
  ["npx -y climax-mcp@0.9.0 git", true],
  ["npx -y -p climax-mcp climax git", true],
  ["npm exec --yes -- climax-mcp git", true],
  ["cmd /c npx -y climax-mcp git", true],
  ["pnpm dlx climax-mcp", true],
  ["bunx climax-mcp", true],
  ["deno run -A npm:climax-mcp git", true],
  ["node /usr/lib/node_modules/climax-mcp/climax.mjs git", true],
  ["deno run -qP ROOT/main.ts git", true],
  ["ROOT/climax git", true],
  ["env -i PATH=/bin FOO=1 climax git", true],
  ["/usr/bin/env -S climax git", true],
  ["nice -n 5 timeout 60s /opt/climax git", true],
  ["docker run -i --rm -v /a:/b ghcr.io/me/climax:1.2 git", true],
  ["podman exec -i climax climax git", true],
  // Others that only name it
  ["npx -y @modelcontextprotocol/server-filesystem /home/me/climax", false],
  ["uvx mcp-server-git --repository /home/me/climax", false],
  ["docker run -i -v /home/me/climax:/work mcp/filesystem /work", false],
  ["docker run -i mcp/git --repository /home/me/climax", false],
  ["node server.js climax", false],
  ["deno run -A /x/main.ts", false],
  ["python3 climax.py", false],
  ["npx climaxing", false],
  ["env", false],
  ["", false],
];

for (const [line, is] of lines) {
  Deno.test(`isClimax() says ${is} of: ${line}`, () => {
    assert.equal(isClimax(line.split(" ").map((word) => word.replace("ROOT/", root))), is);
  });
}

Deno.test("a server is one deeper than what starts it, and the third level is refused", () => {
  for (
    const [given, next, refused] of [
      [undefined, "1", false],
      ["", "1", false],
      ["many", "1", false],
      ["-3", "1", false],
      ["1", "2", false],
      ["2", "3", true],
      ["999", "1000", true],
    ] as const
  ) {
    const env = given === undefined ? {} : { CLIMAX_DEPTH: given };
    const before = setIo(ioOf({ write: () => {}, env, cwd: Deno.cwd(), stdin: "" }));
    try {
      assert.deepEqual(deeper(), { CLIMAX_DEPTH: next });
      if (refused) assert.throws(refuseDepth, { exitCode: 5 });
      else refuseDepth();
    } finally {
      setIo(before);
    }
  }
});

/** Starts this program in a way that no list of words knows, and counts. */
const hidden = (file: string, line: readonly string[]) =>
  `#!/bin/sh\necho started >> ${file}\nexec ${line.map((word) => `'${word}'`).join(" ")}\n`;

Deno.test({
  name: "a file whose entries hide that they are climax ends at the third level",
  ignore: Deno.build.os === "windows",
}, async () => {
  await using dir = await scratch();
  const [file, count, script] = ["mcp.json", "count", "start"].map((name) => join(dir.path, name));
  const own = commandLine("run", "--mcp", file!, "--log-level", "info");
  await Deno.writeTextFile(script!, hidden(count!, own));
  await Deno.chmod(script!, 0o755);
  const server = {
    command: "/bin/sh",
    args: ["-c", `exec ${script}`],
    env: { CLIMAX_DEPTH: "0" },
  };
  await Deno.writeTextFile(file!, JSON.stringify({ mcpServers: { a: server } }));
  const { stdout } = await ends(climaxProcess(["list", "--mcp", file!], { cwd: dir.path }), {
    code: 0,
  });
  assert.match(stdout, /climax_search/);
  // The second level runs, and the third ends at once; it may be tried again
  const started = (await Deno.readTextFile(count!)).trim().split("\n").length;
  assert.ok(started >= 2 && started <= 6, `${started}`);
  const env = { CLIMAX_DEPTH: "2" };
  await ends(climaxProcess(["list", "--mcp", file!], { cwd: dir.path, env }), {
    code: 5,
    stderr: /climax starts itself.*\n {2}hint: Remove the server that starts climax/,
  });
});

Deno.test("a client's file is read without its entries of climax", async () => {
  const probe = fixture("upstream/server.ts");
  await using dir = await scratch({
    "mcp.json": JSON.stringify({
      mcpServers: {
        tools: { command: "npx", args: ["-y", "climax-mcp", "git"] },
        mine: { command: "deno", args: ["run", "-qP", `${root}main.ts`, "git"] },
        box: { command: "docker", args: ["run", "-i", "ghcr.io/me/climax:1", "git"] },
        path: { command: `${root}climax`, args: ["git"] },
        other: { command: "a-program-that-is-not-there", args: [probe] },
      },
    }),
  });
  const file = join(dir.path, "mcp.json");
  for (const command of [["list"], ["search", "x"], ["validate"], ["doctor"]]) {
    const { stdout, stderr } = await climaxProcess([...command, "--mcp", file], { cwd: dir.path });
    const said = stdout + stderr;
    for (const name of ["tools", "mine", "box", "path"]) {
      assert.match(said, new RegExp(`'${name}' is left out: it is climax itself`), command[0]);
    }
    assert.doesNotMatch(said, /'other' is left out/);
  }
});

Deno.test("a server over HTTP that is its own server is told so", async () => {
  const port = freePort();
  await using dir = await scratch({
    "mcp.json": JSON.stringify({
      mcpServers: { me: { type: "http", url: `http://localhost:${port}/mcp` } },
    }),
  });
  const args = ["git", "--classic", "--mcp", join(dir.path, "mcp.json")];
  const env = { CLIMAX_CACHE_DIR: join(dir.path, "cache") };
  await using server = startHttpProcess([...args, "--http", `127.0.0.1:${port}`], env);
  const url = await server.url();
  const list = async () => (await (await post(url, "tools/list")).json()).result.tools;
  await list();
  await server.logged(/'me' .*climax is a server of itself: remove it from the files/);
  const names = (await list()).map(({ name }: { name: string }) => name);
  assert.ok(names.includes("git_status"));
  assert.deepEqual(names.filter((name: string) => name.startsWith("me__")), []);
});

for (
  const [where, tests, more] of [
    ["with few variables", unix, { env: { CLIMAX_DEPTH: "0" } }],
    ["in a sandbox", sandboxed, { sandbox: {} }],
  ] as const
) {
  tests.test(`a server ${where} is told how deep it is`, async () => {
    const server = {
      ...{ name: "a", transport: "stdio", command: "sh" },
      args: ["-c", "printenv CLIMAX_DEPTH >&2; exit 1"],
      ...more,
    };
    await using dir = await scratch({
      "climax.json": JSON.stringify({ version: "1.0.0", mcpServers: [server] }),
    });
    const args = ["list", "--mcp", join(dir.path, "climax.json")];
    const { stderr } = await climaxProcess(args, { cwd: dir.path, env: { CLIMAX_DEPTH: "1" } });
    assert.match(stderr, /exit code 1: 2\n/);
  });
}
