/** Colour on terminals and nowhere else, and that nobody else's escapes come through it. */

import assert from "node:assert/strict";
import { scratch } from "../e2e/_scratch.ts";
import { onTerminal, terminal } from "./_terminal.ts";
import { cellWidth } from "../../src/text/wrap.ts";
import { climax, climaxOnTerminal } from "./commands/_climax.ts";

const escape = "\x1b[";

Deno.test("errors and tables have colours on a terminal", async () => {
  assert.equal(
    await climaxOnTerminal(["gitt"]),
    "\x1b[31merror:\x1b[39m Unknown config 'gitt'\n" +
      "  \x1b[36mhint:\x1b[39m Did you mean: git\n",
  );
  const [head = "", ...rows] = (await climaxOnTerminal(["list", "git"])).split("\n");
  assert.ok(head.startsWith("\x1b[1mTOOL") && head.endsWith("DESCRIPTION\x1b[22m"), head);
  assert.ok(rows.some((row) => row.startsWith("\x1b[2m    ")), rows.join("\n"));
  const checked = await climaxOnTerminal(["validate", "git", "none.yaml"]);
  assert.ok(checked.startsWith("git: \x1b[32mok\x1b[39m, "), checked);
  assert.ok(checked.endsWith("none.yaml: \x1b[31m1 problem\x1b[39m\n"), checked);
  const examined = await climaxOnTerminal(["doctor", "git", "--all"]);
  assert.ok(examined.includes("\x1b[32mok:\x1b[39m config git"), examined);
});

terminal.test("on a terminal of the system, only streams that are connected to it have escapes", async () => {
  const [head = "", ...rows] = (await onTerminal(["list", "git"])).split("\n");
  assert.ok(head.startsWith("\x1b[1mTOOL"), head);
  const widths = rows.map((row) => cellWidth(row));
  assert.ok(widths.every((width) => width <= 100), widths.join());
  const piped = await onTerminal(["validate", "jq", "none.yaml"], { behind: "| cat" });
  assert.ok(piped.includes("1 problem") && !piped.includes(escape), piped);
  const refused = await onTerminal(["gitt"], { behind: "2>&1 >/dev/null | cat" });
  assert.ok(refused.includes("error:") && !refused.includes(escape), refused);
});

for (
  const [args, env] of [
    [[], { FORCE_COLOR: "1", NO_COLOR: "" }],
    [["--color", "always"], {}],
  ] as [string[], Record<string, string>][]
) {
  Deno.test(`a pipe has escapes with ${args.join(" ")} ${JSON.stringify(env)}`, async () => {
    const listed = await climax([...args, "list", "jq"], { env });
    assert.ok(listed.stdout.startsWith("\x1b[1mTOOL"), listed.stdout);
    const refused = await climax(["gitt", ...args], { env });
    assert.ok(refused.stderr.includes("\x1b[31merror:"), refused.stderr);
  });
}

for (
  const [args, env] of [
    [["--color", "never"], { FORCE_COLOR: "1" }],
    [[], { FORCE_COLOR: "1", NO_COLOR: "1" }],
    [[], { FORCE_COLOR: "0" }],
  ] as [string[], Record<string, string>][]
) {
  Deno.test(`a terminal has none with ${args.join(" ")} ${JSON.stringify(env)}`, async () => {
    const text = await climaxOnTerminal(["list", ...args, "jq"], { env });
    assert.ok(text.length > 10 && !text.includes(escape), text);
  });
}

Deno.test("--json has no escapes on a terminal", async () => {
  for (const args of [["validate", "none.yaml"], ["list", "git"], ["doctor", "git"], ["stats"]]) {
    const text = await climaxOnTerminal([...args, "--json"], { streams: ["stdin", "stdout"] });
    assert.ok(!text.includes("\x1b"), text);
    JSON.parse(text);
  }
});

const hostile = `name: "x\\e[31m\\x9b1m"
description: "d\\e]0;title\\a\\x9bJ"
command: "echo\\e[5m"
category: "c\\e[31m"
tools:
  - name: "t\\e[2J"
    description: "x\\e[31m\\x9b31m"
    args: [{ name: "a\\e[7m", flag: "--x", enum: ["\\e[31mred"] }]
`;

Deno.test("texts of a config bring no control character to stdout or stderr", async () => {
  await using dir = await scratch({
    "hostile.yaml": hostile,
    "broken.yaml": `${hostile}"k\\e[1m": 1\n`,
  });
  for (
    const args of [
      ["validate", "hostile.yaml"],
      ["validate", "hostile.yaml", "--json"],
      ["validate", "broken.yaml"],
      ["list", "hostile.yaml"],
      ["list", "hostile.yaml", "--json"],
      ["list", "broken.yaml"],
      ["search", "--config", "hostile.yaml"],
      ["search", "--config", "hostile.yaml", "--category", "d"],
      ["search", "--config", "hostile.yaml", "--json", "x"],
      ["doctor", "hostile.yaml"],
      ["doctor", "hostile.yaml", "--json"],
      ["policy", "init", "hostile.yaml"],
      ["call", "hostile.yaml", "--", "t"],
    ]
  ) {
    const { stdout, stderr } = await climax(args, { cwd: dir.path });
    // deno-lint-ignore no-control-regex
    const found = /[\x00-\x08\x0b-\x1f\x7f-\x9f].*/.exec(stdout + stderr);
    assert.equal(found, null, `${args.join(" ")}: ${JSON.stringify(found?.[0])}`);
  }
});
