/**
 * The floor of a call of a server's tool: what server and client of the SDK cost that pass calls on to the server with
 * the command line in the arguments, and do nothing else.
 */

import process from "node:process";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const [command, ...args] = Deno.args as [string, ...string[]];
const client = new Client({ name: "relay", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command, args }));

serveStdio(() => {
  const mcp = new McpServer({ name: "relay", version: "1.0.0" }, { capabilities: { tools: {} } });
  mcp.server.setRequestHandler("tools/list", () => client.listTools());
  mcp.server.setRequestHandler("tools/call", ({ params }) => client.callTool(params));
  return mcp;
});

// The program that it has started would keep it
process.stdin.once("end", () => void client.close());
