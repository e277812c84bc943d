import assert from "node:assert/strict";
import fc from "../_properties.ts";
import { nearNames } from "../../src/text/similar_names.ts";

const known = ["git_commit", "git_status", "git_log", "docker_ps", "docker_logs", "ls"];

const rows: readonly [name: string, near: string[]][] = [
  ["git_comit", ["git_commit"]],
  ["GIT_COMMIT", ["git_commit"]],
  ["gti_log", ["git_log"]],
  ["git-log", ["git_log"]],
  ["commit_git", ["git_commit"]],
  ["status.git", ["git_status"]],
  ["docker_log", ["docker_logs", "docker_ps"]],
  ["sl", ["ls"]],
  ["lss", ["ls"]],
  ["kubectl_get", []],
  ["", []],
  ["x".repeat(129), []],
];

for (const [name, near] of rows) {
  Deno.test(`nearNames() has ${JSON.stringify(near)} for '${name.slice(0, 20)}'`, () => {
    assert.deepEqual(nearNames(name, known), near);
  });
}

Deno.test("nearNames() gives three names at most, nearest first", () => {
  const names = ["abcdex", "abcdefxx", "abcdefx", "abcdef_", "abcde"];
  const near = nearNames("abcdef", names);
  assert.equal(near.length, 3);
  assert.deepEqual(near, ["abcdef_", "abcdex", "abcdefx"]);
});

Deno.test("nearNames() gives only known names, each once, and finds an exact one first", () => {
  fc.assert(fc.property(
    fc.uniqueArray(fc.string({ maxLength: 12 }), { minLength: 1 }),
    fc.string({ maxLength: 130 }),
    fc.nat(),
    (names, name, pick) => {
      const near = nearNames(name, names);
      assert.equal(near.length <= 3, true);
      assert.equal(new Set(near).size, near.length);
      assert.equal(near.every((each) => names.includes(each)), true);
      const exact = names[pick % names.length]!;
      if (exact === "") return;
      const spelt = nearNames(exact, [exact]);
      assert.deepEqual(spelt, [exact]);
    },
  ));
});
