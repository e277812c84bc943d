/**
 * Runs a program on this machine in a sandbox, without a daemon: what it may write, read and reach is bounded, and
 * on Linux it ends with everything that it started. There bubblewrap makes namespaces; on macOS `sandbox-exec` holds a
 * profile; elsewhere the start is refused.
 */

import { basename, dirname, isAbsolute, join } from "node:path";
import { formatProblem, messageOf } from "../errors.ts";
import { locateProgram } from "./ask_program.ts";
import { bubblewrapLine } from "./_bubblewrap.ts";
import { isIn } from "./_file_rules.ts";
import { Folders, linkAt, SandboxError } from "./_found_paths.ts";
import { seatbeltWords } from "./_seatbelt.ts";
import { TemporaryFolder } from "./_temporary_folder.ts";
import { environmentOf, inheritVariables } from "./child_environment.ts";
import type { SandboxEnd } from "./process_tree.ts";
import { problemOf, sandboxSupport } from "./sandbox_check.ts";
import { listHiddenNames, type OpenName, type Sandbox, viewOf } from "./sandbox_view.ts";
import { delay } from "../async/deadline.ts";
import { systemPath } from "../io.ts";
import { log } from "../log.ts";
import { trackBackground } from "./background_work.ts";
import type { CreatedName } from "./invocation.ts";
import { isThere, openingsEnded, recordOpening } from "../process/protected_paths.ts";
import { realPathOf } from "../process/folders.ts";

interface UnwrappedProgram {
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
  readonly env: Record<string, string>;
  /** To be called once it runs. */
  readonly begin: () => SandboxEnd;
  /** To be called if it does not. */
  readonly discard?: () => void;
}

type SandboxedProgram =
  | WrappedProgram
  | {
    readonly ok: false;
    readonly failure: "no sandbox" | "command not found";
    readonly reason: string;
  };

/** The variables that a program in a sandbox has unless its config sets them. */
const ownVariables = { TMPDIR: "/tmp" };

/** Variables that lead shell, loader or C library to files: what makes the next sandbox must not load them. */
const leadsToFiles =
  /^(?:LD_|DYLD_|BASH|ENV$|SHELLOPTS$|PS4$|IFS$|GCONV_PATH$|LOCPATH$|NLSPATH$|GLIBC_|MALLOC_|GETCONF_)/;

/** What is started to run `unwrapped` in `sandbox`, or the reason why there is nothing. */
export async function sandboxProgram(
  { program, args, cwd, env: configured, inherit }: UnwrappedProgram,
  sandbox: Sandbox,
): Promise<SandboxedProgram> {
  const support = await sandboxSupport(sandbox.network);
  if (!support.ok) return refuse(formatProblem(problemOf(support)));
  // What makes the sandbox would search for a name itself, by the PATH of the program
  const path = isAbsolute(program) ? program : await locateProgram(program, configured);
  if (path === undefined) return { ok: false, failure: "command not found", reason: program };
  const { env = {} } = environmentOf(
    { ...ownVariables, ...configured },
    inheritVariables(sandbox, inherit),
  );
  const planted = [support.start[0], support.start.at(-1)!].find((maker) => {
    return sandbox.write.some((folder) => folder !== "/" && isIn(maker, folder));
  });
  if (planted !== undefined) {
    return refuse(`'${planted}', which makes it, lies where programs in it may write`);
  }
  const wrap = support.kind === "bubblewrap" ? inBubblewrap : inSeatbelt;
  if (sandbox.creates !== undefined && sandbox.creates.length > 0) await openingsEnded();
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

/**
 * Milliseconds after which the kernel has ended everything in a sandbox whose first process it has ended. Nothing tells
 * the moment: what bubblewrap says (`--json-status-fd`, `--sync-fd`) ends before the last process, and what a program
 * inherits it can close.
 */
const endedMs = 100;

/**
 * Looks after a call for what its program created under a protected name. A mount cannot stand where nothing is, and a
 * file in its place would be seen by everybody while the call lasts: by `git status`, by watchers, by other programs.
 * So the program may create it, and it gets another name at the end.
 */
class NameGuard implements SandboxEnd {
  readonly endsProcesses = true;
  readonly #open: readonly OpenName[];

  constructor(open: readonly OpenName[]) {
    this.#open = open;
    this.#record();
  }

  #record(ended?: Promise<void>): void {
    recordOpening(this, this.#open.map(({ path }) => path), ended);
  }

  endCall(): readonly CreatedName[] {
    // A program that still ends could lead this process elsewhere by a folder that it moves
    const created = setAside(this.#open.filter(({ isPinned }) => isPinned));
    this.#record(trackBackground(delay(endedMs).then(() => void setAside(this.#open))));
    return created;
  }

  /** Says what was created while `program` ran for long: a person may have done that, so that it is not renamed. */
  endServer(program: string): void {
    this.#record(Promise.resolve());
    for (const { path } of namesCreated(this.#open)) {
      const what = `'${path}' was created while ${program} ran in a sandbox that may write there`;
      log("warning", `${what}: look at it before you use it`);
    }
  }
}

function namesCreated(open: readonly OpenName[]): readonly OpenName[] {
  const folders = new Folders();
  return open.flatMap(({ known, ...name }) => {
    const folder = dirname(name.path);
    // If a link on the way leads elsewhere now, what is there belongs to somebody else
    if (realPathOf(folder) !== folder) return [];
    if (known !== undefined) {
      // One that cannot be listed any more is named, and no more is known
      const names = listHiddenNames(folder) ?? [basename(name.path)];
      const created = names.filter((each) =>
        !known.has(each) && !/\.set-aside(?:-\d+)?$/.test(each)
      );
      return created.map((each) => ({
        ...name,
        path: join(folder, each),
      }));
    }
    const { path, link } = name;
    return folders.has(path) && (link === undefined || linkAt(path) !== link) ? [name] : [];
  });
}

function setAside(open: readonly OpenName[]): readonly CreatedName[] {
  return namesCreated(open).map(({ path }) => {
    const what = `'${path}', which a program in a sandbox created,`;
    const renamedTo = freeName(path);
    try {
      // A link itself, not what it leads to
      Deno.renameSync(systemPath(path), systemPath(renamedTo));
      log("warning", `${what} is now '${renamedTo}'`);
      return { path, renamedTo };
    } catch (error) {
      log("warning", `${what} cannot be renamed: ${messageOf(error)}`);
      return { path };
    }
  });
}

/** A name beside `path` that nothing has. */
function freeName(path: string): string {
  for (let count = 1;; count++) {
    const free = `${path}.set-aside${count === 1 ? "" : `-${count}`}`;
    if (!isThere(free)) return free;
  }
}
