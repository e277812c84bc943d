/** `climax complete`: what may stand next on a command line. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { commandTable } from "../../../src/cli/commands.ts";
import { complete } from "../../../src/cli/commands/completions.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { climax } from "./_climax.ts";

/** Words, the last of them unfinished, with what must and must not be offered for it. */
const cases: readonly [words: string[], offered: string[], not: string[]][] = [
  [[""], ["run", "list", "search", "call", "git", "coreutils"], ["--version"]],
  [["va"], ["validate"], ["git", "run"]],
  [["g"], ["git"], ["validate"]],
  [["run", "co"], ["coreutils"], ["completions"]],
  [["validate", "git", "d"], ["docker"], ["git"]],
  [["git", "d"], ["docker"], ["validate"]],
  [["run", "--cl"], ["--classic"], ["--print"]],
  [["completions", "f"], ["fish"], ["bash", "git"]],
  [["call", "git_st"], ["git_status"], ["git_log", "docker_ps"]],
  [["call", "--config", "d"], ["docker"], ["docker_ps"]],
  [["call", "--config", "git", "--config", "d"], ["docker"], ["docker_ps"]],
  [["call", "--config", "git", "git_st"], ["git_status"], ["docker_ps"]],
  [["stats", "d"], ["docker"], ["git"]],
  [["--v"], ["--version"], ["--help"]],
  [["search", "x", "--config", "d"], ["docker"], []],
  [["run", "git", "--log-level", "w"], ["warning"], []],
  [["run", "--policy", "g"], [], ["git"]],
  [["list", "git", "run"], [], ["run"]],
  [["call", "git_status", "d"], [], ["docker"]],
  [["search", "g"], [], ["git"]],
  [["help", "se"], ["search"], ["git"]],
  [["search", "--category", "v"], ["vcs"], ["containers"]],
  [["search", "--cli", "d"], ["docker"], ["git"]],
  [["search", "--config", "git", "--cli", ""], ["git"], ["docker"]],
  [["call", "git_log", "max"], ["max_count="], ["git_log"]],
  [["call", "git_log", "max_count=3", "m"], [], ["max_count="]],
  [["call", "git_log", "oneline="], ["oneline=true", "oneline=false"], ["max_count="]],
  [["call", "git", "--", "git_st"], ["git_status"], ["docker_ps"]],
  [["call", "git", "--", "git_log", "onel"], ["oneline="], []],
  [["call", "docker", "--", "git_st"], [], ["git_status"]],
  [["connect", "cl"], ["claude-code", "cline"], ["cursor"]],
  [["connect", "cursor", "g"], ["git"], ["goose"]],
  [["schema", "p"], ["policy", "project"], ["config"]],
  [["po"], ["policy"], ["policy explain"]],
  [["policy", "e"], ["explain"], ["git"]],
  [["policy", ""], ["explain", "init"], ["git"]],
  [["help", "to"], ["token"], ["token new"]],
  [["help", "token", ""], ["new"], ["run"]],
  [["policy", "explain", "git", "--", "git_st"], ["git_status"], ["docker_ps"]],
  [["policy", "explain", "--policy", "git-"], ["git-readonly"], ["git_status"]],
  [["run", "git", "--policy", "git-r"], ["git-readonly"], ["docker-readonly"]],
  [["run", "git", "--results", ""], ["contract", "compact"], ["git"]],
  [["run", "git", "--res"], ["--results"], []],
  [["search", "--category=v"], ["--category=vcs"], ["vcs"]],
  [["run", "--log-level=w"], ["--log-level=warning"], []],
  [["run", "--classic=w"], [], []],
  [["call", "gi"], ["git", "git_log"], []],
  [["call", "git", "--", "git_log", "--dr"], [], ["--dry-run"]],
  [["call", "git_log", "path=a", "pa"], ["path="], []],
  [["run", "@d"], ["@dev", "@data"], []],
  [["init", "--provider", "o"], ["openai", "openrouter"], []],
  [["nonsense-that-nothing-begins-with"], [], ["git"]],
];

for (const [words, offered, not] of cases) {
  Deno.test(`climax completions -- ${words.join(" ")}`, async () => {
    const found = await complete(words, commandTable);
    for (const word of offered) assert.equal(found.includes(word), true, `${word} in ${found}`);
    for (const word of not) assert.equal(found.includes(word), false, `${word} in ${found}`);
    assert.equal(found.every((word) => word.startsWith(words.at(-1)!)), true);
    assert.equal(new Set(found).size, found.length);
  });
}

Deno.test("climax completions -- knows own configs, servers, and nothing that is no plain text", async () => {
  const values = '["a b", "$(touch ran)", "it\'s", "*", "\\e[1m", "two\\nlines"]';
  const config = `name: mine
description: Mine
command: echo
tools: [{ name: mine_say, description: Say, args: [{ name: what, positional: true, enum: ${values} }] }]
`;
  const servers = { mcpServers: { alpha: { command: "a" }, beta: { command: "b" } } };
  await using dir = await scratch({
    ".climax/mine.yaml": config,
    ".mcp.json": JSON.stringify(servers),
  });
  const ask = async (...words: string[]) => {
    const { stdout, stderr } = await climax(["completions", "--", ...words], { cwd: dir.path });
    assert.equal(stderr, "");
    return stdout.trim().split("\n");
  };
  assert.deepEqual(await ask("run", "mi"), ["mine"]);
  assert.deepEqual(await ask("call", "mine", "--", "mine_say", "wh"), ["what="]);
  assert.deepEqual(await ask("call", "mine", "--", "mine_say", "what="), [
    "what=a b",
    "what=$(touch ran)",
    "what=it's",
    "what=*",
  ]);
  assert.deepEqual(await ask("trust", ""), ["alpha", "beta"]);
});

Deno.test("climax completions -- says nothing for a config that is broken", async () => {
  await using dir = await scratch({ "broken.yaml": "tools: [" });
  const broken = join(dir.path, "broken.yaml");
  assert.deepEqual(
    await complete(["call", "--config", broken, "--dry-run", "p"], commandTable),
    [],
  );
});
