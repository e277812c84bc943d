/** The programs behind the bundled configs: which are installed, and a place to run them in. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { type Scratch, scratch } from "../e2e/_scratch.ts";
import { environment } from "../e2e/_server.ts";

/** What a program said, both streams together. */
export interface Said {
  readonly code: number;
  readonly text: string;
}

/** Runs a program; `undefined` when there is none of that name. */
export async function say(argv: readonly string[], cwd?: string): Promise<Said | undefined> {
  const [program, ...args] = argv;
  try {
    const { code, stdout, stderr } = await new Deno.Command(program!, {
      args,
      env: environment(),
      clearEnv: true,
      stdin: "null",
      ...(cwd === undefined ? {} : { cwd }),
    }).output();
    const decoder = new TextDecoder();
    return { code, text: decoder.decode(stdout) + decoder.decode(stderr) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Why the help of a config's program cannot be asked here, or nothing when it can. */
export async function whyNot(config: string): Promise<string | undefined> {
  if (config === "coreutils") {
    const said = await say(["ls", "--version"]);
    return said?.text.includes("GNU coreutils") ? undefined : "no GNU coreutils are installed";
  }
  const said = await say([config, "--version"]);
  return said?.code === 0 ? undefined : `no program '${config}' is installed`;
}

/** A repository with one commit that holds README.md, on the branch main. */
export async function repository(): Promise<Scratch> {
  const dir = await scratch();
  await Deno.writeTextFile(join(dir.path, "README.md"), "one\ntwo\nthree\n");
  for (
    const args of [
      ["init", "--quiet", "--initial-branch=main"],
      ["config", "core.autocrlf", "false"],
      ["add", "README.md"],
      ["commit", "--quiet", "--message=first"],
    ]
  ) {
    const said = await say(["git", ...args], dir.path);
    assert.equal(said?.code, 0, said?.text);
  }
  return dir;
}

/** A git server, gone when the test is over. */
export interface GitDaemon extends AsyncDisposable {
  /** Without a slash at the end. */
  readonly url: string;
}

/** Serves the repositories below `directory` on loopback, for reading and for pushing. */
export async function gitDaemon(directory: string): Promise<GitDaemon> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const daemon = new Deno.Command("git", {
    args: [
      "daemon",
      "--reuseaddr",
      "--listen=127.0.0.1",
      `--port=${port}`,
      `--base-path=${directory}`,
      "--export-all",
      "--enable=receive-pack",
      directory,
    ],
    env: environment(),
    clearEnv: true,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  while (!await answers(port)) await new Promise((resolve) => setTimeout(resolve, 20));
  return {
    url: `git://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      // The daemon is a child of `git`, and ends with the group of it only
      const args = ["-P", String(daemon.pid)];
      await new Deno.Command("pkill", { args }).output();
      await daemon.status;
    },
  };
}

async function answers(port: number): Promise<boolean> {
  try {
    (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    return true;
  } catch {
    return false;
  }
}
