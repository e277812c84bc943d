/** Output into a pipe whose reader leaves early, as `climax list | head -1` has it. */

import assert from "node:assert/strict";
import { within } from "../../_wait.ts";
import { climax, environment } from "../../e2e/_server.ts";
import { linux } from "../../_requirements.ts";

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

linux.test("a stdout that takes no more is said, and is no defect of climax", async () => {
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
      "Standard output cannot be written: No space left on device\n" +
        "error: Not everything was printed\n",
    );
  }
});
