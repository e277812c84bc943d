/** The shape of a policy; what each defect is called stands in the fixtures of load_test.ts. */

import assert from "node:assert/strict";
import fc from "../_properties.ts";
import { checkNames, policySchema } from "../../src/policy/schema.ts";

const constraintKeys = ["pattern", "min", "max", "within", "allow_leading_dash", "secret"];

for (const key of constraintKeys) {
  Deno.test(`policySchema holds ${key} to its type, and nothing else`, () => {
    const fits = (value: unknown) => {
      const policy = { tools: { t: { args: { a: { [key]: value } } } } };
      return policySchema.safeParse(policy).success;
    };
    const type = { pattern: "string", min: "number", max: "number", within: "string" }[key] ??
      "boolean";
    const values = ["a", "1", 1, -0.5, true, false, null, NaN, Infinity, [], {}, [1], ["a"]];
    const taken = values.filter(fits);
    assert.deepEqual(
      taken,
      values.filter((each) => {
        return typeof each === type && (typeof each !== "number" || Number.isFinite(each));
      }),
    );
    assert.notEqual(taken.length, 0);
  });
}

Deno.test("checkNames() takes any value, and finds every __proto__", () => {
  const named = JSON.parse(
    `{ "tools": { "__proto__": null, "t": { "args": { "__proto__": 1 } } } }`,
  );
  assert.deepEqual(checkNames(named).map(({ path }) => path), [
    ["tools", "__proto__"],
    ["tools", "t", "args", "__proto__"],
  ]);
  fc.assert(fc.property(fc.jsonValue(), (value) => {
    assert.deepEqual(checkNames({ tools: { t: { args: { constructor: value } } } }), []);
    checkNames(value);
    checkNames({ tools: value });
    checkNames({ tools: { t: value } });
  }));
});

Deno.test("policySchema takes a tool that is disabled for one to deny", () => {
  const limits = { args: { a: { max: 1 } } };
  const policy = { deny: ["x"], tools: { git_push: "disabled", git_log: limits } };
  assert.deepEqual(policySchema.parse(policy), {
    deny: ["x", "git_push"],
    tools: { git_log: limits },
  });
  assert.equal(policySchema.safeParse({ tools: { git_push: "enabled" } }).success, false);
  const takes = (concurrency: number) => policySchema.safeParse({ tools: { t: { concurrency } } });
  assert.deepEqual([0, 1].map((count) => takes(count).success), [false, true]);
});
