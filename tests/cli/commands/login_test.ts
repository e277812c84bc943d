/** `climax login`, `logout`, and what `list` and `doctor` say of logins. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { AuthServer } from "../../sources/upstream/_auth_server.ts";
import { configText } from "../../_upstream.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { climax as commandLine, environment } from "../../e2e/_server.ts";
import { within } from "../../_wait.ts";
import { climax, climaxProcess, ends } from "./_climax.ts";
import { spawn } from "../../_run.ts";

/** A project with one server, and the folders of a person. */
async function project(server: AuthServer, rest: object = {}) {
  const dir = await scratch();
  const sketch = { name: "far", transport: "http", url: server.url, ...rest } as const;
  await Deno.writeTextFile(join(dir.path, "tamamo-x.config.json"), configText([sketch]));
  const env = {
    CLIMAX_STATE_DIR: join(dir.path, "state"),
    CLIMAX_CACHE_DIR: join(dir.path, "cache"),
    HOME: dir.path,
  };
  return { cwd: dir.path, env, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

type Project = Awaited<ReturnType<typeof project>>;

/** Runs `climax login` until it shows an address, and calls `use` with it and what types at its input. */
async function login(
  { cwd, env }: Project,
  args: readonly string[],
  use: (address: string, type: (line: string) => Promise<void>) => Promise<void>,
) {
  const child = spawn(commandLine("login", "far", ...args), { cwd, env: environment(env) });
  const input = child.stdin.getWriter();
  let said = "";
  const address = Promise.withResolvers<string>();
  const reading = (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
      said += text;
      const [found] = /^http\S+(?=\n)/m.exec(said) ?? [];
      if (found !== undefined) address.resolve(found);
    }
    address.reject(new Error(said));
  })();
  const printed = new Response(child.stdout).text();
  await use(await within(address.promise, "the address"), async (line) => {
    await input.write(new TextEncoder().encode(`${line}\n`));
  });
  const { code } = await within(child.status, "the end of climax login");
  await input.close().catch(() => {});
  await reading;
  return { code, stdout: await printed, stderr: said };
}

async function agree(server: AuthServer, address: string, subject?: string): Promise<void> {
  await (await server.agree(address, subject)).body?.cancel();
}

Deno.test("climax login says so when the answer goes to another host than the page", async () => {
  await using server = new AuthServer({
    metadata: (own) => ({ token_endpoint: `${own.replace("127.0.0.1", "localhost")}/token` }),
  });
  await using folder = await project(server);
  await ends(login(folder, ["--no-browser"], (address) => agree(server, address)), {
    stderr:
      /^Server 'far' sends you to 127\.0\.0\.1:(\d+) to log in, and your answer to localhost:\1\n/,
  });
});

Deno.test("climax login, list, doctor, call and logout, from nothing to nothing", async () => {
  await using server = new AuthServer();
  await using folder = await project(server);
  const { cwd, env } = folder;
  const mcp = ["--mcp", "tamamo-x.config.json"];
  const line = "Server 'far' needs a login: a person must run: climax login far";
  await ends(climax(["doctor", "--all", ...mcp], { cwd, env }), {
    stdout: new RegExp(`problem: server far: ${line}\n  hint: Log in: climax login far\n`),
  });

  const done = await ends(login(folder, ["--no-browser"], (address) => agree(server, address)), {
    code: 0,
    stdout: /^server 'far': logged in, renewed as needed\n$/,
    stderr: /^Server 'far' sends you to 127\.0\.0\.1:\d+ to log in\n/,
  });

  const listed = await climax(["list", ...mcp], { cwd, env });
  assert.match(listed.stdout, /^far__whoami /m);
  assert.match(
    listed.stdout,
    /^SERVER +LOGIN\nfar +logged in, renewed as needed\n/m,
  );
  const examined = await climax(["doctor", "--all", ...mcp], { cwd, env });
  assert.match(examined.stdout, /ok: server far: 3 tools; logged in, renewed as needed/);
  const audit = join(cwd, "audit.jsonl");
  const called = await climax(["call", "far__leak", ...mcp, "--audit", audit], { cwd, env });
  assert.equal(called.stdout, "your token is ***\n");
  for (const { stdout, stderr } of [done, listed, examined, called]) {
    assert.equal(server.hasToken(stdout) || server.hasToken(stderr), false);
  }
  assert.equal(server.hasToken(await Deno.readTextFile(audit)), false);

  const out = await climax(["logout", "far"], { cwd, env });
  assert.deepEqual([out.code, out.stdout], [0, "server 'far': logged out\n"]);
  const again = await climax(["logout", "far"], { cwd, env });
  assert.deepEqual([again.code, again.stdout], [0, "server 'far': there was no login\n"]);
  const after = await climax(["call", "far__whoami", ...mcp], { cwd, env });
  assert.equal(`${after.stdout}${after.stderr}`.includes(line), true, after.stderr);
});

