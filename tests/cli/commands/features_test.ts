/** Prompts and resources of servers at the command line. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { configText, featured } from "../../_upstream.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { climax } from "./_climax.ts";

Deno.test("prompts and resources are found, called and explained at the command line", async () => {
  await using dir = await scratch({
    "tamamo-x.config.json": configText([featured("one")]),
    "policy.yaml": "default: enabled\ndeny: ['resource:note://own/*']\n",
  });
  const mcp = join(dir.path, "tamamo-x.config.json");
  const policy = join(dir.path, "policy.yaml");
  const run = async (...args: string[]) => {
    const { code, stdout } = await climax([...args, "--mcp", mcp], { cwd: dir.path });
    return [code, stdout.trimEnd()];
  };

  const [, found] = await run("search", "--kind", "resource", "--json");
  const names = JSON.parse(String(found)).results.map((each: { tool_name: string }) => {
    return each.tool_name;
  });
  assert.equal(names.includes("resource:note://item/{id}"), true);
  assert.deepEqual(await run("call", "resource:note://item/{id}", "id=5"), [
    0,
    "note://item/5 of one",
  ]);
  const explain = (name: string) => run("policy", "explain", name, "--policy", policy);
  const [served, why] = await explain("resource:note://item/5");
  assert.equal(served, 0);
  assert.match(String(why), /^resource:note:\/\/item\/5: served\n {2}by default: enabled/);
  const [denied, reason] = await explain("resource:note://own/%6fther");
  assert.equal(denied, 1);
  assert.match(String(reason), /because 'resource:note:\/\/own\/\*' denies it/);
});
