/** `climax skill`: instructions whose examples hold. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { scratch } from "../../e2e/_scratch.ts";
import { climax, ends } from "./_climax.ts";

Deno.test("climax skill prints instructions with a config that validates", async () => {
  const { code, stdout } = await climax(["skill"]);
  assert.equal(code, 0);
  assert.match(stdout, /^---\nname: climax-config\ndescription: Use when /);
  const [, config] = /```yaml\n([^]*?)```/.exec(stdout)!;
  await using dir = await scratch();
  // A program that is everywhere
  await Deno.writeTextFile(
    join(dir.path, "gh.yaml"),
    config!.replace("command: gh ", `command: ${Deno.build.os === "windows" ? "where" : "ls"} `),
  );
  const validated = await climax(["validate", "gh.yaml"], { cwd: dir.path });
  assert.equal(validated.stdout, "gh.yaml: ok, 1 tool\n");
});

Deno.test("climax skill names only commands and options that there are", async () => {
  const { stdout } = await climax(["skill"]);
  const lines = [...stdout.matchAll(/`climax ([a-z]+)([^`]*)`/g)];
  assert.ok(lines.length > 5);
  for (const [, command, rest] of lines) {
    const help = await ends(climax([command!, "--help"]), { code: 0 });
    for (const [option] of rest!.matchAll(/(?<=\s)--?[a-z][a-z-]*/g)) {
      assert.ok(help.stdout.includes(option), `climax ${command} ${option}`);
    }
  }
});

Deno.test("climax skill --install writes where the agent looks, and over nothing else", async () => {
  await using dir = await scratch();
  const cwd = dir.path;
  const path = join(cwd, ".claude", "skills", "climax-config", "SKILL.md");
  await ends(climax(["skill", "--install"], { cwd }), { code: 0, stdout: `${path}\n` });
  const text = await Deno.readTextFile(path);
  assert.equal(text.trimEnd(), (await climax(["skill"])).stdout.trimEnd());
  assert.equal((await climax(["skill", "--install"], { cwd })).code, 0);

  await Deno.writeTextFile(path, "by hand");
  const refused = await climax(["skill", "--install"], { cwd });
  assert.equal(refused.code, 3);
  assert.match(refused.stderr, /There is another text already/);
  assert.equal(await Deno.readTextFile(path), "by hand");
});
