/** What a policy may say of an effect that a tool claims. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { loadPolicy } from "../../src/policy/load.ts";
import { annotationsOf } from "../../src/tool/annotations.ts";
import type { Tool } from "../../src/tool/tool.ts";
import { scratch } from "../e2e/_scratch.ts";
import { toolOf } from "../_tools.ts";

const claims = toolOf("claims", {
  effect: "read",
  annotations: { readOnlyHint: true, openWorldHint: false },
});

async function under(policy: string, tool: Tool) {
  await using dir = await scratch({ "policy.yaml": policy });
  const file = join(dir.path, "policy.yaml");
  return await loadPolicy(file, [tool], { environment: () => undefined, strict: true });
}

Deno.test("a policy may hold a tool for worse than it says", async () => {
  const { tools, problems } = await under(
    "confirm: destructive\ntools: { claims: { effect: destructive } }\n",
    claims,
  );
  assert.deepEqual(problems, []);
  assert.equal(tools[0]!.effect, "destructive");
  assert.equal(tools[0]!.needsConsent, true);
  assert.deepEqual(annotationsOf(tools[0]!), {
    readOnlyHint: false,
    destructiveHint: true,
    openWorldHint: false,
  });
});

Deno.test("a tool that a policy holds for worse is not served among better ones", async () => {
  const { tools } = await under("effects: [read]\ntools: { claims: { effect: write } }\n", claims);
  assert.deepEqual(tools, []);
});

Deno.test("a policy may not hold a tool for better than it says", async () => {
  const harmful = toolOf("claims", { effect: "destructive" });
  const { problems } = await under("tools: { claims: { effect: read } }\n", harmful);
  assert.equal(
    problems[0]!.message,
    "'effect': tool 'claims' says itself that it is 'destructive'",
  );
});

Deno.test("a policy may say what a tool does not say", async () => {
  const { tools, problems } = await under(
    "tools: { silent: { effect: read } }\n",
    toolOf("silent"),
  );
  assert.deepEqual([problems, tools[0]!.effect], [[], "read"]);
});
