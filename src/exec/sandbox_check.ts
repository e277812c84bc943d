/** Checks that this machine can hold programs in a sandbox, before the first of them runs. */

import { messageOf, type Problem } from "../errors.ts";
import { childOptions } from "../io.ts";
import { rootFolder } from "../process/folders.ts";
import { bubblewrapLine } from "./_bubblewrap.ts";
import { filterScript } from "./_system_calls.ts";
import { findProgram } from "./find_program.ts";
import { type Sandbox, viewOf } from "./sandbox_view.ts";
import { SandboxError } from "./_found_paths.ts";

type Network = Sandbox["network"];

/** What holds programs on this machine, or why nothing does. */
export type Support =
  | {
    readonly ok: true;
    /** As `0.8.0`. */
    readonly version: string;
    /** The words before those of bubblewrap, its own path last. */
    readonly start: readonly [string, ...string[]];
  }
  | { readonly ok: false; readonly problem: Problem };

/** The first version with all options that are used. */
const leastVersion = [0, 8, 0];

/** Timeout in milliseconds. */
const limitMs = 10_000;

const install =
  "Install it: apt-get install bubblewrap, dnf install bubblewrap, or pacman -S bubblewrap";

/** The remedy on another system, and in a container that does not allow sandboxes. */
const otherwise =
  "Run climax where user namespaces are allowed, or use 'type: docker' or 'type: ssh'";

const known = new Map<Network, Promise<Support>>();

/** Makes a sandbox with this network once, and keeps the answer if it is good. */
export async function sandboxSupport(network: Network): Promise<Support> {
  const support = known.get(network) ?? examine(network);
  known.set(network, support);
  const { ok } = await support;
  if (!ok) known.delete(network);
  return await support;
}

/** The reason why programs cannot be held in `sandboxes`; nothing if they can. */
export async function sandboxProblem(sandboxes: readonly Sandbox[]): Promise<Problem | undefined> {
  for (const network of new Set(sandboxes.map(({ network }) => network))) {
    const support = await sandboxSupport(network);
    if (!support.ok) return support.problem;
  }
  return undefined;
}

async function examine(network: Network): Promise<Support> {
  const fail = (reason: string, hint: string): Support => {
    return { ok: false, problem: { message: `A sandbox cannot be made: ${reason}`, hint } };
  };
  const system = Deno.build.os;
  if (system !== "linux") return fail(`it takes Linux, and this is ${system}`, otherwise);
  const program = await locate("bwrap");
  if (program === undefined) return fail("bubblewrap (bwrap) is not on PATH", install);
  const said = await ask(program, ["--version"]);
  const version = /\d+\.\d+\.\d+/.exec(said.stdout)?.[0];
  if (version === undefined) return fail(`${program}: ${said.complaint}`, install);
  if (isOlder(version.split(".").map(Number))) {
    const least = leastVersion.join(".");
    return fail(`bubblewrap ${version} is older than ${least}`, "Install a later one");
  }
  try {
    const { seen } = viewOf({ write: [], read: ["/"], hide: [], network }, "/");
    const words = [...bubblewrapLine(seen, network, "/"), "--"];
    const list = [await locate("ls") ?? "ls", "/proc/self/fd"];
    const sh = await locate("sh") ?? "/bin/sh";
    const start = [sh, "-c", filterScript([]), "sh", program] as const;
    const listed = await ask(sh, [...start.slice(1), ...words, ...list]);
    if (!listed.ok) return fail(listed.complaint, await remedy());
    const inherited = inheritedIn(listed.stdout);
    if (inherited.length === 0) return { ok: true, version, start };
    // Other shells close descriptors up to 9 only
    const bash = await locate("bash");
    if (bash === undefined) {
      const all = inherited.join(", ");
      const reason = `climax was started with open descriptors (${all}), which programs inherit`;
      return fail(reason, "Install bash, which closes them, or start climax without them");
    }
    return { ok: true, version, start: [bash, "-c", filterScript(inherited), "bash", program] };
  } catch (error) {
    if (error instanceof SandboxError) return fail(error.message, otherwise);
    throw error;
  }
}

/** The path of a program, also where this process may run it and not look at it. */
export async function locate(
  name: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string | undefined> {
  const found = await findProgram(name, { env });
  if (found !== undefined) return found;
  const { PATH } = env;
  const script = PATH === undefined ? 'command -v -- "$0"' : 'PATH=$1; command -v -- "$0"';
  const said = await ask("sh", ["-c", script, name, PATH ?? ""]);
  return said.ok && said.stdout.startsWith("/") ? said.stdout : undefined;
}

/** The descriptors that a program has from this process, in a list of those of `ls`. */
function inheritedIn(listed: string): readonly number[] {
  const open = listed.split("\n").filter((each) => /^\d+$/.test(each)).map(Number)
    .filter((each) => each > 2).toSorted((a, b) => a - b);
  // The first free one is that of the list itself
  const own = open.findLast((each, index) => each === index + 3);
  return open.filter((each) => each !== own);
}

function isOlder(version: readonly number[]): boolean {
  const at = leastVersion.findIndex((least, index) => version[index] !== least);
  return at !== -1 && version[at]! < leastVersion[at]!;
}

interface Said {
  readonly ok: boolean;
  readonly stdout: string;
  /** The first line of its errors. */
  readonly complaint: string;
}

async function ask(program: string, args: readonly string[]): Promise<Said> {
  try {
    const { code, stdout, stderr } = await new Deno.Command(program, {
      args: [...args],
      ...childOptions({ cwd: rootFolder }),
      stdin: "null",
      signal: AbortSignal.timeout(limitMs),
    }).output();
    const [text, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes).trim());
    return {
      ok: code === 0,
      stdout: text!,
      complaint: errors!.split("\n")[0] || `exit code ${code}`,
    };
  } catch (error) {
    return { ok: false, stdout: "", complaint: messageOf(error) };
  }
}

/** Settings of the kernel that forbid user namespaces, and what allows them. */
const switches: readonly (readonly [file: string, forbids: string, remedy: string])[] = [
  [
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    "1",
    "AppArmor forbids user namespaces: give bwrap a profile in /etc/apparmor.d that allows 'userns'",
  ],
  [
    "/proc/sys/kernel/unprivileged_userns_clone",
    "0",
    "Allow user namespaces: sysctl kernel.unprivileged_userns_clone=1",
  ],
  [
    "/proc/sys/user/max_user_namespaces",
    "0",
    "Allow user namespaces: sysctl user.max_user_namespaces=15000",
  ],
];

async function remedy(): Promise<string> {
  for (const [file, forbids, remedy] of switches) {
    // Deno itself reads nothing in /proc
    const { stdout } = await ask("cat", [file]);
    if (stdout === forbids) return remedy;
  }
  return otherwise;
}
