/**
 * Small catalogues for the tests of search.
 */

import type { Arg, Owner, Tool } from "../../src/tool/tool.ts";

export const GIT: Owner = {
  name: "git-tools",
  description: "Version control",
  category: "vcs",
  tags: ["repository"],
};
export const DOCKER: Owner = {
  name: "docker",
  description: "Manage containers",
  category: "containers",
  tags: [],
};
export const FILES: Owner = { name: "files", description: "", tags: ["ファイル操作", "disk"] };

/** A small catalogue of several scripts. */
export const TOOLS: Tool[] = [
  tool(GIT, "git_commit", "Record changes to the repository", { message: "Commit message" }),
  tool(GIT, "git_branch_delete", "Delete a branch", { force: "Even if it is not merged" }),
  tool(GIT, "git_log", "Show commit logs", { max_count: "Limit the number of entries" }),
  tool(GIT, "git_stash", "Put local changes aside"),
  tool(DOCKER, "docker_ps", "List containers", { all: "Show stopped containers too" }),
  tool(DOCKER, "docker_rm", "Remove one or more containers"),
  tool(DOCKER, "docker_login", "Authenticate to a registry", { username: "", password: "" }),
  tool(DOCKER, "docker_getImageHistory", "Layers (with sizes)"),
  tool(FILES, "files_copy", "Copy a directory to another place [a-z]*"),
  tool(FILES, "files_削除", "ファイルを削除する"),
  tool(FILES, "files_複製", "选择文件并复制"),
  tool(FILES, "files_search", "חיפוש קבצים 🔍 İstanbul"),
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
