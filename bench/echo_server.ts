/**
 * An MCP server by hand that costs next to nothing: one tool that says its argument again. It takes its
 * first argument, in milliseconds, to come up.
 */

const delayMs = Number(Deno.args[0] ?? 0);
await new Promise((resolve) => setTimeout(resolve, delayMs));

const encoder = new TextEncoder();
const inputSchema = {
  type: "object",
  properties: { text: { type: "string" } },
  required: ["text"],
};

function answerTo(method: string, params: Record<string, unknown>): object | undefined {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params["protocolVersion"],
        capabilities: { tools: {} },
        serverInfo: { name: "echo", version: "1.0.0" },
      };
    case "tools/list":
      return { tools: [{ name: "echo", description: "Says it again", inputSchema }] };
    case "tools/call": {
      const { text } = params["arguments"] as { text: string };
      return { content: [{ type: "text", text }] };
    }
    default:
      return undefined;
  }
}

let rest = "";
for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop()!;
  for (const line of lines) {
    const { id, method, params = {} } = JSON.parse(line);
    if (id === undefined) continue;
    const result = answerTo(method, params);
    const error = { code: -32601, message: "Method not found" };
    const answer = { jsonrpc: "2.0", id, ...(result === undefined ? { error } : { result }) };
    let bytes = encoder.encode(`${JSON.stringify(answer)}\n`);
    while (bytes.length > 0) bytes = bytes.subarray(Deno.stdout.writeSync(bytes));
  }
}
