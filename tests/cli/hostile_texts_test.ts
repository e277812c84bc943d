/** What strangers write into a project, as every command that prints it shows it to a person. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { scratch, writeFiles } from "../e2e/_scratch.ts";
import { climax, climaxOnTerminal } from "./commands/_climax.ts";

/** Conceals, links, turns round, hides and forges a line. */
const hostile = "a\x1b[8m\x1b]8;;http://x\x07\u202e\u200b\x9b8m\rb\nerror: forged";

/** In one line, as a person types it. */
const typed = hostile.split("\r")[0]!;

const quoted = JSON.stringify(hostile);
const tool = "{ name: t, description: d, args: [] }";

const files: Readonly<Record<string, string>> = {
  "words.yaml":
    `name: words\ndescription: ${quoted}\ncommand: ${quoted}\ntools:\n  - { name: t, description: ${quoted}, args: [{ name: a, description: ${quoted}, default: ${quoted} }] }\n`,
  "config.yaml": `name: ${quoted}\ndescription: d\ncommand: git\ntools: [${tool}]\n`,
  "tool.yaml":
    `name: x\ndescription: d\ncommand: git\ntools: [{ name: ${quoted}, description: d }]\n`,
  "arg.yaml":
    `name: x\ndescription: d\ncommand: git\ntools: [{ name: t, description: d, args: [{ name: ${quoted} }] }]\n`,
  "policy.yaml": `default: ${quoted}\ntools: { ${quoted}: {} }\n`,
  "named.json": JSON.stringify({ mcpServers: { [hostile]: { command: "true" } } }),
  "own.json": JSON.stringify({
    mcpServers: [{ name: hostile, transport: "stdio", command: "true" }],
  }),
  "started.json": JSON.stringify({ mcpServers: { s: { command: "false", args: [hostile] } } }),
  ".mcp.json": JSON.stringify({
    mcpServers: {
      [hostile]: { command: "true" },
      s: { command: "false", args: [hostile], env: { [hostile]: "x" } },
    },
  }),
};

const isRefused = /without control and invisible characters/;
const isShown = /\\x1b\[8m|⟨U\+001B⟩\[8m/;

const rows: readonly [args: readonly string[], prints: RegExp][] = [
  [["trust", "--mcp", "started.json", "--all"], /exit code 1/],
  [["trust", "--mcp", "named.json", "--all"], isRefused],
  [["trust", "--mcp", "own.json", "--all"], isRefused],
  [["init", "--yes"], isShown],
  [["init", "--dry-run"], isShown],
  [["validate", "./words.yaml"], isShown],
  [["validate", "./config.yaml"], isRefused],
  [["validate", "./tool.yaml"], isRefused],
  [["validate", "./arg.yaml"], isRefused],
  [["run", "./arg.yaml"], isRefused],
  [["list", "./words.yaml"], /words/],
  [["list", "git", "--policy", "policy.yaml"], isShown],
  [["policy", "explain", "--policy", "readonly", "./words.yaml", "--", "t"], isShown],
  [["show", typed], isShown],
  [["list", `./${hostile}`, "git"], isShown],
  [["list", "git", "--mcp", hostile], isShown],
  [[typed], isShown],
];

/** What nothing printed may have: all but the program's own colours, and its own line above the prompt. */
const raw =
  // deno-lint-ignore no-control-regex
  /\x1b(?!\[(?:1|2|22|31|32|33|36|39|)m|\[K)|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f\u202e\u200b]|^error: forged/m;

for (const [args, prints] of rows) {
  Deno.test(`climax ${args.map((word) => word === hostile ? "…" : word).join(" ")} shows what a stranger wrote`, async () => {
    await using place = await scratch();
    const work = join(place.path, "work");
    await writeFiles(work, files);
    const home = join(place.path, "home");
    await Deno.mkdir(home);
    const settings = {
      cwd: work,
      env: { HOME: home, XDG_CONFIG_HOME: home, XDG_STATE_HOME: home, CLIMAX_STATE_DIR: home },
    };
    const { stdout, stderr } = await climax(args, settings);
    const shown = await climaxOnTerminal(args, { ...settings, streams: ["stdout", "stderr"] });
    for (
      const text of [stdout, stderr, shown.replaceAll("\r\n", "\n").replaceAll("\r\x1b[K", "")]
    ) {
      assert.doesNotMatch(text, raw, JSON.stringify(text));
    }
    assert.match(stdout + stderr, prints);
  });
}
