/**
 * Runs a program on this machine in a sandbox, without a daemon: what it may write, read and reach is bounded, and
 * on Linux it ends with everything that it started. There bubblewrap makes namespaces; on macOS `sandbox-exec` holds a
 * profile; elsewhere the start is refused.
 */

import { isAbsolute } from "node:path";
import { formatProblem } from "../errors.ts";
import { locate } from "./_ask.ts";
import { bubblewrapLine } from "./_bubblewrap.ts";
import { guardsEnded, NameGuard } from "./_created_names.ts";
import { isIn } from "./_file_rules.ts";
import { SandboxError } from "./_found_paths.ts";
import { seatbeltWords } from "./_seatbelt.ts";
import { TemporaryFolder } from "./_temporary_folder.ts";
import { environmentOf, inheritedIn } from "./child_environment.ts";
import type { SandboxEnd } from "./process_tree.ts";
import { problemOf, sandboxSupport } from "./sandbox_check.ts";
import { type Sandbox, viewOf } from "./sandbox_view.ts";

/** A program to be put in a sandbox. */
export interface UnwrappedProgram {
  /** Its path, or its name if this process may not look for it. */
  readonly program: string;
  readonly args: readonly string[];
  /** Absolute path of the directory it starts in. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Names of the variables that its config lets it inherit; absent: all. */
  readonly inherit: readonly string[] | undefined;
}

/** What is started instead. */
interface WrappedProgram {
  readonly ok: true;
  readonly program: string;
  readonly args: readonly string[];
  /** All variables. */
  readonly env: Record<string, string>;
  /** To be called once it runs. */
  readonly begin: () => SandboxEnd;
  /** To be called if it does not. */
  readonly discard?: () => void;
}

export type SandboxedProgram =
  | WrappedProgram
  | {
    readonly ok: false;
    readonly failure: "no sandbox" | "command not found";
    readonly reason: string;
  };

/** The variables that a program in a sandbox has unless its config sets them. */
const ownVariables = { TMPDIR: "/tmp" };

/**
 * Variables that lead a shell, the loader or the C library to files. They are set in the sandbox only: a program in it
 * may write such files, and what makes the next sandbox would load them.
 */
const leadsToFiles =
  /^(?:LD_|DYLD_|BASH|ENV$|SHELLOPTS$|PS4$|IFS$|GCONV_PATH$|LOCPATH$|NLSPATH$|GLIBC_|MALLOC_|GETCONF_)/;

/** What is started to run `unwrapped` in `sandbox`, or the reason why there is nothing. */
export async function sandboxedProgram(
  { program, args, cwd, env: configured, inherit }: UnwrappedProgram,
  sandbox: Sandbox,
): Promise<SandboxedProgram> {
  const support = await sandboxSupport(sandbox.network);
  if (!support.ok) return refuse(formatProblem(problemOf(support)));
  // What makes the sandbox would search for a name itself, by the PATH of the program
  const path = isAbsolute(program) ? program : await locate(program, configured);
  if (path === undefined) return { ok: false, failure: "command not found", reason: program };
  const { env = {} } = environmentOf(
    { ...ownVariables, ...configured },
    inheritedIn(sandbox, inherit),
  );
  const planted = [support.start[0], support.start.at(-1)!].find((maker) => {
    return sandbox.write.some((folder) => folder !== "/" && isIn(maker, folder));
  });
  if (planted !== undefined) {
    return refuse(`'${planted}', which makes it, lies where programs in it may write`);
  }
  const wrap = support.kind === "bubblewrap" ? inBubblewrap : inSeatbelt;
  if (sandbox.creates !== undefined && sandbox.creates.length > 0) await guardsEnded();
  try {
    return wrap({ argv: [path, ...args], cwd, env, start: support.start }, sandbox);
  } catch (error) {
    if (error instanceof SandboxError) return refuse(error.message);
    throw error;
  }
}

interface Wrapping {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** See {@linkcode Support}. */
  readonly start: readonly [string, ...string[]];
}

function inBubblewrap({ argv, cwd, env, start }: Wrapping, sandbox: Sandbox): WrappedProgram {
  const { seen, open } = viewOf(sandbox, cwd);
  const { inside, everywhere } = byPlace(env);
  const [program, ...before] = start;
  const args = [
    ...before,
    ...bubblewrapLine(seen, sandbox.network, cwd),
    ...inside.flatMap(([name, value]) => ["--setenv", name, value]),
    ...["--", ...argv],
  ];
  const begin = () => new NameGuard(open);
  return { ok: true, program, args, env: Object.fromEntries(everywhere), begin };
}

function inSeatbelt({ argv, cwd, env, start }: Wrapping, sandbox: Sandbox): WrappedProgram {
  const view = viewOf(sandbox, cwd);
  const temporary = new TemporaryFolder();
  const { inside, everywhere } = byPlace({ ...env, TMPDIR: temporary.path });
  const [program, ...before] = start;
  const set = inside.map(([name, value]) => `${name}=${value}`);
  const args = [
    ...before,
    ...seatbeltWords({ ...view, network: sandbox.network, temporary: temporary.path }),
    ...(set.length === 0 ? [] : ["/usr/bin/env", ...set]),
    ...argv,
  ];
  return {
    ok: true,
    program,
    args,
    env: Object.fromEntries(everywhere),
    begin: () => temporary,
    discard: () => temporary.remove(),
  };
}

/** Variables that are set in the sandbox only, and the others. */
function byPlace(env: Readonly<Record<string, string>>) {
  const { inside = [], everywhere = [] } = Object.groupBy(Object.entries(env), ([name]) => {
    return leadsToFiles.test(name) ? "inside" : "everywhere";
  });
  return { inside, everywhere };
}

function refuse(reason: string): SandboxedProgram {
  return { ok: false, failure: "no sandbox", reason };
}