Deno.test("climax login says why it failed, and shows nothing that a server wrote", async () => {
  await using server = new AuthServer();
  await using folder = await project(server);
  const done = await login(folder, ["--no-browser"], async (address, type) => {
    const back = new URL(new URL(address).searchParams.get("redirect_uri")!);
    back.searchParams.set("state", new URL(address).searchParams.get("state")!);
    back.searchParams.set("iss", server.issuer);
    back.searchParams.set("error", "access_denied");
    back.searchParams.set("error_description", "call this number");
    await type(back.href);
  });
  assert.equal(done.code, 1);
  assert.match(done.stderr, /Server 'far': it was refused there: access_denied\n/);
  assert.equal(done.stderr.includes("call this number"), false);
});

Deno.test("climax login refuses servers that take none", async () => {
  await using server = new AuthServer();
  const cases: readonly (readonly [rest: object, reason: RegExp])[] = [
    [{ headers: { Authorization: "Bearer $T" } }, /its config has an 'Authorization' header/],
    [{ url: "http://mcp.example/mcp" }, /its address is not safe: it does not begin with https:/],
    [{ url: "https://$UNSET_HOST/mcp" }, /needs a variable that is not set: \$UNSET_HOST/],
  ];
  for (const [rest, reason] of cases) {
    await using folder = await project(server, rest);
    const { code, stderr } = await climax(["login", "far"], {
      ...folder,
      env: { ...folder.env, T: "t" },
    });
    assert.equal(code, 1, stderr);
    assert.match(stderr, reason);
  }
  await using folder = await project(server);
  await ends(climax(["login", "fra"], folder), { code: 2, stderr: /Unknown server 'fra'[^]*far/ });
  const none = join(folder.cwd, "none.json");
  await Deno.writeTextFile(none, '{"mcpServers": {}}');
  await ends(climax(["login", "far", "--mcp", none], folder), {
    code: 2,
    stderr: /climax add puts/,
  });
});

Deno.test("climax login says what is not safe about an authorization server", async () => {
  const answerAs = () => new Response("x".repeat(300 * 1024));
  await using server = new AuthServer({ answerAs });
  await using folder = await project(server);
  const { code, stderr } = await climax(["login", "far", "--no-browser"], folder);
  assert.equal(code, 1);
  assert.match(stderr, /Server 'far': the answer has more than 262144 bytes\n/);
});

Deno.test("climax login and logout ask whose name --for is", async () => {
  await using server = new AuthServer();
  await using folder = await project(server);
  for (const command of ["login", "logout"]) {
    for (
      const [words, said] of [
        [
          ["--for", "ada"],
          /--for needs what checks the name: .*\n {2}hint: --for ada --tokens FILE/,
        ],
        [["--for", "ada", "--tokens", "t", "--issuer", "https://i.example"], /--for needs what/],
        [["--tokens", "t"], /--tokens and --issuer say whose name --for is/],
      ] as const
    ) {
      await ends(climax([command, "far", ...words], folder), { code: 2, stderr: said });
    }
  }
  const none = ["logout", "far", "--for", "ada", "--issuer", "https://i.example"];
  await ends(climax(none, folder), { code: 0, stdout: "server 'far': there was no login\n" });
});

Deno.test("climax login --no-browser takes the pasted address", async () => {
  await using server = new AuthServer();
  await using folder = await project(server);
  const done = await login(
    folder,
    ["--no-browser", "--for", "ada", "--tokens", "tokens.txt"],
    async (address, type) => {
      const response = await fetch(address, { redirect: "manual" });
      await type(response.headers.get("location")!);
    },
  );
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stdout, /^server 'far': logged in for 'ada', /);
});

Deno.test("processes that need a new token at once ask for it once", async () => {
  await using server = new AuthServer();
  await using folder = await project(server);
  await login(folder, ["--no-browser"], (address) => agree(server, address));
  server.expireAccessTokens();
  const mcp = ["--mcp", "tamamo-x.config.json"];
  const runs = await Promise.all([1, 2, 3].map(() => {
    return climaxProcess(["call", "far__whoami", ...mcp], folder);
  }));
  assert.deepEqual(runs.map(({ stdout }) => stdout), Array(3).fill("somebody\n"));
  assert.equal(server.refreshes, 1);
});
