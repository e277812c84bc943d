import assert from "node:assert/strict";
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
