/**
 * Runs a program on this machine in a sandbox, without a daemon: what it may write, read and reach is bounded, and
 * it ends with everything that it started. On Linux bubblewrap makes the namespaces; elsewhere the start is refused.
 */

import { isAbsolute } from "node:path";
import { formatProblem } from "../errors.ts";
import { NameGuard } from "./_created_names.ts";
import { bubblewrapLine } from "./_bubblewrap.ts";
import { environmentOf, inheritedIn } from "./child_environment.ts";
import { locate, sandboxSupport } from "./sandbox_check.ts";
import { type Sandbox, viewOf } from "./sandbox_view.ts";
import { SandboxError } from "./_found_paths.ts";

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

export type SandboxedProgram =
  | {
    readonly ok: true;
    readonly program: string;
    readonly args: readonly string[];
    /** All variables. */
    readonly env: Record<string, string>;
    /** To be called once it runs: guards the names that no mount can protect. */
    readonly guard: () => NameGuard;
  }
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
  if (!support.ok) return refuse(formatProblem(support.problem));
  // bubblewrap would search for a name itself, by the PATH of the program
  const path = isAbsolute(program) ? program : await locate(program, configured);
  if (path === undefined) return { ok: false, failure: "command not found", reason: program };
  const { env } = environmentOf({ ...ownVariables, ...configured }, inheritedIn(sandbox, inherit));
  const byPlace = Object.groupBy(Object.entries(env ?? {}), ([name]) => {
    return leadsToFiles.test(name) ? "inside" : "everywhere";
  });
  try {
    const [start, ...before] = support.start;
    const { seen, absent } = viewOf(sandbox, cwd);
    const words = [
      ...before,
      ...bubblewrapLine(seen, sandbox.network, cwd),
      ...(byPlace.inside ?? []).flatMap(([name, value]) => ["--setenv", name, value]),
      ...["--", path, ...args],
    ];
    return {
      ok: true,
      program: start,
      args: words,
      env: Object.fromEntries(byPlace.everywhere ?? []),
      guard: () => new NameGuard(absent, sandbox.creates),
    };
  } catch (error) {
    if (error instanceof SandboxError) return refuse(error.message);
    throw error;
  }
}

function refuse(reason: string): SandboxedProgram {
  return { ok: false, failure: "no sandbox", reason };
}
