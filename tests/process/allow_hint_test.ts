import assert from "node:assert/strict";
import { allowHint } from "../../src/process/permissions.ts";

Deno.test("allowHint() names the flags", () => {
  const hint = allowHint("a.log", "--allow-write", "--allow-read");
  assert.equal(hint, "Allow it: --allow-write=a.log --allow-read=a.log");
});
