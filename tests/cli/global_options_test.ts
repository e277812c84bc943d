/** The options that every command takes, in front of its name and after it. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { scratch } from "../e2e/_scratch.ts";
import { climax, climaxOnTerminal, ends } from "./commands/_climax.ts";

/** A folder with a policy that brings a warning: it names a tool that no config has. */
async function withWarning() {
  const dir = await scratch();
  await Deno.writeTextFile(join(dir.path, "p.yaml"), "tools:\n  jq_query: {}\n  jq_gone: {}\n");
  return dir;
}

const list = ["list", "jq", "--policy", "p.yaml"];

Deno.test("a person at a terminal sees log lines without time stamps, wrapped at words", async () => {
  await using dir = await withWarning();
  const { stderr } = await climax(list, { cwd: dir.path });
  assert.match(stderr, /^\d{4}-\d\d-\d\dT\S+ warning: p\.yaml:3:3: .*jq_gone/);
  const seen = await climaxOnTerminal(list, { cwd: dir.path, columns: 30, streams: ["stderr"] });
  const lines = seen.split("\n").slice(0, 3);
  // deno-lint-ignore no-control-regex
  assert.match(seen, /^\x1b\[33mwarning:\x1b\[39m p\.yaml:3:3: /);
  for (const line of lines) assert.ok(line.length <= 40, line);
  assert.match(lines[1]!, /^ {2}\S/);
});

Deno.test("--quiet leaves warnings out, in front of the command's name as well", async () => {
  await using dir = await withWarning();
  for (const args of [["-q", ...list], [...list, "--quiet"], ["--color", "never", "-q", ...list]]) {
    await ends(climax(args, { cwd: dir.path }), { code: 0, stdout: /^TOOL/, stderr: "" });
  }
  await ends(climax(list, { cwd: dir.path }), { stderr: /warning/ });
});

Deno.test("--quiet says errors all the same", async () => {
  await ends(climax(["-q", "list", "gitt"]), { code: 3, stderr: /Unknown config 'gitt'/ });
});

Deno.test("options in front of the name do not change which command runs", async () => {
  await ends(climax(["-v", "help", "stats"]), { code: 0, stdout: /^Usage: climax stats/ });
  await ends(climax(["-q"]), { code: 2, stderr: /^Usage: climax CONFIG/ });
});

Deno.test("--color takes three words", async () => {
  const { code, stderr } = await climax(["list", "--color", "sometimes"]);
  assert.equal(code, 2);
  assert.match(stderr, /--color takes one of auto, always, never, not 'sometimes'/);
});

Deno.test("help has bold heads and coloured commands on a terminal, and the same words", async () => {
  for (const args of [["help"], ["help", "list"], ["list", "--help"]]) {
    const seen = await climaxOnTerminal(args, { columns: 80 });
    assert.ok(seen.includes("\x1b[1mUsage:"), args.join(" "));
    assert.ok(seen.includes("\x1b[36m"), args.join(" "));
    // deno-lint-ignore no-control-regex
    assert.equal(seen.replaceAll(/\x1b\[\d+m/g, ""), (await climax(args)).stdout);
  }
});
