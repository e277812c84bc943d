/** Prompts and resources of a server that others wrote, through the program and directly: the answers are equal. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { configText, featured, npmServer } from "../../_upstream.ts";
import { within } from "../../_wait.ts";
import { startHttpProcess } from "../../e2e/_http.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { climax, environment } from "../../e2e/_server.ts";
import { newToken } from "../../e2e/_token.ts";

const identity = { name: "climax-tests", version: "1.0.0" };
type Mode = "legacy" | "auto";

async function connected(
  transport: StdioClientTransport | StreamableHTTPClientTransport,
  mode: Mode,
): Promise<Client & AsyncDisposable> {
  const client = new Client(identity, { versionNegotiation: { mode } });
  await client.connect(transport);
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

/** Everything that `client` gets, with the names of prompts after `prefix`. */
async function seenBy(client: Client, prefix = ""): Promise<unknown> {
  const { prompts } = await client.listPrompts();
  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();
  const contents = await Promise.all(
    [...resources.map(({ uri }) => uri), "demo://resource/dynamic/blob/7"].map(async (uri) => {
      return timeless((await client.readResource({ uri })).contents);
    }),
  );
  const prompt = async (name: string, args: Record<string, string> = {}) => {
    const answer = await client.getPrompt({ name: prefix + name, arguments: args });
    return timeless(answer.messages);
  };
  const complete = async (ref: Parameters<Client["complete"]>[0]["ref"], name: string) => {
    return (await client.complete({ ref, argument: { name, value: "E" } })).completion;
  };
  const [template] = resourceTemplates;
  return {
    prompts: prompts.map(({ name, ...rest }) => ({ ...rest, name: name.slice(prefix.length) })),
    resources,
    resourceTemplates,
    contents,
    messages: [
      await prompt("simple-prompt"),
      await prompt("args-prompt", { city: "Rome", state: "Lazio" }),
      await prompt("resource-prompt", { resourceType: "Text", resourceId: "3" }),
    ],
    completions: [
      await complete({ type: "ref/prompt", name: `${prefix}completable-prompt` }, "department"),
      await complete({ type: "ref/resource", uri: template!.uriTemplate }, "resourceId"),
    ],
    errors: [
      await codeOf(client.readResource({ uri: "demo://nothing" })),
      await codeOf(client.getPrompt({ name: "nothing" })),
      await codeOf(client.getPrompt({ name: `${prefix}args-prompt`, arguments: {} })),
    ],
  };
}

/** Without the times that the server writes into its texts. */
function timeless(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, inner) => {
      if (key === "blob") return atob(inner).replace(/\d+:\d+:\d+ [AP]M/, "TIME");
      return typeof inner === "string" ? inner.replace(/\d+:\d+:\d+ [AP]M/, "TIME") : inner;
    }),
  );
}

async function codeOf(answer: Promise<unknown>): Promise<unknown> {
  return await answer.then(() => "no error", (error) => error.code);
}

for (const [mode, http] of [["legacy", false], ["auto", true]] as const) {
  const where = `${mode === "auto" ? "2026-07-28" : "2025-11-25"}, ${http ? "HTTP" : "stdio"}`;
  Deno.test(`prompts and resources are those of the server itself (${where})`, async () => {
    await using dir = await scratch();
    const command = await npmServer("everything");
    const file = join(dir.path, "tamamo-x.config.json");
    const server = { name: "e", transport: "stdio", command } as const;
    await Deno.writeTextFile(file, configText([server]));
    const variables = environment({ CLIMAX_CACHE_DIR: join(dir.path, "cache") });
    await using itself = await connected(
      new StdioClientTransport({ command, env: variables, stderr: "ignore" }),
      "legacy",
    );
    await using process = http ? startHttpProcess(["--mcp", file], variables) : undefined;
    const [program, ...args] = climax("run", "--mcp", file);
    const transport = process === undefined
      ? new StdioClientTransport({ command: program, args, env: variables, stderr: "ignore" })
      : new StreamableHTTPClientTransport(new URL(await process.url()));
    await using through = await connected(transport, mode);
    assert.equal(through.getProtocolEra(), mode === "auto" ? "modern" : "legacy");
    assert.deepEqual(await seenBy(through, "e__"), await seenBy(itself));
    // Nothing more is listed
    assert.deepEqual((await through.listTools()).tools.map(({ name }) => name), [
      "climax_search",
      "climax_call",
    ]);
  });
}

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
  const connect = (name: keyof typeof secrets) => {
    const headers = { authorization: `Bearer ${secrets[name]}` };
    const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } });
    return connected(transport, "auto");
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
  assert.equal(await codeOf(bob.readResource({ uri })), -32602);
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
