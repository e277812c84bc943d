import type { Ranking } from "../../src/catalog/rank/rank.ts";
import type { Arg, Owner, Tool } from "../../src/tool/tool.ts";
import { rankingOf } from "../../src/catalog/rank/rank.ts";
import { toDocument } from "../../src/catalog/search_request.ts";

export const git: Owner = {
  name: "git-tools",
  description: "Version control",
  category: "vcs",
  tags: ["repository"],
};
export const docker: Owner = {
  name: "docker",
  description: "Manage containers",
  category: "containers",
  tags: [],
};
export const files: Owner = { name: "files", description: "", tags: ["ファイル操作", "disk"] };

/** A small catalogue of several scripts. */
export const catalogue: Tool[] = [
  tool(git, "git_commit", "Record changes to the repository", { message: "Commit message" }),
  tool(git, "git_branch_delete", "Delete a branch", { force: "Even if it is not merged" }),
  tool(git, "git_log", "Show commit logs", { max_count: "Limit the number of entries" }),
  tool(git, "git_stash", "Put local changes aside"),
  tool(docker, "docker_ps", "List containers", { all: "Show stopped containers too" }),
  tool(docker, "docker_rm", "Remove one or more containers"),
  tool(docker, "docker_login", "Authenticate to a registry", { username: "", password: "" }),
  tool(docker, "docker_getImageHistory", "Layers (with sizes)"),
  tool(files, "files_copy", "Copy a directory to another place [a-z]*"),
  tool(files, "files_削除", "ファイルを削除する"),
  tool(files, "files_複製", "选择文件并复制"),
  tool(files, "files_search", "חיפוש קבצים 🔍 İstanbul"),
];

/** A CLI of nothing but a name. */
export function cli(name: string): Owner {
  return { name, description: "", tags: [] };
}

/** A tool whose arguments are given as names and descriptions. */
export function tool(
  cli: Owner,
  name: string,
  description: string,
  args: Readonly<Record<string, string>> = {},
): Tool {
  return {
    name,
    description,
    owner: cli,
    args: Object.entries(args).map(([name, description]) => toArg(name, description)),
    timeoutMs: 30_000,
    source: { kind: "command" },
  };
}

function toArg(name: string, description: string): Arg {
  const role = { kind: "flag", flag: `--${name}` } as const;
  return { name, description, type: "string", required: false, role };
}

/** A ranking of `tools`, as a session has it. */
export function buildRanking(tools: readonly Tool[]): Ranking {
  return rankingOf(tools.map(toDocument));
}
