/** Output into a pipe whose reader leaves early, as `climax list | head -1` has it. */

import assert from "node:assert/strict";
import { within } from "../../_wait.ts";
import { join } from "node:path";
import { climax, environment } from "../../e2e/_server.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { linux } from "../../_requirements.ts";
import { ends } from "./_climax.ts";
import { runToEnd, spawn } from "../../_run.ts";

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
    const child = spawn(climax(...args));
    const stderr = new Response(child.stderr).text();
    await child.stdout.cancel();
    const { code } = await within(child.status, "the end of the program");
    assert.match(await stderr, /^(.* warning: Not installed: docker\n)?$/);
    assert.equal(code, 0);
  });
}

linux.test("a stdout that takes no more is said, and is no defect of climax", async () => {
  for (const args of [["list"], ["validate", "jq", "--json"], ["--help"]]) {
    const line = climax(...args).map((word) => `'${word}'`).join(" ");
    await ends(runToEnd(["sh", "-c", `${line} >/dev/full`]), {
      code: 3,
      stderr: "error: Standard output cannot be written: No space left on device\n",
    });
  }
});

Deno.test("a reader that leaves does not undo a write: climax add", async () => {
  await using dir = await scratch();
  const [program, ...args] = climax("add", "x", "--yes", "--", "npx", "x");
  const settings = { cwd: dir.path, env: environment(), clearEnv: true } as const;
  const child = new Deno.Command(program, { ...settings, args, stdin: "null", stdout: "piped" });
  const running = child.spawn();
  await running.stdout.cancel();
  await ends(within(running.status, "the end of the program"), { code: 0 });
  assert.match(await Deno.readTextFile(join(dir.path, "climax.json")), /"name": "x"/);
});
