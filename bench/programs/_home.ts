/** A home and a project folder of nobody's, in which programs run that must not find anybody's settings. */

import { dirname, join } from "node:path";
import { climax, denoDir, root } from "../../tests/e2e/_server.ts";
import { isAlive } from "../../tests/_wait.ts";
import { scratch } from "../../tests/e2e/_scratch.ts";
import { marked } from "../clients/_drive.ts";
import { requireTime, signalFor } from "../clients/_install.ts";

/** Milliseconds that one run of a program may take. */
const maxMs = 120_000;

/** The folder that the programs are installed into. */
export const folder = join(root, "dist", "client-programs");

/** The folder of the programs of a package that is installed as `name`. */
export function binOf(name: string): string {
  return join(folder, name, "node_modules", ".bin");
}

/** What a run printed on both streams, and its exit code. */
export interface Ran {
  readonly code: number;
  readonly text: string;
}

/** A {@linkcode home}. */
export interface Home extends AsyncDisposable {
  /** The home; `project` is the folder that everything runs in. */
  readonly path: string;
  readonly project: string;
  /** Runs a program, with no variable of ours but those of `env`. */
  run(argv: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ran>;
  /** Runs `climax` likewise. */
  climax(...args: string[]): Promise<Ran>;
  /** Writes a file of the home and makes its folder. */
  write(name: string, text: string): Promise<void>;
}

/** Makes a home whose programs are found in `folders` first. */
export async function home(folders: readonly string[]): Promise<Home> {
  const dir = await scratch();
  const [path, project] = [join(dir.path, "home"), join(dir.path, "project")];
  await Deno.mkdir(join(path, ".cache"), { recursive: true });
  await Deno.mkdir(project);
  // The servers get few variables from some clients, and would download every package again
  await Deno.symlink(denoDir(), join(path, ".cache", "deno"));
  const mark = crypto.randomUUID();
  const variables = {
    CLIMAX_PROGRAMS_MARK: mark,
    HOME: path,
    PATH: [...folders, Deno.env.get("PATH")].join(":"),
    NO_COLOR: "1",
    TERM: "dumb",
    LANG: "C.UTF-8",
  };
  const run: Home["run"] = async ([program, ...args], env = {}) => {
    requireTime();
    const signal = signalFor(maxMs);
    // Some do not end by SIGTERM
    const kill = () => void endMarked(mark);
    signal.addEventListener("abort", kill);
    // The path of a program is looked for in our own PATH
    const command = new Deno.Command("/usr/bin/env", {
      args: [program!, ...args],
      cwd: project,
      env: { ...variables, ...env },
      clearEnv: true,
      stdin: "null",
      signal,
    });
    const { code, stdout, stderr } = await command.output();
    signal.removeEventListener("abort", kill);
    if (signal.aborted) throw new Error(`${program} had not ended when the time was over`);
    const decoder = new TextDecoder();
    return { code, text: decoder.decode(stdout) + decoder.decode(stderr) };
  };
  await run(["git", "init", "--quiet"]);
  return {
    path,
    project,
    run,
    climax: (...args) => run(climax(...args)),
    async write(name, text) {
      await Deno.mkdir(dirname(join(path, name)), { recursive: true });
      await Deno.writeTextFile(join(path, name), text);
    },
    async [Symbol.asyncDispose]() {
      // Cline leaves a daemon behind that serves its other windows
      await endMarked(mark);
      await dir[Symbol.asyncDispose]();
    },
  };
}

/** Again where some have started others meanwhile. */
async function endMarked(mark: string): Promise<void> {
  for (let rest = 3; rest > 0; rest--) {
    const pids = (await marked(mark)).filter(isAlive);
    if (pids.length === 0) return;
    for (const pid of pids) if (isAlive(pid)) Deno.kill(pid, "SIGKILL");
  }
}
