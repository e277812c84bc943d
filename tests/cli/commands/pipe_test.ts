/** Output into a pipe whose reader leaves early, as `climax list | head -1` has it. */

import assert from "node:assert/strict";
import { within } from "../../e2e/_scratch.ts";
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
