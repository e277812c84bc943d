/**
 * The floor that climax is measured against: the smallest server the SDK can make, with one tool
 * that spawns the same program, in a process group of its own when it is asked to.
 */

import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const decoder = new TextDecoder();

serveStdio(() => {
  const mcp = new McpServer({ name: "bare", version: "1.0.0" }, { capabilities: { tools: {} } });
  mcp.server.setRequestHandler("tools/list", () => ({
    tools: [{ name: "run", description: "Runs a program", inputSchema: { type: "object" } }],
  }));
  mcp.server.setRequestHandler("tools/call", async ({ params }) => {
    const [program, ...args] = params.arguments?.["argv"] as [string, ...string[]];
    const detached = params.arguments?.["detached"] === true;
    const command = new Deno.Command(program, {
      args,
      detached,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    });
    const { stdout } = await command.spawn().output();
    return { content: [{ type: "text", text: decoder.decode(stdout) }] };
  });
  return mcp;
});
