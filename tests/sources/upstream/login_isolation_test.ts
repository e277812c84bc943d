/** Clients of an HTTP server at one MCP server: each calls with its own login, or with one that the operator shares. */

import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "../../_properties.ts";
import { call } from "../../../src/call/call.ts";
import { logOut } from "../../../src/sources/upstream/login/logins.ts";
import type { Session } from "../../../src/session/session.ts";
import { textOf } from "../../../src/tool/result.ts";
import { openServers, withServers } from "../../_upstream.ts";
import { AuthServer } from "./_auth_server.ts";
import { loginPath } from "../../../src/sources/upstream/login/stored_login.ts";
import { environment, logInAt, stateFolderOfTest } from "./_login.ts";

/** The person who runs climax, whose calls have no owner. */
const operator = undefined;

async function whoami(session: Session, owner: string | undefined): Promise<string> {
  const request = { tool: "far__whoami", args: { caller: owner ?? "operator" } };
  const { content: [first], isError } = await call(session, request, { owner });
  const text = first?.type === "text" ? String(first["text"]) : "";
  return isError ? `refused: ${text}` : text;
}

/** Fails if a request of the server's log has the token of another person than its caller. */
function requireOwnTokens(server: AuthServer): number {
  const calls = server.mcpRequests.filter(({ body }) => body.includes('"tools/call"'));
  for (const request of calls) {
    const { caller } = JSON.parse(request.body).params.arguments;
    const subject = server.subjectOf(request);
    assert.equal(subject === undefined || subject === caller, true, `${caller} as ${subject}`);
  }
  return calls.length;
}

Deno.test("1,000 interleaved calls of several clients carry no token but their caller's", async () => {
  using _state = stateFolderOfTest();
  await using server = new AuthServer();
  const spec = server.spec();
  await logInAt(server, spec, { subject: "operator" });
  const people = [operator, "ada", "bob", "eve"] as const;
  const steps = fc.oneof(
    { weight: 60, arbitrary: fc.constantFrom(...people).map((owner) => ({ owner })) },
    { weight: 2, arbitrary: fc.constant({ expires: true } as const) },
    { weight: 1, arbitrary: fc.constantFrom("ada", "bob").map((logsIn) => ({ logsIn })) },
    { weight: 1, arbitrary: fc.constantFrom("ada", "bob").map((logsOut) => ({ logsOut })) },
  );
  await using session = await openServers([{ name: "far", transport: "http", url: server.url }]);
  const [plan] = fc.sample(fc.array(steps, { minLength: 1100, maxLength: 1100 }), 1);
  let count = 0;
  const callAs = async (owner: string | undefined): Promise<void> => {
    count++;
    const text = await whoami(session, owner);
    const isOwn = owner !== "eve" && text === (owner ?? "operator");
    // A token may expire again before it is sent
    const command = `climax login far${owner === operator ? "" : ` --for ${owner}`} --mcp `;
    const isRefused = text.startsWith("refused: Server 'far' ") && text.includes(command);
    assert.equal(isOwn || isRefused, true, `${owner}: ${text}`);
  };
  const running = new Set<Promise<void>>();
  for (const step of plan!) {
    if ("expires" in step) server.expireAccessTokens();
    else if ("logsIn" in step) {
      await logInAt(server, spec, { person: step.logsIn, subject: step.logsIn });
    } else if ("logsOut" in step) await logOut(spec, { environment, person: step.logsOut });
    else {
      const done = callAs(step.owner).finally(() => running.delete(done));
      running.add(done);
    }
    if (running.size >= 40) await Promise.race(running);
  }
  await Promise.all(running);
  assert.equal(count >= 1000, true, String(count));
  assert.equal(requireOwnTokens(server) >= 500, true);
});

