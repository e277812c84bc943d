/** Writes profiles for macOS's `sandbox-exec`. No Mac has tested them yet, so climax first tries to break out of one. */

import { basename, dirname, join } from "node:path";
import { contains } from "../process/folders.ts";
import type { SeenPath } from "./_file_rules.ts";
import { noSupport, type SandboxView, type Support } from "./sandbox_view.ts";
import { ask } from "./ask_program.ts";
import { TemporaryFolder } from "./_sandbox_end.ts";

export interface SeatbeltPlan extends SandboxView {
  readonly network: "none" | "host";
  readonly temporary: string;
}

/** The rights that every program needs. They give no services of the session, no keychain and no other process. */
const basics = `(version 1)
(deny default)
(allow process-fork file-map-executable)
(allow signal process-info* (target same-sandbox))
(allow ipc-posix-sem)
(allow sysctl-read
  (sysctl-name-prefix "hw.")
  (sysctl-name-prefix "machdep.cpu.")
  (sysctl-name-prefix "kern.os")
  (sysctl-name-prefix "vm.")
  (sysctl-name "kern.argmax")
  (sysctl-name "kern.hostname")
  (sysctl-name "kern.maxfilesperproc")
  (sysctl-name "kern.ngroups")
  (sysctl-name "kern.secure_kernel")
  (sysctl-name "kern.usrstack64")
  (sysctl-name "kern.version")
  (sysctl-name "sysctl.proc_cputype"))
(allow mach-lookup
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.opendirectoryd.membership")
  (global-name "com.apple.system.logger"))`;

const devices = `(deny file-read* file-write* (subpath "/dev"))
(allow file-read* (literal "/dev") (literal "/dev/random") (literal "/dev/urandom"))
(allow file-read* (subpath "/dev/fd"))
(allow file-read* file-write-data (literal "/dev/null") (literal "/dev/zero"))`;

/** Allows network addresses and the look-up of names; sockets that are files stay closed. */
const hostNetwork = `(allow network-outbound (remote ip "*:*"))
(allow network-bind network-inbound (local ip "*:*"))
(allow network-outbound (literal "/private/var/run/mDNSResponder"))
(allow mach-lookup
  (global-name "com.apple.SystemConfiguration.configd")
  (global-name "com.apple.SystemConfiguration.DNSConfiguration")
  (global-name "com.apple.trustd.agent"))`;

export function seatbeltWords(plan: SeatbeltPlan): readonly string[] {
  const profile = new Profile();
  profile.add(basics);
  const inside = writable(plan);
  for (const seen of plan.seen) profile.see(seen);
  profile.add(devices);
  profile.add("(allow file-read* file-write* process-exec (subpath @))", plan.temporary);
  for (const ancestor of ancestorsOf(plan)) {
    profile.add("(allow file-read-metadata (literal @))", ancestor);
  }
  // macOS compares a new name as the program spells it, so a rule denies the name in upper and lower case
  for (const { path, known } of plan.open) {
    profile.add("(deny file-write* (regex @))", anyCase(path, known !== undefined));
    const inHome = plan.seen.filter((seen) => known && dirname(seen.path) === dirname(path));
    for (const seen of inHome) if (!seen.isDirectory) profile.see(seen);
  }
  for (const folder of pinPaths(plan)) {
    profile.add(
      "(deny file-write-unlink (require-all (literal @) (vnode-type DIRECTORY)))",
      folder,
    );
  }
  profile.add("(deny file-write-setugid)");
  profile.add("(allow system-socket (socket-domain AF_UNIX))");
  for (const folder of [...inside, plan.temporary]) profile.connect("allow", folder);
  if (plan.network === "host") profile.add(hostNetwork);
  for (const { path, access } of plan.seen) {
    if (access === "hidden" && path !== "/") profile.connect("deny", path);
  }
  return profile.words();
}

class Profile {
  readonly #rules: string[] = [];
  readonly #paths: string[] = [];

  /** Adds a rule, in which `@` stands for `path` as a parameter. */
  add(rule: string, path?: string): void {
    if (path === undefined) return void this.#rules.push(rule);
    const known = this.#paths.indexOf(path);
    const index = known === -1 ? this.#paths.push(path) - 1 : known;
    this.#rules.push(rule.replaceAll("@", `(param "P${index}")`));
  }

  see({ path, access, isDirectory, link }: SeenPath): void {
    const where = isDirectory ? "(subpath @)" : "(literal @)";
    if (link !== undefined) {
      this.add("(allow file-read* (literal @))", path);
      return this.add("(allow file-read* (subpath @))", link);
    }
    if (access === "read") {
      this.add(`(allow file-read* process-exec ${where})`, path);
      this.add(`(deny file-write* ${where})`, path);
    } else if (access === "write") {
      this.add(`(allow file-read* file-write* process-exec ${where})`, path);
    } else if (path !== "/") {
      this.add(`(deny file-read* file-write* process-exec ${where})`, path);
    }
  }

  connect(verb: "allow" | "deny", folder: string): void {
    this.add(`(${verb} network-outbound (remote unix-socket (subpath @)))`, folder);
    this.add(`(${verb} network-bind (local unix-socket (subpath @)))`, folder);
  }

