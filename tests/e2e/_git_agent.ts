/** An agent with the bundled git config in a repository, and what it may find there. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { gitDaemon, repository, say } from "../configs/_programs.ts";
import { connect, type ConnectedClient, textsOf } from "./_clients.ts";
import { exists, type Scratch, scratch, writeFiles } from "./_scratch.ts";

/** A repository, a home beside it, a git server with hostile content, and an agent. */
export interface Ground {
  readonly repo: string;
  readonly home: string;
  /** The folder that the git server serves. */
  readonly served: string;
  /** The file that a program of the agent would write. */
  readonly trace: string;
  readonly remote: string;
  readonly client: ConnectedClient;
  /** Makes the move; what it answers. */
  readonly move: (tool: string, args?: Record<string, unknown>) => Promise<string>;
}

/** Has an agent make moves; afterwards no program of its own was run. */
export async function withAgent(
  use: (ground: Ground) => Promise<void>,
  { policy }: { readonly policy?: string } = {},
): Promise<void> {
  await using repo = await repository();
  await using place = await scratch();
  const home = join(place.path, "home");
  const served = join(place.path, "served");
  await Deno.mkdir(home);
  await Deno.mkdir(served);
  const trace = join(place.path, "trace");
  await hostileRepository(place, served, trace);
  await using daemon = await gitDaemon(served);
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, ".config"), GIT_CONFIG_GLOBAL: "" };
  const file = join(place.path, "policy.yaml");
  await Deno.writeTextFile(file, policy ?? "default: enabled\n");
  const words = policy === undefined ? [] : ["--policy", file];
  await using client = await connect(["git", ...words], { cwd: repo.path, env });
  const move = textsOf(client);
  await use({ repo: repo.path, home, served, trace, remote: daemon.url, client, move });
  assert.equal(await exists(trace), false, "a program of the agent's was run");
}

/** A repository whose content is a git config, and an embedded bare repository. */
async function hostileRepository(place: Scratch, served: string, trace: string): Promise<void> {
  const work = join(place.path, "work");
  const config = `[core]\n\tfsmonitor = "touch ${trace}; false"\n`;
  await Deno.mkdir(join(work, "docs", "objects"), { recursive: true });
  await Deno.mkdir(join(work, "docs", "refs"), { recursive: true });
  await Deno.writeTextFile(join(work, "config"), config);
  await Deno.writeTextFile(join(work, "docs", "HEAD"), "ref: refs/heads/main\n");
  const bare =
    `[core]\n\trepositoryformatversion = 0\n\tworktree = .\n\tfsmonitor = "touch ${trace}; false"\n`;
  await Deno.writeTextFile(join(work, "docs", "config"), bare);
  for (const keep of ["objects/k", "refs/k"]) {
    await Deno.writeTextFile(join(work, "docs", keep), "");
  }
  for (
    const words of [
      ["init", "--quiet", "--initial-branch=main"],
      ["add", "--all"],
      ["commit", "--quiet", "--message=x"],
      ["clone", "--quiet", "--bare", work, join(served, "evil.git")],
    ]
  ) {
    const said = await say(["git", ...words], work);
    assert.equal(said?.code, 0, said?.text);
  }
}

/** A patch that makes a file. */
export const newFile = (path: string, content: string, mode = "100755") => {
  const lines = content.split("\n").map((line) => `+${line}\n`).join("");
  const count = content.split("\n").length;
  return `diff --git a/${path} b/${path}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${path}\n` +
    `@@ -0,0 +1,${count} @@\n${lines}`;
};

/** A patch that makes a link. */
export const link = (path: string, target: string) =>
  `diff --git a/${path} b/${path}\nnew file mode 120000\n--- /dev/null\n+++ b/${path}\n` +
  `@@ -0,0 +1 @@\n+${target}\n\\ No newline at end of file\n`;

/** The words of a refusal, before git is run. */
export const held =
  /never allowed|lies outside|does not match|is not allowed: expected|cannot be resolved|contains U\+/;

/** Runs git as the person does; what it printed. */
export async function git(cwd: string, ...words: string[]): Promise<string> {
  const said = await say(["git", ...words], cwd);
  assert.equal(said?.code, 0, said?.text);
  return said.text;
}

/** Writes `files` into a repository and commits them. */
export async function commit(repo: string, files: Record<string, string>, message: string) {
  await writeFiles(repo, files);
  await git(repo, "add", "--force", ...Object.keys(files));
  await git(repo, "commit", "--quiet", `--message=${message}`);
}