Deno.test("prompts and resources are read with the login of who reads them", async () => {
  using _state = stateFolderOfTest();
  await using server = new AuthServer();
  const spec = server.spec();
  await logInAt(server, spec, { subject: "operator" });
  for (const person of ["ada", "bob"]) await logInAt(server, spec, { person, subject: person });
  await using session = await openServers([{ name: "far", transport: "http", url: server.url }]);
  const read = async (tool: string, owner: string | undefined) => {
    return textOf(await call(session, { tool }, { owner }));
  };
  const names = ["resource:note://whoami", "prompt:far__whoami", "resource:note://other"];
  const people = Array.from({ length: 20 }, () => ["ada", "bob", operator]).flat();
  await Promise.all(people.map(async (owner) => {
    for (const name of names) assert.equal(await read(name, owner), owner ?? "operator");
  }));
  assert.match(await read(names[0]!, "eve"), /needs a login: .* --for eve /);
  // News of one person's resource would reach the others
  const { features } = session;
  assert.equal(await features!.subscribe(names[0]!, () => {}, "ada"), undefined);
  assert.notEqual(await features!.subscribe(names[0]!, () => {}), undefined);
});

Deno.test("no client sees a token, its own or another's, as a text or as a key", async () => {
  using _state = stateFolderOfTest();
  await using server = new AuthServer();
  const spec = server.spec();
  await logInAt(server, spec, { subject: "operator" });
  for (const person of ["ada", "bob"]) await logInAt(server, spec, { person, subject: person });
  await using session = await openServers([{ name: "far", transport: "http", url: server.url }]);
  const tokens = [undefined, "ada", "bob"].map((person) => {
    const path = loginPath({ server: "far", address: server.url, person })!;
    return JSON.parse(Deno.readTextFileSync(path)).accessToken as string;
  });
  // All have a connection
  for (const owner of [operator, "ada", "bob"]) await whoami(session, owner);
  for (const owner of [operator, "ada", "bob"]) {
    const result = await call(session, { tool: "far__leak", args: {} }, { owner });
    const seen = JSON.stringify([result, session.index.tools]);
    assert.match(seen, /\*\*\*.*said/);
    for (const token of tokens) assert.equal(seen.includes(token), false, owner);
  }
});

Deno.test("clients use the operator's login only where the entry says so", async () => {
  using _state = stateFolderOfTest();
  await using server = new AuthServer();
  await logInAt(server, server.spec(), { subject: "operator" });
  const sketch = { name: "far", transport: "http", url: server.url } as const;
  {
    await using session = await openServers([{ ...sketch, auth: { shared: true } }]);
    assert.equal(await whoami(session, "ada"), "operator");
  }
  for (const auth of [{}, { shared: false }]) {
    await withServers([{ ...sketch, auth }], async (session, folder) => {
      assert.equal(
        await whoami(session, "ada"),
        "refused: Server 'far' needs a login: a person who may log in for 'ada' must run: " +
          `climax login far --for ada --mcp ${join(folder, "tamamo-x.config.json")}`,
      );
      assert.equal(await whoami(session, operator), "operator");
    });
  }
});

Deno.test("names of clients that look alike have logins of their own", async () => {
  using _state = stateFolderOfTest();
  await using server = new AuthServer();
  const names = ["a", "A", "a.b", "a_b", "../a", "__proto__", "", "operator"];
  for (const person of names) {
    await logInAt(server, server.spec(), { person, subject: `<${person}>` });
  }
  await logInAt(server, server.spec(), { subject: "no client" });
  const sketch = { name: "far", transport: "http", url: server.url } as const;
  await using session = await openServers([sketch]);
  for (const person of names) assert.equal(await whoami(session, person), `<${person}>`);
});

Deno.test("the tools of a server join when somebody logs in while it is served", async () => {
  using _state = stateFolderOfTest();
  await using server = new AuthServer();
  await using session = await openServers([{ name: "far", transport: "http", url: server.url }]);
  assert.deepEqual(session.index.tools.map(({ name }) => name), []);
  const [{ name, description } = {}] = session.index.summary();
  assert.equal(name, "far");
  assert.match(
    description ?? "",
    /^Server 'far' needs a login: a person must run: climax login far/,
  );
  const joined = Promise.withResolvers<void>();
  session.catalog.subscribe(() => joined.resolve());
  session.followSources();
  const asked = server.mcpRequests.length;
  await logInAt(server);
  assert.equal(server.mcpRequests.length > asked, true);
  await joined.promise;
  const names = session.index.tools.map(({ name }) => name);
  assert.deepEqual(names, ["far__whoami", "far__write", "far__leak"]);
});
