/** What goes wrong while a login is used: rights that never suffice, lost answers, files that others replaced. */

import assert from "node:assert/strict";
import { sseTransport } from "../../../../src/sources/upstream/_http.ts";
import { Login } from "../../../../src/sources/upstream/login/login.ts";
import { loginReport } from "../../../../src/sources/upstream/login/logins.ts";
import { UpstreamServer } from "../../../../src/sources/upstream/server.ts";
import type { ServerSpec } from "../../../../src/sources/upstream/spec.ts";
import { AuthServer } from "../../../sources/upstream/_auth_server.ts";
import { environment, logInAt, stateFolderOfTest } from "../../../sources/upstream/_login.ts";

async function failureOf(work: Promise<unknown>): Promise<string> {
  return await work.then(() => "no failure", (error) => error.message);
}

function callOf(spec: ServerSpec, name: string) {
  const server = new UpstreamServer(spec, { environment, login: Login.of(spec, { environment }) });
  const definition = { name, inputSchema: { type: "object" } } as const;
  return server.call({ definition, args: {}, timeoutMs: 20_000, caller: {} })
    .finally(() => server.close());
}

Deno.test("a server that always wants more rights does not send a person to log in for ever", async () => {
  using _state = stateFolderOfTest();
  let hostile: readonly [status: number, error: string] | undefined;
  await using server = new AuthServer({
    answerMcp: ({ body, headers }) => {
      if (!hostile || !headers.has("authorization") || !body.includes("tools/call")) return;
      const [status, error] = hostile;
      const challenge = `Bearer error="${error}", scope="files:write"`;
      return new Response(null, { status, headers: { "www-authenticate": challenge } });
    },
  });
  const spec = server.spec();
  await logInAt(server, spec);
  for (hostile of [[403, "invalid_token"], [400, "insufficient_scope"]] as const) {
    assert.match(await failureOf(callOf(spec, "write")), RegExp(`HTTP ${hostile[0]}: `));
  }
  hostile = [403, "insufficient_scope"];
  assert.equal(
    await failureOf(callOf(spec, "write")),
    "Server 'far' wants more rights than its login has: a person who agrees must run: " +
      "climax login far --scope files:write",
  );
  await logInAt(server, spec, { scopes: ["files:write"] });
  assert.equal(
    await failureOf(callOf(spec, "write")),
    "Server 'far' refuses rights that its login has (files:write): another login does not " +
      "change that, and a person must ask who runs the server",
  );
});

Deno.test("an answer to a renewal that is lost with the new tokens ends in the one line", async () => {
  using _state = stateFolderOfTest();
  let answers = 0;
  await using server = new AuthServer({
    answerAs({ path, body }) {
      if (path !== "/token" || !body.includes("refresh_token")) return;
      // The tokens were made, and the old ones are worth nothing
      if (answers++ === 0) return new Response("{", { status: 200 });
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    },
  });
  const spec = server.spec();
  await logInAt(server, spec);
  server.expireAccessTokens();
  const failure = await failureOf(callOf(spec, "whoami"));
  assert.match(failure, /ended or was revoked: a person must run: climax login far$/);
});

const oddTokens: readonly (readonly [what: string, tokens: object, report: RegExp])[] = [
  ["lasts longer than there are numbers", { expires_in: 1e308 }, /^logged in until 20\d\d-/],
  ["lasts beyond the calendar", { expires_in: 1e14 }, /^logged in until 20\d\d-/],
  ["has ended before it began", { expires_in: -5 }, /^logged in$/],
  ["lasts no time", { expires_in: null }, /^logged in$/],
  ["comes with an empty one for its renewal", { refresh_token: "" }, /^logged in$/],
];

for (const [what, tokens, report] of oddTokens) {
  Deno.test(`a token is used that ${what}`, async () => {
    using _state = stateFolderOfTest();
    const answer = { access_token: "an-access-token", token_type: "bearer", ...tokens };
    await using server = new AuthServer({
      answerAs: ({ path }) => path === "/token" ? Response.json(answer) : undefined,
    });
    const spec = server.spec();
    await logInAt(server, spec);
    assert.equal(await Login.of(spec, { environment })!.token(), answer.access_token);
    const [words] = await loginReport(spec);
    assert.match(words!, report);
  });
}

Deno.test("headers of a server's entry go to no origin that the server redirects to", async () => {
  const seen: string[] = [];
  const where = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  await using other = Deno.serve(where, ({ url }) => {
    seen.push(url);
    return new Response(null, { status: 404 });
  });
  for (const status of [301, 302, 303, 307, 308]) {
    const location = `http://127.0.0.1:${other.addr.port}/mcp`;
    await using far = Deno.serve(where, () => {
      return new Response(null, { status, headers: { location } });
    });
    const url = `http://127.0.0.1:${far.addr.port}/mcp`;
    const transport = { kind: "http", url, headers: { "x-api-key": "a-secret-key" } } as const;
    const spec: ServerSpec = { name: "far", file: "f", timeoutMs: 20_000, transport };
    assert.match(await failureOf(callOf(spec, "whoami")), /Redirect to .* not followed/);
    const events = sseTransport(transport);
    assert.match(await failureOf(events.start()), /Redirect to .* not followed/);
    await events.close();
  }
  assert.deepEqual(seen, []);
});