  words(): readonly string[] {
    const parameters = this.#paths.map((path, index) => `-DP${index}=${path}`);
    return [...parameters, "-p", `${this.#rules.join("\n")}\n`, "--"];
  }
}

function writable({ seen }: SandboxView): readonly string[] {
  return seen.flatMap((it) => it.access === "write" && it.isDirectory ? [it.path] : []);
}

function ancestorsOf({ seen, temporary }: SeatbeltPlan): readonly string[] {
  const shown = seen.filter(({ access }) => access !== "hidden").map(({ path }) => path);
  return [...new Set([...shown, temporary].flatMap(above))];
}

/** Returns the folders that a program must not move: the protected paths in them would get names that no rule denies. */
function pinPaths(plan: SeatbeltPlan): readonly string[] {
  const roots = writable(plan);
  const paths = [...plan.seen.map(({ path }) => path), ...plan.open.map(({ path }) => path)];
  const within = paths.flatMap((path) => {
    return above(path).filter((folder) => roots.some((root) => contains(root, folder)));
  });
  return [...new Set([...roots, ...within])];
}

function above(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === path ? [] : [folder, ...above(folder)];
}

function anyCase(path: string, isEveryHidden: boolean): string {
  const folder = dirname(path);
  const parts = [...(folder === "/" ? "" : folder)].map((each) => {
    // Characters other than letters, digits and `/` match any character: a rule that is too wide only denies more paths
    return /^[\w/]$/.test(each) ? each : /^[ -~]$/.test(each) ? "[^/]" : "[^/]+";
  });
  if (isEveryHidden) return `^${parts.join("")}/[.][^/]*$`;
  const name = [...basename(path)].map((each) => {
    const [lower, upper] = [each.toLowerCase(), each.toUpperCase()];
    return lower === upper ? `[${each}]` : `[${lower}${upper}]`;
  });
  return `^${parts.join("")}/${name.join("")}(/|$)`;
}

const sandboxExec = "/usr/bin/sandbox-exec";

/** A shell program that tries to break out: `$1` may be written, `$2` not seen, and `$3` is a process outside. */
const moves = `PATH=/usr/bin:/bin
(echo kept >"$1/new" && [ "$(cat "$1/new")" = kept ]) 2>/dev/null || echo work
(: >"$2/new") 2>/dev/null && echo write
(cat <"$2/secret") >/dev/null 2>&1 && echo read
mkdir "$1/.GIT" 2>/dev/null && echo protect
(cd "$1/.." && mv kept moved) 2>/dev/null && echo move
kill -0 "$3" 2>/dev/null && echo signal
/bin/bash -c ': </dev/tcp/127.0.0.1/9' 2>&1 | grep -q 'not permitted' || echo network
ls /dev/fd 2>/dev/null | sed 's/^/fd /'
echo done`;

const meanings: Readonly<Record<string, string>> = {
  work: "a program cannot write where it may",
  write: "it may be written outside",
  read: "what is hidden can be read",
  protect: "a protected name can be created",
  move: "a folder that may be written can be moved",
  signal: "other processes get signals",
  network: "the network can be reached",
};

const remedy = "Use 'type: docker'";

export async function examineSeatbelt(program = sandboxExec): Promise<Support> {
  const temporary = new TemporaryFolder();
  try {
    return await tryIn(temporary.path, program);
  } finally {
    temporary.remove();
  }
}

async function tryIn(folder: string, program: string): Promise<Support> {
  const [kept, hidden] = [join(folder, "kept"), join(folder, "hidden")];
  for (const each of [kept, hidden]) await Deno.mkdir(each);
  await Deno.writeTextFile(join(hidden, "secret"), "secret");
  const directory = { isDirectory: true } as const;
  const words = seatbeltWords({
    seen: [
      { path: "/", access: "read", ...directory },
      { path: kept, access: "write", ...directory },
      { path: hidden, access: "hidden", ...directory },
    ],
    open: [{ path: join(kept, ".git"), isPinned: true }],
    network: "none",
    temporary: kept,
  });
  const script = ["/bin/sh", "-c", moves, "sh", kept, hidden, String(Deno.pid)];
  const answer = await ask(program, [...words, ...script]);
  const lines = answer.stdout.split("\n");
  const fail = (reason: string) => noSupport(reason, remedy);
  if (!answer.ok || lines.at(-1) !== "done") return fail(`${program}: ${answer.complaint}`);
  const broken = lines.flatMap((line) => meanings[line] ?? []);
  if (broken.length > 0) return fail(`${program} does not hold: ${broken.join(", ")}`);
  const descriptors = lines.map((line) => Number(/^fd (\d+)$/.exec(line)?.[1]));
  const inherited = descriptors.filter((each) => each > 3);
  if (inherited.length > 0) {
    const all = inherited.join(", ");
    return fail(`climax was started with open descriptors (${all}), which programs inherit`);
  }
  return { ok: true, kind: "seatbelt", name: "sandbox-exec", launcher: [program] };
}
