/** Clients that are not ours, in both eras, find and run tools: the whole way in two calls. */

import assert from "node:assert/strict";
import { clients } from "../../e2e/_clients.ts";
import { fixture } from "../../e2e/_server.ts";

for (const [name, connect] of clients) {
  Deno.test(`climax run serves discovery to a client: ${name}`, async () => {
    await using client = await connect(["git", fixture("probe.yaml")]);
    if (name.includes("2026")) assert.equal(client.protocolVersion, "2026-07-28");

    const tools = await client.list();
    assert.deepEqual(tools.map((tool) => tool.name), ["climax_search", "climax_call"]);
    for (
      const word of [
        ...["git", "probe", "vcs", "climax_search", "climax_call", "2 command-line programs"],
      ]
    ) {
      assert.ok(client.instructions?.includes(word), `${word} in: ${client.instructions}`);
    }
    assert.ok(client.instructions!.length <= 2000);

    const found = await client.call("climax_search", { query: "record a message" });
    const [{ tool_name, input_schema }] = JSON.parse(found.text).results;
    assert.deepEqual(input_schema.required, ["message"]);
    const args = { message: "two words" };
    const done = await client.call("climax_call", { tool_name, args });
    assert.deepEqual(done, { text: `["-m","two words"]`, isError: false });
  });

  Deno.test(`climax run --classic serves every tool to a client: ${name}`, async () => {
    await using client = await connect([fixture("probe.yaml"), "--classic"]);
    const tools = await client.list();
    assert.equal(tools.length, 12);
    assert.equal(tools[0]!.name, "probe_args");
    assert.ok(!tools.some((tool) => tool.name.startsWith("climax_")));
    const done = await client.call("probe_args", { text: "x", count: "42" });
    assert.deepEqual(done, { text: `["x","--count","42","-l","3"]`, isError: false });
  });
}
