/** Several people at one HTTP server, each with a login of their own at an MCP server behind it. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { identityKey } from "../../src/process/identity.ts";
import { newToken } from "../../src/server/http/tokens.ts";
import { post } from "../server/http/_server.ts";
import { AuthServer } from "../sources/upstream/_auth_server.ts";
import { logInAt, stateFolderOfTest } from "../sources/upstream/_login.ts";
import { configText } from "../_upstream.ts";
import { startHttpProcess } from "./_http.ts";
import { scratch } from "./_scratch.ts";

Deno.test("each person calls with the own login, and is told to log in without one", async () => {
  await using dir = await scratch();
  using state = stateFolderOfTest();
  await using upstream = new AuthServer();
  const file = join(dir.path, "servers.json");
  const sketch = { name: "far", transport: "http", url: upstream.url } as const;
  await Deno.writeTextFile(file, configText([sketch]));
  const secrets = { ada: await newToken("ada"), bob: await newToken("bob") };
  const tokens = join(dir.path, "tokens");
  await Deno.writeTextFile(tokens, Object.values(secrets).map(({ line }) => `${line}\n`).join(""));
  await logInAt(upstream, upstream.spec(), { subject: "operator" });
  const keyOf = (name: string) => identityKey({ name, by: "tokens", authority: tokens });
  await logInAt(upstream, upstream.spec(), { person: keyOf("ada"), subject: "ada" });
  // Another server has a person of the same name
  await logInAt(upstream, upstream.spec(), { person: "bob", subject: "another" });

  const args = ["--classic", "--log-level", "debug", "--mcp", file, "--tokens", tokens];
  const env = { CLIMAX_STATE_DIR: state.path, CLIMAX_CACHE_DIR: join(dir.path, "cache") };
  await using server = startHttpProcess(args, env);
  const url = await server.url();
  const call = async (name: keyof typeof secrets, tool = "whoami"): Promise<string> => {
    const headers = { authorization: `Bearer ${secrets[name].token}` };
    const asked = { name: `far__${tool}`, arguments: {} };
    const { result } = await (await post(url, "tools/call", asked, headers)).json();
    return result.content[0].text;
  };
  const needed = "Server 'far' needs a login: a person who may log in for 'bob' must run: " +
    `climax login far --for bob --tokens ${tokens} --mcp ${file}`;
  const both = await Promise.all(Array.from({ length: 40 }, (_, at) => {
    return call(at % 2 === 0 ? "ada" : "bob");
  }));
  assert.deepEqual([...new Set(both)].toSorted(), [needed, "ada"].toSorted());
  upstream.expireAccessTokens();
  const again = await Promise.all(Array.from({ length: 12 }, () => call("ada")));
  assert.deepEqual(again, Array(12).fill("ada"));
  assert.equal(upstream.refreshes, 1);

  await logInAt(upstream, upstream.spec(), { person: keyOf("bob"), subject: "bob" });
  assert.deepEqual(await Promise.all([call("ada"), call("bob")]), ["ada", "bob"]);
  assert.equal(await call("bob", "leak"), "your token is ***");
  assert.equal(upstream.hasToken(server.log), false);
});
