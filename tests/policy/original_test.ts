/** Policies for CLImax 0.5: its approvals mean the same here, or do not load. */

import assert from "node:assert/strict";
import { readPolicy } from "../../src/policy/load.ts";
import { policyOf, sessionOf } from "../_session.ts";

const translated: readonly (readonly [policy: string, ours: object])[] = [
  ["approval:", { confirm: "write" }],
  ["approval: {global: all}", { confirm: "read" }],
  ["approval: {global: none, headless: deny}", {}],
  ["tools: {a: {require_approval: false}}", {
    confirm: "write",
    tools: { a: { confirm: false } },
  }],
  // No tool is served for an override
  ["approval: {tools: {b: true}}\ntools: {a: }", { confirm: "write", tools: { a: null } }],
  ["approval: {tools: {b: false}}\ndefault: enabled\ntools: {a: disabled}", {
    default: "enabled",
    confirm: "write",
    deny: ["a"],
    tools: { b: { confirm: false } },
  }],
  // Of two answers, the one that asks counts
  [
    "approval: {global: destructive, tools: {a: false, b: true}}\n" +
    "tools: {a: {require_approval: true, args: {x: {max: 1}}}, b: {require_approval: false}}",
    {
      confirm: "destructive",
      tools: { a: { args: { x: { max: 1 } }, confirm: true }, b: { confirm: true } },
    },
  ],
];

for (const [text, ours] of translated) {
  Deno.test(`a policy reads ${JSON.stringify(text)}`, async () => {
    const read = await readPolicy(policyOf(text));
    assert.ok(read.ok, JSON.stringify(read));
    assert.deepEqual(read.policy, ours);
    assert.match(read.notes?.[0]?.message ?? "", /^The approvals of CLImax 0\.5 are read as/);
  });
}

const refused: readonly (readonly [policy: string, problem: RegExp])[] = [
  ["approval: {headless: approve}", /no person is there; climax approve/],
  ["approval: {global: maybe}", /'global': string 'maybe' is not one of: none, destructive/],
  ["approval: {tools: {a: 1}}", /'a': expected a boolean/],
  ["approval: {golbal: all}", /Unknown key 'golbal'/],
  ["approval: [1]", /'approval': expected a map/],
  ["approval: {}\ntools: x", /'tools': expected a map/],
  ["approval: {}\nconfirm: write", /'confirm' and 'approval' are one key/],
  ["approval: {tools: {git_log: true}}\ntools: {'git_*': }", /Another key of 'tools'/],
];

for (const [text, problem] of refused) {
  Deno.test(`a policy refuses ${JSON.stringify(text)}`, async () => {
    const read = await readPolicy(policyOf(text));
    assert.ok(!read.ok);
    assert.match(read.problems.map(({ message }) => message).join("\n"), problem);
  });
}

Deno.test("a policy that asks about all asks before a read, but not before climax's own", async () => {
  const tools = [{ name: "look", command: "echo", effect: "read" }];
  await using session = await sessionOf({ tools }, {
    policy: policyOf("default: enabled\napproval: {global: all}"),
  });
  const asks = Object.fromEntries(
    session.index.tools.map((tool) => [tool.name, tool.needsConsent]),
  );
  assert.equal(asks["look"], true);
  assert.equal(asks["job_list"] ?? false, false);
});
