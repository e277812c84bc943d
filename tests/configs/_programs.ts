/** The programs behind the bundled configs: which are installed, and a place to run them in. */

import assert from "node:assert/strict";
import { delimiter, join } from "node:path";
import { recordMissing } from "../_requirements.ts";
import { until } from "../_wait.ts";
import { type Scratch, scratch } from "../e2e/_scratch.ts";
import { environment } from "../e2e/_server.ts";

/** The output of a program, both streams together, and its exit code. */
export interface Said {
  readonly code: number;
  readonly text: string;
}

/** Names that systems give to programs whose own are taken. */
const otherNames: Readonly<Record<string, string>> = { fd: "fdfind" };

/** The path of a program on PATH, or of the one that stands in for it. */
export function programOf(name: string): string | undefined {
  const directories = (Deno.env.get("PATH") ?? "").split(delimiter);
  for (const candidate of [name, ...otherNames[name] ? [otherNames[name]] : []]) {
    const found = directories.map((directory) => join(directory, candidate)).find(isFile);
    if (found !== undefined) return found;
  }
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** For help that is whole and goes to no pager, and programs that leave nothing in a home. */
const quiet = {
  // The width of what npm and gcloud print
  COLUMNS: "200",
  PAGER: "cat",
  MANPAGER: "cat",
  AWS_PAGER: "",
  // Terraform's look for a newer one
  CHECKPOINT_DISABLE: "1",
};

/** Runs a program; `undefined` when there is none of that name. */
export async function say(argv: readonly string[], cwd?: string): Promise<Said | undefined> {
  const [name, ...args] = argv;
  const program = name!.includes("/") ? name! : programOf(name!) ?? name!;
  try {
    const { code, stdout, stderr } = await new Deno.Command(program, {
      args,
      env: { ...environment(), ...quiet },
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

const gnu = ["ls", "find", "grep", "sed", "stat", "du", "diff", "df", "date"];

/** Why a program cannot be asked here, or nothing when it can. The end of the run has it too. */
export async function whyNot(program: string): Promise<string | undefined> {
  const reason = await reasonAgainst(program);
  if (reason !== undefined) recordMissing(program);
  return reason;
}

async function reasonAgainst(program: string): Promise<string | undefined> {
  if (programOf(program) === undefined) return `no program '${program}' is installed`;
  if (gnu.includes(program)) {
    const said = await say([program, "--version"]);
    return said?.text.includes("GNU") ? undefined : `'${program}' is not the one of GNU`;
  }
  if (program === "yq") {
    const said = await say([program, "--version"]);
    return said?.text.includes("mikefarah") ? undefined : "'yq' is not the one of Mike Farah";
  }
  // A name on PATH may be the launcher of a program that is not there
  if (["docker", "claude", "cargo"].includes(program)) {
    const said = await say([program, "--version"]);
    return said?.code === 0 ? undefined : `'${program}' does not run`;
  }
}

/** Why docker's Compose cannot be asked here, or nothing when it can. */
export async function whyNoCompose(): Promise<string | undefined> {
  const said = await say(["docker", "compose", "version"]);
  if (said?.code === 0) return undefined;
  recordMissing("docker compose");
  return "docker has no compose plugin";
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
  // Not through `git`, whose end leaves its child `git-daemon` running
  const folder = (await say(["git", "--exec-path"]))!.text.trim();
  const daemon = new Deno.Command(join(folder, "git-daemon"), {
    args: [
      ...["--reuseaddr", "--listen=127.0.0.1", `--port=${port}`, `--base-path=${directory}`],
      ...["--export-all", "--enable=receive-pack", directory],
    ],
    env: environment(),
    clearEnv: true,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  await until(() => answers(port), "an answer of git-daemon");
  return {
    url: `git://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      daemon.kill("SIGTERM");
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
