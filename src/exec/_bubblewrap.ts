/** The command line of bubblewrap (`bwrap`) for a view of the files, and whether it makes sandboxes on this machine. */

import { isIn, type SeenPath } from "./_file_rules.ts";
import { ask, locateProgram } from "./_ask.ts";
import { filterScript } from "./_system_calls.ts";
import { type Support, viewOf } from "./sandbox_view.ts";

/** Bytes of each private temporary folder, which lies in memory: 256 MiB. */
const temporaryBytes = String(256 * 1024 * 1024);

/** Bytes of a folder in the place of a hidden one: the least, since its owner may change the mode. */
const hiddenBytes = "4096";

/** Namespaces, no privileges, the filter of `_system_calls.ts`, no terminal, no life after the server. */
const isolation: readonly string[] = [
  "--die-with-parent",
  "--new-session",
  "--unshare-user",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
  ...["--cap-drop", "ALL", "--seccomp", "9"],
];

/** The words before `--`, program first; `view` has parents before what is in them. */
export function bubblewrapLine(
  view: readonly SeenPath[],
  network: "none" | "host",
  cwd: string,
): readonly string[] {
  // What is mounted in a folder stands in folders of its own, which the mode of that one does not close
  const readOnly = view.filter(({ path, access, isDirectory }) => {
    return access === "hidden" && isDirectory &&
      view.some((below) => below.path !== path && isIn(below.path, path));
  });
  return [
    ...isolation,
    ...(network === "none" ? ["--unshare-net"] : []),
    ...view.flatMap(mountOf),
    ...readOnly.flatMap(({ path }) => ["--remount-ro", path]),
    ...["--remount-ro", "/dev", "--remount-ro", "/proc"],
    "--chdir",
    cwd,
  ];
}

function mountOf(seen: SeenPath): readonly string[] {
  const { path } = seen;
  const mount = ownMount(seen);
  return path === "/" ? [...mount, ...kernel] : mount;
}

/** The folders of the kernel, over those of this machine. */
const kernel: readonly string[] = [
  ...["--proc", "/proc", "--dev", "/dev"],
  ...["--perms", "1777", "--size", temporaryBytes, "--tmpfs", "/dev/shm"],
];

function ownMount({ path, access, isDirectory, link }: SeenPath): readonly string[] {
  switch (access) {
    case "read":
      return link === undefined ? ["--ro-bind", path, path] : ["--symlink", link, path];
    case "write":
      return ["--bind", path, path];
    case "private":
      return ["--perms", "1777", "--size", temporaryBytes, "--tmpfs", path];
    case "hidden":
      if (path === "/") return [];
      return isDirectory
        ? ["--perms", "0555", "--size", hiddenBytes, "--tmpfs", path]
        : ["--ro-bind", "/dev/null", path];
  }
}

/** The first version with all options that are used. */
const minVersion = [0, 8, 0];

const install =
  "Install it: apt-get install bubblewrap, dnf install bubblewrap, or pacman -S bubblewrap";

const otherwise =
  "Run climax where user namespaces are allowed, or use 'type: docker' or 'type: ssh'";

/** @throws {SandboxError} */
export async function examineBubblewrap(network: "none" | "host"): Promise<Support> {
  const fail = (reason: string, hint: string): Support => ({
    ok: false,
    reason: reason.split("\n")[0]!,
    hint,
  });
  const program = await locateProgram("bwrap");
  if (program === undefined) return fail("bubblewrap (bwrap) is not on PATH", install);
  const said = await ask(program, ["--version"]);
  const version = /\d+\.\d+\.\d+/.exec(said.stdout)?.[0];
  if (version === undefined) return fail(`${program}: ${said.complaint}`, install);
  if (isOlder(version.split(".").map(Number))) {
    const least = minVersion.join(".");
    return fail(`bubblewrap ${version} is older than ${least}`, "Install a later one");
  }
  const { seen } = viewOf({ write: [], read: ["/"], hide: [], network }, "/");
  const words = [...bubblewrapLine(seen, network, "/"), "--"];
  const list = [await locateProgram("ls") ?? "ls", "/proc/self/fd"];
  const sh = await locateProgram("sh") ?? "/bin/sh";
  const start = [sh, "-c", filterScript([]), "sh", program] as const;
  const listed = await ask(sh, [...start.slice(1), ...words, ...list]);
  if (!listed.ok) return fail(listed.complaint, await remedy());
  const good = { ok: true, kind: "bubblewrap", name: `bubblewrap ${version}` } as const;
  const inherited = parseInherited(listed.stdout);
  if (inherited.length === 0) return { ...good, start };
  // Other shells close descriptors up to 9 only
  const bash = await locateProgram("bash");
  if (bash === undefined) {
    const all = inherited.join(", ");
    const reason = `climax was started with open descriptors (${all}), which programs inherit`;
    return fail(reason, "Install bash, which closes them, or start climax without them");
  }
  return { ...good, start: [bash, "-c", filterScript(inherited), "bash", program] };
}

/** The descriptors that a program has from this process, in a list of those of `ls`. */
function parseInherited(listed: string): readonly number[] {
  const open = listed.split("\n").filter((each) => /^\d+$/.test(each)).map(Number)
    .filter((each) => each > 2).toSorted((a, b) => a - b);
  // The first free one is that of the list itself
  const own = open.findLast((each, index) => each === index + 3);
  return open.filter((each) => each !== own);
}

function isOlder(version: readonly number[]): boolean {
  const at = minVersion.findIndex((least, index) => version[index] !== least);
  return at !== -1 && version[at]! < minVersion[at]!;
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
