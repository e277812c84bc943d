import assert from "node:assert/strict";
import { join } from "node:path";
import { scratch } from "../../e2e/_scratch.ts";
import { climax } from "./_climax.ts";

const commands: readonly (readonly string[])[] = [
  ["run", "git"],
  ["list", "git"],
  ["search", "log", "--config", "git"],
  ["call", "git_log", "--config", "git", "--dry-run"],
  ["stats", "--config", "git"],
];

for (const [name, ...words] of commands) {
  Deno.test(`climax ${name} warns of a tool that the policy names and no config has`, async () => {
    await using dir = await scratch({ "policy.yaml": "tools:\n  git_log:\n  git_lgo:\n" });
    const policy = join(dir.path, "policy.yaml");
    const { code, stderr } = await climax([name!, ...words, "--policy", policy]);
    assert.equal(code, 0);
    assert.match(stderr, /warning: .*policy\.yaml:3:3: No config has a tool 'git_lgo'\n/);
    assert.match(stderr, /hint: Did you mean: git_log\n/);
  });
}
