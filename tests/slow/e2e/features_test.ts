/** Prompts and resources of a server, for clients with policies of their own. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { configText, featured } from "../../_upstream.ts";
import { within } from "../../_wait.ts";
import { startHttpProcess } from "../../e2e/_http.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { newToken } from "../../e2e/_token.ts";

const identity = { name: "climax-tests", version: "1.0.0" };
Deno.test("over HTTP each client reads what its own policy allows, and the log says who", async () => {
  await using dir = await scratch({
    "servers.json": configText([featured("one")]),
    "all.yaml": "default: enabled\n",
    "few.yaml": "tools: { 'resource:note://own/*': {} }\n",
    "clients.yaml": "clients: { ada: all.yaml, bob: few.yaml }\n",
  });
  const path = (name: string) => join(dir.path, name);
  const tokens = path("tokens.json");
  const secrets = { ada: await newToken(tokens, "ada"), bob: await newToken(tokens, "bob") };
  const audit = path("audit.jsonl");
  await using process = startHttpProcess([
    ...["--mcp", path("servers.json"), "--tokens", tokens],
    ...["--clients", path("clients.yaml"), "--audit", audit],
  ], { CLIMAX_CACHE_DIR: path("cache") });
  const url = new URL(await process.url());
  const connect = async (name: keyof typeof secrets) => {
    const headers = { authorization: `Bearer ${secrets[name]}` };
    const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } });
    const client = new Client(identity, { versionNegotiation: { mode: "auto" } });
    await client.connect(transport);
    return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
  };
  await using ada = await connect("ada");
  await using bob = await connect("bob");
  const uris = async (client: Client) => {
    return (await client.listResources()).resources.map(({ uri }) => uri);
  };
  assert.deepEqual(await uris(bob), ["note://own/one"]);
  assert.equal((await uris(ada)).length, 3);
  assert.deepEqual((await bob.listPrompts()).prompts, []);
  assert.equal((await ada.listPrompts()).prompts.length, 1);
  const uri = "note://item/5";
  assert.equal((await ada.readResource({ uri })).contents.length, 1);
  await assert.rejects(bob.readResource({ uri }), { code: -32602 });
  // The subscription of a resource that is denied hears nothing
  const heard: string[] = [];
  for (const client of [ada, bob]) {
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
      heard.push(`${client === ada ? "ada" : "bob"} ${params.uri}`);
      if (client === ada) news.resolve();
    });
  }
  const news = Promise.withResolvers<void>();
  const filter = { resourceSubscriptions: ["note://shared"] };
  const streams = [await bob.listen(filter), await ada.listen(filter)];
  await ada.callTool({ name: "climax_call", arguments: { tool_name: "one__touch" } });
  await within(news.promise, "the news of the resource");
  assert.deepEqual(heard, ["ada note://shared"]);
  for (const stream of streams) await stream.close();
  const lines = (await Deno.readTextFile(audit)).trimEnd().split("\n");
  const entries = lines.map((line) => JSON.parse(line));
  assert.deepEqual(entries.map(({ client, tool, decision }) => [client, tool, decision]), [
    ["ada", `resource:${uri}`, "allowed"],
    ["bob", `resource:${uri}`, "refused"],
    ["ada", "one__touch", "allowed"],
  ]);
});
