/**
 * Clients for Node.js, each behind the same small interface, through the same steps. Copied beside the
 * packages it drives: node drive.mjs CLIENT PLAN, a line of JSON for each step.
 */

import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const [, , name, planText] = process.argv;
const plan = JSON.parse(planText);
const { command, args, env, classic, file } = plan;
const identity = { name: "climax-clients", version: "1.0.0" };

/** Name of a client → what connects it. */
const clients = {
  async "typescript-1"() {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
    const client = new Client(identity);
    await client.connect(new StdioClientTransport({ command, args, env }));
    return official(client, (request, options) => client.callTool(request, undefined, options));
  },
  async "typescript-2"() {
    const { Client } = await import("@modelcontextprotocol/client");
    const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
    const client = new Client(identity, { versionNegotiation: { mode: "auto" } });
    await client.connect(new StdioClientTransport({ command, args, env }));
    return official(client, (request, options) => client.callTool(request, options));
  },
  async "ai-sdk"() {
    const { createMCPClient } = await import("@ai-sdk/mcp");
    const { Experimental_StdioMCPTransport: Transport } = await import("@ai-sdk/mcp/mcp-stdio");
    const client = await createMCPClient({ transport: new Transport({ command, args, env }) });
    const tools = await client.tools();
    return {
      names: () => Object.keys(tools),
      call: async (tool, given) =>
        seen(await tools[tool].execute(given, { messages: [], toolCallId: "1" })),
      close: () => client.close(),
    };
  },
};

function official(client, callTool) {
  return {
    names: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call: async (tool, given, options) =>
      seen(await callTool({ name: tool, arguments: given }, options)),
    hasProgress: true,
    cancels: true,
    close: () => client.close(),
  };
}

function seen({ content, isError }) {
  return { text: content.map(({ text }) => text).join("\n"), isError: isError === true };
}

const client = await clients[name]();

function call(tool, given, options) {
  return classic
    ? client.call(tool, given, options)
    : client.call("climax_call", { tool_name: tool, args: given }, options);
}

const steps = {
  async list() {
    const names = await client.names();
    const wanted = classic ? plan.tools : ["climax_search", "climax_call"];
    return wanted.every((each) => names.includes(each)) && names.length === wanted.length;
  },
  async search() {
    if (classic) return null;
    const { text } = await client.call("climax_search", { query: "say" });
    return JSON.parse(text.split("\n")[0]).results[0].tool_name === "things_say";
  },
  async call() {
    const { text, isError } = await call("things_say", { text: "two words" });
    return text === "two words" && !isError;
  },
  async error() {
    const { text, isError } = await call("things_fail", {});
    return /\[exit code: 3\]/.test(text) && isError;
  },
  async progress() {
    if (!client.hasProgress) return null;
    let events = 0;
    await call("things_count", {}, { onprogress: () => events++ });
    return events > 0;
  },
  async cancel() {
    if (!client.cancels) return null;
    const stop = new AbortController();
    const outcome = call("things_hold", { file }, { signal: stop.signal })
      .then(() => "answered", () => "cancelled");
    while (!existsSync(file) || readFileSync(file, "utf8") === "") await sleep(50);
    stop.abort();
    return await outcome === "cancelled" && await isGone(Number(readFileSync(file, "utf8")));
  },
};

async function isGone(pid) {
  for (let tries = 0; tries < 100; tries++) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    await sleep(50);
  }
  return false;
}

function tell(step, ok, note = "") {
  process.stdout.write(`${JSON.stringify({ step, ok, note })}\n`);
}

for (const [step, take] of Object.entries(steps)) {
  try {
    tell(step, await take());
  } catch (error) {
    tell(step, false, String(error));
  }
}
const before = performance.now();
await client.close();
tell("shutdown", true, `${Math.round(performance.now() - before)} ms`);
