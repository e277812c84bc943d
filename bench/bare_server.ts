/**
 * The floor that climax is measured against: the smallest server the SDK can make, with one tool
 * that spawns the same program, in a process group of its own when it is asked to.
 */

import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const decoder = new TextDecoder();
const pipes = { stdin: "null", stdout: "piped", stderr: "piped" } as const;

serveStdio(() => {
  const mcp = new McpServer({ name: "bare", version: "1.0.0" }, { capabilities: { tools: {} } });
  mcp.server.setRequestHandler("tools/list", () => ({
    tools: [{ name: "run", description: "Runs a program", inputSchema: { type: "object" } }],
  }));
  mcp.server.setRequestHandler("tools/call", async ({ params }) => {
    const [program, ...args] = params.arguments?.["argv"] as [string, ...string[]];
    const detached = params.arguments?.["detached"] === true;
    const { stdout } = detached
      // `Deno.Command.output` takes no notice of the option
      ? await new Deno.Command(program, { ...pipes, args, detached }).spawn().output()
      : await new Deno.Command(program, { ...pipes, args }).output();
    return { content: [{ type: "text", text: decoder.decode(stdout) }] };
  });
  return mcp;
});
