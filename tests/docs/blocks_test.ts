/**
 * Every block of the pages is what it looks like: a file loads, and a command line is one that climax reads. A comment
 * `<!-- unloaded: WHY -->`, which a reader does not see, is in front of a block that cannot be, such as a part of a file.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { load } from "js-yaml";
import { divide } from "../../src/cli/commands.ts";
import { readWords } from "../../src/cli/program.ts";
import { plainJson } from "../../src/files/json.ts";
import { readPolicy } from "../../src/policy/load.ts";
import { readConfig } from "../../src/sources/command/read_config.ts";
import { readUpstreamConfig } from "../../src/sources/upstream/config.ts";
import { climaxOnTerminal } from "../cli/commands/_climax.ts";
import { scratch } from "../e2e/_scratch.ts";
import { wordsOf } from "../_command_line.ts";
import { filesBelow, root } from "../_fixtures.ts";
import { runToEnd } from "../_run.ts";

const pages = ["README.md", "configs/README.md", ...filesBelow("docs", /\.md$/)];

interface Block {
  readonly page: string;
  readonly language: string;
  readonly text: string;
}

async function blocksOf(page: string): Promise<Block[]> {
  const text = await Deno.readTextFile(join(root, page));
  const found = text.matchAll(/(<!-- unloaded: .+ -->\n)?^( *)```(\w+)\n([^]*?)^ *```$/gm);
  return [...found].flatMap(([, why, indent, language, block]) => {
    const inner = block!.replaceAll(new RegExp(`^${indent}`, "gm"), "");
    return why === undefined ? [{ page, language: language!, text: inner }] : [];
  });
}

/** Problems of a text as each kind of file that has these keys. */
async function problemsOf({ language, text }: Omit<Block, "page">): Promise<unknown> {
  // A log has an object a line, and a part of a project's file a key
  if (/^\{.*\}\n\{/.test(text)) {
    return void text.trim().split("\n").forEach((each) => JSON.parse(each));
  }
  if (text.startsWith('"')) {
    return await problemsOf({ language, text: `{"version":"1.0.0","mcpServers":[],${text}}` });
  }
  const value = language === "yaml" ? load(text) : JSON.parse(plainJson(text));
  const has = (...keys: string[]) => keys.some((key) => Object.hasOwn(value as object, key));
  if (language !== "yaml") {
    if (!has("version")) return undefined;
    const read = await readUpstreamConfig({ file: "climax.json", text });
    return read.ok ? undefined : read.problems;
  }
  // Those of clients and of containers
  if (has("services", "apiVersion", "extensions")) return undefined;
  const isPart = Array.isArray((value as { tools?: unknown }).tools) && !has("command");
  const read = has("command") || isPart
    ? await readConfig("config.yaml", isPart ? `name: part\ncommand: part\n${text}` : text)
    : await readPolicy({ file: "policy.yaml", text });
  return read.ok ? undefined : read.problems;
}

const all = (await Promise.all(pages.map(blocksOf))).flat();

for (const block of all.filter(({ language }) => /^(?:yaml|jsonc?)$/.test(language))) {
  Deno.test(`${block.page}: a file loads that begins ${block.text.slice(0, 40).trim()}`, async () => {
    assert.deepEqual(await problemsOf(block), undefined);
  });
}

/** The words of climax in a line for a shell, without comments, variables and what follows a pipe. */
function lineOf(line: string): string[] | undefined {
  const [, words] = /(?:^\$ |^|\.\/)climax ((?:'[^']*'|"[^"]*"|[^'"#|&>])*)/.exec(line) ?? [];
  return words === undefined ? undefined : wordsOf(`${words.replaceAll('"', "'")} `);
}

Deno.test("pages: every command line is one that climax reads", async () => {
  let count = 0;
  for (const { page, language, text } of all) {
    if (!/^(?:sh|console)$/.test(language)) continue;
    const lines = text.replaceAll("\\\n", "").split("\n")
      .filter((line) => language === "sh" || line.startsWith("$"));
    for (const line of lines) {
      const given = lineOf(line);
      if (given === undefined) continue;
      const { command, words } = divide(given);
      await assert.doesNotReject(readWords(command, words), `${page}: ${line}`);
      count++;
    }
  }
  assert.ok(count > 40, `${count} lines`);
});

Deno.test("pages: a command within a text has options that there are", async () => {
  let count = 0;
  for (const page of [...pages, "CHANGELOG.md"]) {
    const text = (await Deno.readTextFile(join(root, page))).replaceAll(/```[^]*?```/g, "");
    for (const [, line] of text.matchAll(/`climax ([^`]*--[^`]*)`/g)) {
      const { command, words } = divide(wordsOf(line!.replaceAll(/[[\]|]|\s/g, " ")));
      const message = await readWords(command, words).then(() => "", ({ message }) => message);
      assert.doesNotMatch(message, /^Unknown (?:option|command)/, `${page}: ${line}`);
      count++;
    }
  }
  assert.ok(count > 30, `${count} commands`);
});

Deno.test("docs/tasks.md: the questions are those that calls ask", async () => {
  const page = await Deno.readTextFile(join(root, "docs", "tasks.md"));
  const asked = [...page.matchAll(/<!-- asked by: (.*) -->\n```text\n([^]*?)\n```/g)];
  assert.ok(asked.length > 1);
  for (const [, words, question] of asked) {
    await using dir = await scratch();
    await runToEnd(["git", "init", "--quiet", dir.path]);
    const remote = ["origin", "https://example.org/project.git"];
    await runToEnd(["git", "-C", dir.path, "remote", "add", ...remote]);
    const seen = await climaxOnTerminal(wordsOf(words!), { cwd: dir.path, stdin: "n\n" });
    const shown = question!.replace("/home/ada/project", await Deno.realPath(dir.path));
    assert.ok(seen.replaceAll("\r", "").includes(shown), seen);
  }
});
