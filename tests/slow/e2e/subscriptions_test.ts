/** Notifications of a server reach the clients: changed resources and lists, and log messages. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { configText, featured } from "../../_upstream.ts";
import { within } from "../../_wait.ts";
import { startHttpProcess } from "../../e2e/_http.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { climax, environment } from "../../e2e/_server.ts";

type Mode = "legacy" | "auto";

/** Events in the order in which they came. */
class Events {
  readonly #seen: string[] = [];
  readonly #waiting = new Set<() => void>();

  /** All that ever came. */
  readonly all: string[] = [];

  add(event: string): void {
    this.all.push(event);
    this.#seen.push(event);
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  /** Waits for an event, and forgets those up to it. */
  async next(event: string): Promise<void> {
    const look = async () => {
      while (!this.#seen.includes(event)) {
        await new Promise<void>((resolve) => this.#waiting.add(resolve));
      }
      this.#seen.splice(0, this.#seen.indexOf(event) + 1);
    };
    await within(look(), `${event}, after: ${this.#seen.join(", ")}`);
  }
}

interface Peer extends AsyncDisposable {
  readonly client: Client;
  readonly events: Events;
}

async function connected(
  transport: StdioClientTransport | StreamableHTTPClientTransport,
  mode: Mode,
): Promise<Peer> {
  const events = new Events();
  const changed = (list: string) => ({
    autoRefresh: false,
    debounceMs: 0,
    onChanged: () => events.add(list),
  });
  const client = new Client({ name: "climax-tests", version: "1.0.0" }, {
    versionNegotiation: { mode },
    listChanged: { prompts: changed("prompts"), resources: changed("resources") },
  });
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    events.add(`updated ${params.uri}`);
  });
  client.setNotificationHandler("notifications/message", ({ params }) => {
    events.add(`log ${params.level} ${params.logger} ${JSON.stringify(params.data)}`);
  });
  await client.connect(transport);
  return { client, events, [Symbol.asyncDispose]: () => client.close() };
}

async function callTool(
  { client }: Peer,
  tool: string,
  meta?: Record<string, unknown>,
): Promise<void> {
  const params = { name: "climax_call", arguments: { tool_name: tool, args: {} } };
  await client.callTool({ ...params, ...(meta === undefined ? {} : { _meta: meta }) });
}

const cases: readonly (readonly [mode: Mode, http: boolean])[] = [
  ["legacy", false],
  ["auto", true],
];

for (const [mode, http] of cases) {
  const where = `${mode === "auto" ? "2026-07-28" : "2025-11-25"}, ${http ? "HTTP" : "stdio"}`;
  Deno.test(`a client hears of changed resources and lists, and of logs (${where})`, async () => {
    await using dir = await scratch({
      "tamamo-x.config.json": configText([featured("one"), featured("two")]),
    });
    const file = join(dir.path, "tamamo-x.config.json");
    const variables = environment({ CLIMAX_CACHE_DIR: join(dir.path, "cache") });
    await using process = http ? startHttpProcess(["--mcp", file], variables) : undefined;
    const [program, ...args] = climax("run", "--mcp", file);
    await using peer = await connected(
      process === undefined
        ? new StdioClientTransport({ command: program, args, env: variables, stderr: "ignore" })
        : new StreamableHTTPClientTransport(new URL(await process.url())),
      mode,
    );
    const { client, events } = peer;
    await client.listResources();
    const uri = "two+note://shared";

    if (mode === "legacy") await client.subscribeResource({ uri });
    const stream = mode === "legacy"
      ? undefined
      : await client.listen({ resourceSubscriptions: [uri] });
    // The other server's notifications do not arrive
    await callTool(peer, "one__touch");
    await callTool(peer, "two__touch");
    await events.next(`updated ${uri}`);
    const { contents: [content] } = await client.readResource({ uri });
    assert.equal((content as { text: string }).text, "note://shared of two, touched");
    if (mode === "legacy") await client.unsubscribeResource({ uri });
    await stream?.close();
    assert.equal(events.all.some((event) => event.includes("one+")), false);

    await callTool(peer, "one__grow");
    await events.next("resources");
    const { prompts } = await client.listPrompts();
    assert.equal(prompts.some(({ name }) => name === "one__more"), true);

    if (mode === "legacy") await client.setLoggingLevel("info");
    await callTool(peer, "one__log", { "io.modelcontextprotocol/logLevel": "info" });
    await events.next(`log info one: fixture {"message":"info of one"}`);
    await events.next(`log error one: fixture {"message":"error of one"}`);
    if (mode === "legacy") await client.setLoggingLevel("error");
    await callTool(peer, "one__log", { "io.modelcontextprotocol/logLevel": "error" });
    await events.next(`log error one: fixture {"message":"error of one"}`);
    const levels = events.all.flatMap((event) => event.match(/(?<=^log )\w+/) ?? []);
    assert.deepEqual(levels, ["info", "error", "error"]);
  });
}
