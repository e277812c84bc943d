/** Compares the effects of bundled tools with the words and flags of their commands. */

import assert from "node:assert/strict";
import { openSession } from "../../src/session/session.ts";
import { bundledConfigs } from "../../src/sources/command/bundled.ts";
import { commandSourceOf } from "../../src/sources/command/source.ts";
import { inputSchema } from "../../src/tool/json_schema.ts";
import type { Tool } from "../../src/tool/tool.ts";

const session = await openSession({ configs: [...bundledConfigs.keys()], thorough: true });
const { tools } = session.index;

/** Words of command lines and options that take something away, or may. */
const destroys =
  /^(?:--(?:force|hard|prune|delete|purge|volumes|discard|overwrite|amend|no-verify)|-[fDd]|rm|rmi|prune|reset|clean|restore|drop|kill|purge)(?:-|=|$)/;

/** Words that change something, if only what can be brought back. */
const writes =
  /^(?:add|commit|push|pull|fetch|clone|init|merge|rebase|revert|apply|mv|tag|start|stop|restart|up|down|build|create)$/;

/** Tools whose words say more than they do. */
const harmless: Readonly<Record<string, readonly string[]>> = {
  // Sorts, filters and names, and lists
  ls: ["-d"],
  cut: ["-d", "-f"],
  du: ["-d"],
  sort: ["-f"],
  uniq: ["-d"],
  git_tag_list: ["tag"],
  files_du: ["-d"],
  tar_list: ["--force-local"],
  obsidian_tag: ["tag"],
  // The format of no output
  ffmpeg_volume_detect: ["-f"],
  ffmpeg_silence_detect: ["-f"],
};

function wordsOf({ name, source, args }: Tool): string[] {
  const { command, template = [] } = commandSourceOf({ source } as Tool);
  const flags = args.flatMap(({ role }) => role.kind === "flag" ? [role.flag] : []);
  const fixed = template.flatMap((piece) => {
    return piece.kind === "token" ? piece.parts.filter((part) => typeof part === "string") : [];
  });
  const words = [...command.slice(1), ...flags, ...fixed];
  return words.filter((word) => !harmless[name]?.includes(word));
}

Deno.test("every bundled tool says what it may change", () => {
  assert.equal(tools.length > 100, true);
  assert.deepEqual(tools.filter(({ effect }) => effect === undefined).map(({ name }) => name), []);
});

Deno.test("no bundled tool that reads has a word or a flag that changes anything", () => {
  const doubtful = tools.filter(({ effect }) => effect === "read").flatMap((tool) => {
    return wordsOf(tool).filter((word) => destroys.test(word) || writes.test(word))
      .map((word) => `${tool.name}: ${word}`);
  });
  assert.deepEqual(doubtful, []);
});

Deno.test("the words that destroy are found in the tools that do", () => {
  const found = tools.filter((tool) => wordsOf(tool).some((word) => destroys.test(word)));
  const names = found.map(({ name }) => name);
  for (const name of ["git_rm", "git_reset_hard", "git_branch_delete", "docker_rm", "docker_rmi"]) {
    assert.equal(names.includes(name), true, name);
  }
});

Deno.test("what the bundled configs destroy is called so", () => {
  // Code of a project may do everything
  const own = tools.filter(({ requires }) => requires === undefined);
  const destructive = own.filter(({ effect }) => effect === "destructive").map(({ name }) => name);
  const expected = {
    claude: "ask continue resume",
    docker: "stop restart rm pull tag rmi compose_stop compose_restart compose_down",
    files: "write remove",
    gh: "issue_edit pr_edit pr_merge run_cancel",
    git: "restore rm reset reset_hard revert_abort cherry_pick_skip cherry_pick_abort clean " +
      "stash_drop branch_delete tag_delete merge_abort rebase_skip rebase_abort pull push " +
      "worktree_remove",
    kubectl: "rollout_restart rollout_undo rollout_resume scale delete_pod delete_job",
    obsidian: "property_set",
    pandoc: "write",
    process: "end",
  };
  const names = Object.entries(expected).flatMap(([program, tools]) => {
    return tools.split(" ").map((tool) => `${program}_${tool}`);
  });
  assert.deepEqual(destructive, names);
});

Deno.test("names of the Python CLImax's own configs still call their tools", () => {
  assert.equal(session.index.get("git_branch")?.name, "git_branch_list");
  assert.equal(session.index.get("claude_ask_with_model")?.name, "claude_ask");
});

Deno.test("paths of git and coreutils are lists behind their own '--'", () => {
  const ours = tools.filter(({ owner }) => ["git", "coreutils"].includes(owner.name));
  const paths = ours.flatMap((tool) => {
    return tool.args.filter(({ name, type }) => name === "path" && type === "array")
      .map((arg) => ({ tool, arg }));
  });
  assert.equal(paths.length > 15, true);
  for (const { tool, arg } of paths) {
    assert.deepEqual(arg.role, { kind: "placed", standsAlone: false, isShared: false }, tool.name);
    assert.equal((inputSchema(tool).properties!["path"] as { type: string }).type, "array");
  }
});

Deno.test("tools that change a project of packages, whose program looks for it in the folders above, need a sandbox", () => {
  const changing = tools.filter(({ owner, effect }) => {
    return effect !== "read" && ["cargo", "go", "npm", "uv"].includes(owner.name);
  });
  assert.ok(changing.length > 10);
  assert.deepEqual(changing.filter((tool) => !tool.requires).map(({ name }) => name), []);
});
