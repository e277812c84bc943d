/** Configs for CLImax 0.5. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { loadConfigs } from "../../../src/sources/command/load.ts";
import { scratch } from "../../e2e/_scratch.ts";

async function load(...tools: readonly object[]) {
  const config = { name: "r", description: "R", command: "echo", tools };
  await using dir = await scratch({ "r.yaml": config });
  const loaded = await loadConfigs([join(dir.path, "r.yaml")], () => undefined);
  assert.deepEqual(loaded.problems, []);
  return { tools: loaded.tools, warnings: loaded.warnings.map(({ message }) => message) };
}

const tool = (name: string, rest: object = {}) => ({ name, description: name, ...rest });

const effects: readonly (readonly [tools: object[], effects: (string | undefined)[]])[] = [
  [[tool("a"), tool("b", { risk: "write" }), tool("c", { risk: null })], ["read", "write", "read"]],
  [[tool("a"), tool("b")], [undefined, undefined]],
  [[tool("a"), tool("b", { effect: "write" })], [undefined, "write"]],
  // This config is written for climax
  [[tool("a"), tool("b", { risk: "write" }), tool("c", { effect: "read" })], [
    undefined,
    "write",
    "read",
  ]],
];

for (const [tools, wanted] of effects) {
  Deno.test(`effects of tools with ${JSON.stringify(tools)}`, async () => {
    const { tools: loaded, warnings } = await load(...tools);
    assert.deepEqual(loaded.map(({ effect }) => effect), wanted);
    const names = wanted.filter((effect, at) => effect === "read" && !("effect" in tools[at]!));
    assert.equal(warnings.some((each) => each.includes("in CLImax 0.5: a, c")), names.length > 0);
  });
}

Deno.test("a lookup before the question is not made, and its name is not asked with", async () => {
  const message = "Stop {id} ({_name}) of {_owner} and {_names}?";
  const resolve = { _name: { command: "get", args: { id: "{id}" } }, _owner: { command: "who" } };
  const { tools: [stop], warnings } = await load(
    tool("stop", { risk: "destructive", confirm_message: message, resolve }),
  );
  assert.equal((stop as { question?: string }).question, "Stop {id} of and {_names}?");
  assert.match(warnings.join("\n"), /'resolve' is not used/);
});
