/** Many calls at once: each is answered, once, with its own answer. */

import assert from "node:assert/strict";
import { startReady } from "./_raw.ts";
import { fixture } from "./_server.ts";

const count = 50;

Deno.test(`${count} pipelined calls are each answered exactly once, refusals between them`, async () => {
  await using server = await startReady([fixture("probe.yaml")]);
  const before = server.lines.length;
  const lines = Array.from({ length: count }, (_, number) => {
    // Every fifth is refused, so that answers overtake one another
    const args = number % 5 === 0 ? { count: "no" } : { text: `call ${number}` };
    const params = { name: "climax_call", arguments: { tool_name: "probe_args", args } };
    return `${
      JSON.stringify({ jsonrpc: "2.0", id: number + 1000, method: "tools/call", params })
    }\n`;
  });
  await server.sendBytes(new TextEncoder().encode(lines.join("")));
  for (let number = 0; number < count; number++) {
    const { result } = await server.message(({ id }) => id === number + 1000);
    const { text } = result.content[0];
    if (number % 5 === 0) assert.match(text, /^Argument validation failed/);
    else assert.equal(text, `["call ${number}","-l","3"]`);
  }
  await server.request("ping");
  assert.equal(server.lines.length, before + count + 1);
});
