/** Output into a pipe whose reader leaves early, as `climax list | head -1` has it. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { within } from "../../_wait.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { climax, environment } from "../../e2e/_server.ts";

for (
  const args of [
    ["list", "git", "docker", "--json"],
    ["list"],
    ["search", "--limit", "500", "--category", "vcs", "--json"],
    ["--help"],
    ["--version"],
  ]
) {
  Deno.test(`a reader that leaves is no error: climax ${args.join(" ")}`, async () => {
    const [program, ...rest] = climax(...args);
    const child = new Deno.Command(program, {
      args: rest,
      env: environment(),
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const stderr = new Response(child.stderr).text();
    await child.stdout.cancel();
    const { code } = await within(child.status, "the end of the program");
    assert.equal(await stderr, "");
    assert.equal(code, 0);
  });
}

Deno.test("a reader that leaves does not undo a write: climax add", async () => {
  await using dir = await scratch();
  const [program, ...args] = climax("add", "x", "--yes", "--", "npx", "x");
  const settings = { cwd: dir.path, env: environment(), clearEnv: true } as const;
  const child = new Deno.Command(program, { ...settings, args, stdin: "null", stdout: "piped" });
  const running = child.spawn();
  await running.stdout.cancel();
  const { code } = await within(running.status, "the end of the program");
  assert.equal(code, 0);
  assert.match(await Deno.readTextFile(join(dir.path, "climax.json")), /"name": "x"/);
});

Deno.test({
  name: "a stdout that takes no more is said, and is no defect of climax",
  ignore: Deno.build.os !== "linux",
  async fn() {
    for (const args of [["list"], ["validate", "jq", "--json"], ["--help"]]) {
      const line = climax(...args).map((word) => `'${word}'`).join(" ");
      const child = new Deno.Command("sh", {
        args: ["-c", `${line} >/dev/full`],
        env: environment(),
        clearEnv: true,
      });
      const { code, stderr } = await within(child.output(), line);
      assert.equal(code, 3);
      assert.equal(
        new TextDecoder().decode(stderr),
        "error: Standard output cannot be written: No space left on device\n",
      );
    }
  },
});
