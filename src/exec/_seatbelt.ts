/**
 * The profile of macOS's `sandbox-exec` for a view of the files. Paths are parameters of the profile and never part of its
 * text, so that no name can add a rule. The last rule that fits decides.
 *
 * It holds less than namespaces do: see docs/policy.md. It has never been run on a Mac, which is why the first sandbox of
 * a process is tried before any program gets one: see `_seatbelt_check.ts`.
 */

import { basename, dirname } from "node:path";
import { isIn, type SeenPath } from "./_file_rules.ts";
import type { SandboxView } from "./sandbox_view.ts";

/** What a profile is made of. */
export interface SeatbeltPlan extends SandboxView {
  readonly network: "none" | "host";
  /** A folder of the call's own. */
  readonly temporary: string;
}

/** What every program needs, and no more: no services of the person's session, no keychain, no other process. */
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

/** Addresses and names; sockets of files stay closed. */
const hostNetwork = `(allow network-outbound (remote ip "*:*"))
(allow network-bind network-inbound (local ip "*:*"))
(allow network-outbound (literal "/private/var/run/mDNSResponder"))
(allow mach-lookup
  (global-name "com.apple.SystemConfiguration.configd")
  (global-name "com.apple.SystemConfiguration.DNSConfiguration")
  (global-name "com.apple.trustd.agent"))`;

/** The words before those of the program. */
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
  // Names that are there are compared as the disk has them, new ones as they are written
  for (const { path } of plan.open) profile.add("(deny file-write* (regex @))", anyCase(path));
  for (const folder of pinned(plan)) {
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

  /** Adds a rule with `path` as a parameter in the place of `@`. */
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
    switch (access) {
      case "read":
        this.add(`(allow file-read* process-exec ${where})`, path);
        return this.add(`(deny file-write* ${where})`, path);
      case "write":
        return this.add(`(allow file-read* file-write* process-exec ${where})`, path);
      case "private":
      case "hidden":
        if (path === "/") return;
        return this.add(`(deny file-read* file-write* process-exec ${where})`, path);
    }
  }

  /** Sockets of files in `folder`. */
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
  return seen.filter(({ access, isDirectory }) => access === "write" && isDirectory)
    .map(({ path }) => path);
}

/** The folders on the way to what is seen, of which a program may know that they are there. */
function ancestorsOf({ seen, temporary }: SeatbeltPlan): readonly string[] {
  const shown = seen.filter(({ access }) => access !== "hidden").map(({ path }) => path);
  return [...new Set([...shown, temporary].flatMap(above))];
}

/** Folders that a program may not move: what is denied below them would move out of its rule. */
function pinned(plan: SeatbeltPlan): readonly string[] {
  const roots = writable(plan);
  const paths = [...plan.seen.map(({ path }) => path), ...plan.open.map(({ path }) => path)];
  const within = paths.flatMap((path) => {
    return above(path).filter((folder) => roots.some((root) => isIn(folder, root)));
  });
  return [...new Set([...roots, ...within])];
}

/** All folders above `path`, the nearest first. */
function above(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === path ? [] : [folder, ...above(folder)];
}

/** A regular expression for `path` and what is below it: its name in any case, as most disks of macOS compare. */
function anyCase(path: string): string {
  const folder = dirname(path);
  const start = [...(folder === "/" ? "" : folder)].map((each) => {
    // What is no plain letter fits any one character: the rule denies, and rather too much
    return /^[\w/]$/.test(each) ? each : /^[ -~]$/.test(each) ? "[^/]" : "[^/]+";
  });
  const name = [...basename(path)].map((each) => {
    const [lower, upper] = [each.toLowerCase(), each.toUpperCase()];
    return lower === upper ? `[${each}]` : `[${lower}${upper}]`;
  });
  return `^${start.join("")}/${name.join("")}(/|$)`;
}
