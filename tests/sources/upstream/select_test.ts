/** Parts of the results of servers, selected by the project's file or by a policy. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { call } from "../../../src/call/call.ts";
import { Outputs } from "../../../src/jobs/outputs.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { textOf } from "../../../src/tool/result.ts";
import { odd, openServers } from "../../_upstream.ts";

const schema = { type: "object", properties: { issues: { type: "array" } } };
const tool = { name: "issues", inputSchema: { type: "object" }, outputSchema: schema };
const select = { items: "$.issues[*]", columns: ["number", "title"] };

/** A server with the tool `issues`, which answers with 60 of them. */
async function issuesServer(dir: string) {
  const file = join(dir, "tools.json");
  await Deno.writeTextFile(file, JSON.stringify([tool]));
  return odd("forge", "defined", file);
}

for (const place of ["the project's file", "a policy"]) {
  Deno.test(`a tool of a server whose results ${place} selects answers with a table`, async () => {
    await using dir = await scratch();
    const policy = join(dir.path, "policy.yaml");
    const rules = { forge__issues: place === "a policy" ? { select } : {} };
    await Deno.writeTextFile(policy, JSON.stringify({ default: "enabled", tools: rules }));
    const server = await issuesServer(dir.path);
    const own = place === "a policy" ? server : { ...server, select: { issues: select } };
    const outputs = new Outputs();
    {
      await using session = await openServers([own], { policy, outputs });
      assert.equal(session.index.get("forge__issues")!.output, undefined);
      const result = await call(session, { tool: "forge__issues" });
      const [head, first] = textOf(result).split("\n");
      assert.deepEqual([head, first], ["number\ttitle", "1\tIssue 1"]);
      const [, bytes, id] =
        /\n\n\[selected from ([\d,]+) bytes: output_json \{"id": "([^"]+)", "path": "\$\.issues\[\*\]"\}\]$/
          .exec(textOf(result))!;
      assert.equal(Number(bytes!.replaceAll(",", "")) > 10 * textOf(result).length, true);
      assert.deepEqual((result.structured!["result"] as object[])[0], {
        number: 1,
        title: "Issue 1",
      });
      assert.equal((result.structured!["result"] as object[]).length, 60);
      const whole = await call(session, { tool: "output_read", args: { id } });
      assert.match(textOf(whole), /"issues":\s?\[\{"number":1,"title":"Issue 1","body":"x{400}/);
    }
    outputs.close();
  });
}
