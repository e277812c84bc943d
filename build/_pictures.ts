/**
 * The pictures of the README: real commands, run in a repository made for them, drawn as a terminal. The
 * repository has fixed names and dates, so its commit ids are the same everywhere. A picture shows stdout,
 * the text that an agent gets.
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ShownCommand, terminalPicture, themes } from "./_terminal_picture.ts";

const main = fileURLToPath(new URL("../main.ts", import.meta.url));

const policy = `tools:
  git_push:
    args:
      refspec: { required: true, pattern: "feature/.*" }
`;

/** The commands of the picture; beside each its arguments, or what it prints. */
const commands: readonly (readonly [line: string, args: readonly string[] | string])[] = [
  [
    'climax search "publish my commits" --limit 2',
    ["search", "publish my commits", "--limit", "2"],
  ],
  ["climax call git_log max_count=2 oneline=true", [
    "call",
    "git_log",
    "max_count=2",
    "oneline=true",
  ]],
  ["cat policy.yaml", policy],
  [
    "climax call git_push refspec=main --policy policy.yaml",
    ["call", "git_push", "refspec=main", "--policy", "policy.yaml"],
  ],
];

/** Runs the commands and returns each picture by the name of its file. */
export async function pictures(): Promise<ReadonlyMap<string, string>> {
  const folder = await Deno.makeTempDir({ prefix: "climax-pictures-" });
  try {
    await makeRepository(folder);
    await Deno.writeTextFile(join(folder, "policy.yaml"), policy);
    const shown: ShownCommand[] = [];
    for (const [line, args] of commands) {
      const output = typeof args === "string" ? args : await run(Deno.execPath(), [
        ...["run", "-qP", "--unstable-lazy-dynamic-imports", main, ...args],
      ], folder);
      shown.push({ line, output: output.trimEnd() });
    }
    return new Map(
      Object.entries(themes).map(([name, theme]) => {
        return [`first-use-${name}.svg`, terminalPicture(shown, theme)];
      }),
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Makes a repository of three commits. */
async function makeRepository(folder: string): Promise<void> {
  await run("git", ["init", "--quiet", "--initial-branch=main"], folder);
  for (const message of ["Start", "Read the port from the environment", "Log each request once"]) {
    await run("git", ["commit", "--quiet", "--allow-empty", `--message=${message}`], folder);
  }
}

/** Runs a program with a home and a git of its own, and returns its stdout. */
async function run(program: string, args: readonly string[], folder: string): Promise<string> {
  const kept = ["PATH", "SYSTEMROOT", "TEMP", "DENO_DIR", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"];
  const env = Object.fromEntries(kept.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  }));
  const { stdout } = await new Deno.Command(program, {
    args: [...args],
    cwd: folder,
    clearEnv: true,
    env: {
      ...env,
      DENO_DIR: env.DENO_DIR ?? await denoFolder(),
      HOME: folder,
      NO_COLOR: "1",
      TZ: "UTC",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_NAME: "Ada",
      GIT_AUTHOR_EMAIL: "ada@example.org",
      GIT_AUTHOR_DATE: "2026-01-02T12:00:00Z",
      GIT_COMMITTER_NAME: "Ada",
      GIT_COMMITTER_EMAIL: "ada@example.org",
      GIT_COMMITTER_DATE: "2026-01-02T12:00:00Z",
    },
    stdin: "null",
    stderr: "null",
  }).output();
  return new TextDecoder().decode(stdout);
}

/** Where this Deno has its packages: with another home it would download them again. */
async function denoFolder(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}
