/** Logging in to MCP servers, and the tokens while calls run. */

import assert from "node:assert/strict";
import { shellWord } from "../../../src/text/shell_word.ts";
import { dirname, join } from "node:path";
import { loginPath, loginsAt } from "../../../src/sources/upstream/login/stored_login.ts";
import { Login } from "../../../src/sources/upstream/login/login.ts";
import { logOut } from "../../../src/sources/upstream/login/logins.ts";
import { UpstreamServer } from "../../../src/sources/upstream/server.ts";
import type { ServerSpec } from "../../../src/sources/upstream/spec.ts";
import { unixTest } from "../../_requirements.ts";
import { authForms, AuthServer } from "./_auth_server.ts";
import { environment, logInAt, stateFolderOfTest } from "./_login.ts";
import { deadlineMs } from "../../_wait.ts";

const definition = { name: "whoami", inputSchema: { type: "object" } } as const;

function connect(spec: ServerSpec, person?: string) {
  const server = new UpstreamServer(spec, {
    environment,
    login: Login.of(spec, { environment, person }),
  });
  return {
    list: async () => (await server.list()).definitions.map(({ name }) => name),
    async describe(name: string) {
      return (await server.list()).definitions.find((each) => each.name === name)?.description;
    },
    async call(name = "whoami"): Promise<string> {
      const asked = {
        definition: { ...definition, name },
        args: {},
        timeoutMs: deadlineMs(),
        caller: {},
      };
      const { content: [first] } = await server.call(asked);
      return first?.type === "text" ? first.text : "";
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

for (const form of authForms) {
  Deno.test(`a server is used after a login (${form}), until it is revoked`, async () => {
    using _state = stateFolderOfTest();
    await using server = new AuthServer({ form });
    const spec = server.spec();
    await logInAt(server, spec);
    await using far = connect(spec);
    assert.deepEqual(await far.list(), ["whoami", "write", "leak"]);
    assert.equal(await far.call(), "somebody");

    const line =
      /^Server 'far' has a login that has ended(?: or was revoked)?: a person must run: climax login far$/;
    server.expireAccessTokens();
    if (form !== "no refresh token") {
      const calls = await Promise.all(Array.from({ length: 12 }, () => far.call()));
      assert.deepEqual(calls, Array(12).fill("somebody"));
      assert.equal(server.refreshes, 1);
      server.revokeAll();
    }
    await assert.rejects(far.call(), { message: line });
    const before = server.asRequests.length;
    await assert.rejects(far.call(), { message: line });
    assert.equal(server.asRequests.length, before, "the end of a login is remembered");

    await logInAt(server, spec);
    assert.equal(await far.call(), "somebody");
    assert.equal(
      server.registrations,
      form === "registration" || form === "no refresh token" ? 2 : 0,
    );
  });
}

Deno.test("a token that its lifetime says has expired is renewed before it is sent", async () => {
  using _state = stateFolderOfTest();
  await using server = new AuthServer();
  const spec = server.spec();
  const lifetime = 3600 * 1000;
  let now = (await logInAt(server, spec)).expires! - lifetime;
  const login = Login.of(spec, { environment, now: () => now })!;
  const first = await login.token();
  assert.equal(await login.token(), first);
  now += lifetime;
  const tokens = await Promise.all(Array.from({ length: 12 }, () => login.token()));
  assert.equal(new Set(tokens).size, 1);
  assert.notEqual(tokens[0], first);
  assert.equal(server.refreshes, 1);
});

Deno.test("two processes that need a new token ask for it once", async () => {
  using _state = stateFolderOfTest();
  await using server = new AuthServer();
  const spec = server.spec();
  await logInAt(server, spec);
  const logins = [1, 2, 3].map(() => Login.of(spec, { environment })!);
  const token = (await logins[0]!.token())!;
  server.expireAccessTokens();
  assert.equal(new Set(await Promise.all(logins.map((login) => login.renew(token)))).size, 1);
  assert.equal(server.refreshes, 1);
});

Deno.test("without a login, an agent is told which person must do what", async () => {
  using _state = stateFolderOfTest();
  await using server = new AuthServer();
  const elsewhere = { file: "other dir/servers.json" };
  await using far = connect(server.spec());
  await assert.rejects(far.call(), {
    message: "Server 'far' needs a login: a person must run: climax login far",
  });
  await using other = connect(server.spec("far", elsewhere), "ada");
  await assert.rejects(other.call(), {
    message: "Server 'far' needs a login: a person who may log in for 'ada' must run: " +
      `climax login far --for ada --mcp ${shellWord(elsewhere.file)}`,
  });
});

Deno.test("more rights are asked of a person, and kept with those that there were", async () => {
  using _state = stateFolderOfTest();
  await using server = new AuthServer({ writeScope: "files:write" });
  const spec = server.spec("far", { auth: { scopes: ["files:read"] } });
  await logInAt(server, spec);
  await using far = connect(spec);
  assert.equal(await far.call(), "somebody");
  await assert.rejects(far.call("write"), {
    message: "Server 'far' wants more rights than its login has: a person who agrees must run: " +
      "climax login far --scope files:write",
  });
  const login = await logInAt(server, spec, { scopes: ["files:write"] });
  assert.equal(login.scope, "files:read files:write");
  assert.equal(await far.call("write"), "somebody");
});

Deno.test("a login has the rights that were asked for, where its token names none", async () => {
  using _state = stateFolderOfTest();
  await using server = new AuthServer({ omitsScope: true });
  const login = await logInAt(server, server.spec("far", { auth: { scopes: ["files:read"] } }));
  assert.equal(login.scope, "files:read");
  // As it was registered
  assert.equal(login.client.token_endpoint_auth_method, "none");
  assert.equal("scope" in await logInAt(server, server.spec("near")), false);
});

Deno.test("the file of a login is its owner's alone, whole, and without a variable's secret", async () => {
  using state = stateFolderOfTest();
  await using server = new AuthServer({ form: "preregistered" });
  const spec = server.spec();
  const { tokenEndpointAuthMethods } = await logInAt(server, spec);
  // A renewal sends a secret in one of these ways
  assert.deepEqual(tokenEndpointAuthMethods, ["none", "client_secret_basic"]);
  const path = loginPath({ server: "far", address: server.url })!;
  const folder = join(state.path, ".climax-logins");
  assert.equal(dirname(path), folder);
  const { mode } = await Deno.stat(path);
  if (Deno.build.os !== "windows") {
    assert.equal(mode! & 0o777, 0o600);
    assert.equal((await Deno.stat(folder)).mode! & 0o777, 0o700);
  }
  assert.equal((await Deno.readTextFile(path)).includes("hand-written-secret"), false);
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
  assert.deepEqual(names.filter((name) => !/\.json(?:\.lock)?$|^\.gitignore$/.test(name)), []);
});

unixTest("a login that other users can read, or put there, is not used", async () => {
  using _state = stateFolderOfTest();
  await using server = new AuthServer();
  await logInAt(server);
  const path = loginPath({ server: "far", address: server.url })!;
  await using far = connect(server.spec());
  const refused = async (reason: string) => {
    const message = `Server 'far' has a login that cannot be used (${reason}): ` +
      "a person must run: climax login far";
    await assert.rejects(far.call(), { message });
  };
  await Deno.chmod(path, 0o644);
  await refused("Other users may read it");
  await Deno.chmod(path, 0o600);
  await Deno.chmod(dirname(path), 0o770);
  await refused("Other users may write to its folder");
  assert.equal(server.mcpRequests.some(({ headers }) => headers.has("authorization")), false);
  await Deno.chmod(dirname(path), 0o700);
  assert.equal(await far.call(), "somebody");
});

Deno.test("a login is bound to the address of its server", async () => {
  using _state = stateFolderOfTest();
  await using server = new AuthServer();
  await using other = new AuthServer();
  await logInAt(server);
  await using far = connect(other.spec());
  await assert.rejects(far.call(), /needs a login/);
  assert.equal(other.mcpRequests.some(({ headers }) => headers.has("authorization")), false);
  // A copy of the file under the name of the other address is no login either
  const key = { server: "far", address: other.url };
  await Deno.copyFile(loginPath({ ...key, address: server.url })!, loginPath(key)!);
  await assert.rejects(far.call(), /needs a login/);
  assert.equal(other.mcpRequests.some(({ headers }) => headers.has("authorization")), false);
});

Deno.test("results and messages do not have the token that a server repeats", async () => {
  using _state = stateFolderOfTest();
  await using server = new AuthServer();
  await logInAt(server);
  await using far = connect(server.spec());
  assert.equal(await far.call("leak"), "your token is ***");
  assert.equal(await far.describe("leak"), "Tells your token, ***");
  server.expireAccessTokens();
  assert.equal(await far.call("leak"), "your token is ***");
});

Deno.test("logOut() removes the login, and the tokens are worth nothing", async () => {
  using _state = stateFolderOfTest();
  await using server = new AuthServer();
  const spec = server.spec();
  await logInAt(server, spec);
  await logInAt(server, spec, { person: "ada", subject: "ada" });
  await using far = connect(spec);
  assert.equal(await far.call(), "somebody");
  assert.deepEqual(await logOut(spec, { environment }), { count: 1, unrevoked: undefined });
  assert.equal(server.revocations, 1);
  await assert.rejects(far.call(), /needs a login/);
  assert.deepEqual((await loginsAt("far")).map(({ person }) => person), ["ada"]);
  await using adas = connect(spec, "ada");
  assert.equal(await adas.call(), "ada");
  assert.deepEqual(await logOut(spec, { environment }), { count: 0, unrevoked: undefined });
});

Deno.test("logOut() removes a login whose secret is not set, and says that it is not revoked", async () => {
  using _state = stateFolderOfTest();
  await using server = new AuthServer({ form: "preregistered" });
  const spec = server.spec();
  await logInAt(server, spec);
  const [variable] = /\$\w+/.exec(spec.auth!.clientSecret!)!;
  const unrevoked = `its login needs a variable that is not set: ${variable}`;
  assert.deepEqual(await logOut(spec, { environment: () => undefined }), { count: 1, unrevoked });
  assert.equal(server.revocations, 0);
  assert.deepEqual(await loginsAt("far"), []);
});

Deno.test("headless: the pasted address is enough", async () => {
  using _state = stateFolderOfTest();
  await using server = new AuthServer();
  const shown = Promise.withResolvers<URL>();
  const login = await logInAt(server, server.spec(), {
    show: (address) => Promise.resolve(shown.resolve(address)),
    async paste() {
      const response = await fetch(await shown.promise, { redirect: "manual" });
      return ` ${new URL(response.headers.get("location")!).href}\n`;
    },
  });
  assert.equal(login.accessToken !== undefined, true);
});
