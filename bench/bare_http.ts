/**
 * The smallest server of the SDK over HTTP: its own handler on Deno's own server, with a tool that
 * runs `true` and two that answer at once. The floor of `bench/http.ts`.
 */

import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";

const handler = createMcpHandler(() => {
  const mcp = new McpServer({ name: "bare", version: "1.0.0" }, { capabilities: { tools: {} } });
  mcp.server.setRequestHandler("tools/call", async ({ params }) => {
    if (params.name === "climax_search") return { content: [{ type: "text", text: "{}" }] };
    if (params.name === "echo") return { content: [{ type: "text", text: "hi" }] };
    // In a process group of its own, as whatever can be ended as a whole: by far the most of its cost
    const pipes = { stdin: "null", stdout: "piped", stderr: "piped" } as const;
    const { code } = await new Deno.Command("true", { ...pipes, detached: true }).spawn().output();
    return { content: [{ type: "text", text: String(code) }] };
  });
  return mcp;
});

Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => {
    const line = `listening at http://127.0.0.1:${port}/mcp\n`;
    Deno.stderr.writeSync(new TextEncoder().encode(line));
  },
}, (request) => handler.fetch(request));
// A profile is written at the end of a process that is not killed
Deno.addSignalListener("SIGTERM", () => Deno.exit());
