/** What a policy says of a server whose tools are not known. */

import assert from "node:assert/strict";
import type { PolicyFile } from "../../src/policy/schema.ts";
import { mayServe } from "../../src/policy/select.ts";

const rows: readonly [policy: PolicyFile, isServed: boolean][] = [
  [{ default: "enabled" }, true],
  [{ default: "disabled" }, false],
  [{ default: "enabled", deny: ["cli:notes"] }, false],
  [{ default: "enabled", deny: ["notes_*"] }, false],
  [{ default: "enabled", deny: ["notes_old", "cli:other", "other_*"] }, true],
  [{ tools: { notes_read: {} }, deny: ["cli:notes"] }, false],
  [{ tools: { notes_read: {} } }, true],
  [{ tools: { "cli:notes": {} } }, true],
  [{ tools: { "notes_re*": {} } }, true],
  [{ tools: { "no*": {} } }, true],
  [{ tools: { other_read: {}, "cli:other": {}, "other_*": {} } }, false],
];

for (const [policy, isServed] of rows) {
  Deno.test(`mayServe() of ${JSON.stringify(policy)} is ${isServed}`, () => {
    assert.equal(mayServe(policy, { name: "Notes", prefix: "notes_" }), isServed);
  });
}
