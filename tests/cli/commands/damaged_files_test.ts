/** A file that cannot be read is never taken for a missing one, and is never overwritten. */

import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { scratch } from "../../e2e/_scratch.ts";
import { configText, odd } from "../../_upstream.ts";
import { climax } from "./_climax.ts";

const whole =
  '{"version":"1.0.0","proposedBy":"m","groups":[{"id":"a","name":"A","description":"A",' +
  '"systemPrompt":"A","tools":[{"name":"own_say","serverName":"own"}]}]}';
const server = configText([odd("files", "defined", "definitions.json")]);

/** The file, what is wrong with it, and the command lines that would write it. */
const rows: readonly (readonly [file: string, texts: readonly string[], ...string[][]])[] = [
  [
    ".tamamo-x/groups.json",
    [
      "",
      "[1]",
      whole.slice(0, 90),
      whole.replace('"id"', '"note":"mine","id"'),
      whole.replace('"own"', '"own","inputSchema":{}'),
      whole.replace("1.0.0", "2.0.0"),
    ],
    ["build", "other.json"],
    ["build", "other.json", "--dry-run"],
  ],
  [".climax/lock.json", ["{", '{"version":2,"servers":{}}'], [
    "trust",
    "files",
    "--yes",
    "--mcp",
    "climax.json",
  ]],
  ["climax.json", ["[", "[]"], ["add", "x", "--yes", "--", "true"], ["init", "--yes"]],
  [".mcp.json", ["{", "[]"], ["connect", "claude-code", "git", "--scope", "project", "--yes"]],
  [".config/climax/accepted.json", [
    "{",
    '{"version":2,"entries":[]}',
    '{"version":1,"entries":[{"kind":"config","path":"/a"}]}',
    '{"version":1,"entries":[{"kind":"config","path":"/a","part":"","sha256":"b","until":3}]}',
  ], ["trust", "files", "--yes", "--mcp", "climax.json"]],
  ["climax.examples.yaml", ["version: 2", "tools: {a: 1}"], ["enrich", "./own.yaml"]],
];

for (const [file, texts, ...commands] of rows) {
  Deno.test(`a damaged ${file} is kept`, async () => {
    for (const text of texts) {
      await using dir = await scratch({
        "definitions.json": [{ name: "read", inputSchema: { type: "object" } }],
        "climax.json": server,
        "other.json": { version: "1.0.0", mcpServers: [], cliConfigs: ["./own.yaml"] },
        "own.yaml": "name: own\ncommand: echo\ntools: [{ name: own_say, description: Says }]\n",
      });
      const path = join(dir.path, file);
      const XDG_CONFIG_HOME = join(dir.path, ".config");
      const env = { HOME: dir.path, USERPROFILE: dir.path, XDG_CONFIG_HOME, ANTHROPIC_API_KEY: "" };
      await climax(["trust", "--all", "--yes", "--mcp", "other.json"], { cwd: dir.path, env });
      await Deno.mkdir(dirname(path), { recursive: true });
      await Deno.writeTextFile(path, text);
      for (const command of commands) {
        const ran = await climax(command, { cwd: dir.path, env });
        assert.notEqual(ran.code, 0, `${command.join(" ")}: ${ran.stdout}${ran.stderr}`);
        assert.match(ran.stderr, new RegExp(file.split("/").at(-1)!), text);
        assert.equal(await Deno.readTextFile(path), text);
      }
    }
  });
}
