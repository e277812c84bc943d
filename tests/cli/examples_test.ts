/** The command lines that help shows, run as they stand there, where they end by themselves. */

import assert from "node:assert/strict";
import { join } from "node:path";
import type { Example } from "../../src/cli/command.ts";
import { commands } from "../../src/cli/commands.ts";
import { wordsOf } from "../_command_line.ts";
import { scratch } from "../e2e/_scratch.ts";
import { climax } from "./commands/_climax.ts";
import { unix } from "../_requirements.ts";

/**
 * What is left out: what serves, or asks a person, a server, a language model or a network, or runs a program that
 * is not everywhere. Their examples are read by their grammars in `commands_test.ts`.
 */
const left = [
  ...["run", "mcp", "approve", "ui", "build", "connect", "init", "add", "remove", "trust", "login"],
  ...["logout", "generate"],
];

/** Examples of other commands that are left out, for the same. */
const leftLines = /enrich --mcp|^doctor|^skill --install --agent|^list --groups|^log --follow/;

const files: Readonly<Record<string, string>> = {
  "my.yaml": "name: my\ndescription: Mine\ncommand: echo\ntools:\n" +
    "  - name: my_tool\n    description: Say\n    effect: read\n" +
    "    args: [{ name: text, positional: true }]\n",
  "read-only.yaml": "default: enabled\neffects: [read]\n",
  "policy.yaml": "default: enabled\n",
  "queries.jsonl": '{"query": "say", "want": [["my_tool"]]}\n',
  "tamamo-x.config.json": '{"version": "1.0.0", "mcpServers": []}\n',
};

/** What an example answers where that is no. */
const answersNo = /^policy explain git_log max_count/;

const lines = [...commands.values()].filter(({ name }) => !left.includes(name));

unix.test("the examples of help run as they stand there", async (test) => {
  await using dir = await scratch(files);
  for (const entry of lines) {
    const { examples } = await entry.load();
    for (const example of examples) {
      if (leftLines.test(example[0])) continue;
      await test.step(`climax ${example[0]}`, () => runs(example, dir.path));
    }
  }
});

async function runs([line]: Example, cwd: string): Promise<void> {
  const env = {
    HOME: join(cwd, "home"),
    XDG_CONFIG_HOME: join(cwd, "settings"),
    XDG_DATA_HOME: "",
    // Which is not set everywhere
    SHELL: "/bin/bash",
    // The only query of the file is about a config of its own
    ...(line === "eval queries.jsonl" ? { CLIMAX_CONFIG: "./my.yaml" } : {}),
  };
  // A shell would write stdout to the file that is named last
  const [command, file] = line.split(" > ");
  const { code, stdout, stderr } = await climax(wordsOf(command!), { cwd, env });
  if (file !== undefined) await Deno.writeTextFile(join(cwd, file), stdout);
  // A folder that is no repository has no history
  const isOfGit = /^call git(?!.*dry-run)/.test(line);
  if (isOfGit) assert.match(stdout, /\[exit code: 128\]/);
  else assert.ok(code === 0 || answersNo.test(line), stdout + stderr);
  assert.notEqual(stdout + stderr, "");
}
