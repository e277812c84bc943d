/** The command line of bubblewrap (`bwrap`) for a view of the files, and whether it makes sandboxes on this machine. */

import { isIn, type SeenPath } from "./_file_rules.ts";
import { ask, locateProgram } from "./ask_program.ts";
import { noSupport, type Support, viewOf } from "./sandbox_view.ts";

/** Bytes of each private temporary folder, which lies in memory: 256 MiB. */
const temporaryBytes = String(256 * 1024 * 1024);

/** Bytes of a folder in the place of a hidden one: the least, since its owner may change the mode. */
const hiddenBytes = "4096";

/** Namespaces, no privileges, the filter of `_system_calls.ts`, no terminal, no life after the server. */
const isolation: readonly string[] = [
  ...["--die-with-parent", "--new-session", "--unshare-user", "--unshare-pid"],
  ...["--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
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

const otherwise = "Run climax where user namespaces are allowed, or use 'type: docker'";

/** @throws {SandboxError} */
export async function examineBubblewrap(network: "none" | "host"): Promise<Support> {
  const program = await locateProgram("bwrap");
  if (program === undefined) return noSupport("bubblewrap (bwrap) is not on PATH", install);
  const answer = await ask(program, ["--version"]);
  const version = /(?<!\d)\d+\.\d+\.\d+/.exec(answer.stdout)?.[0];
  if (version === undefined) return noSupport(`${program}: ${answer.complaint}`, install);
  if (isOlder(version.split(".").map(Number))) {
    const least = minVersion.join(".");
    return noSupport(`bubblewrap ${version} is older than ${least}`, "Install a later one");
  }
  const { seen } = viewOf({ write: [], read: ["/"], hide: [], network }, "/");
  const words = [...bubblewrapLine(seen, network, "/"), "--"];
  const list = [await locateProgram("ls") ?? "ls", "/proc/self/fd"];
  const sh = await locateProgram("sh") ?? "/bin/sh";
  const launcher = [sh, "-c", filterScript([]), "sh", program] as const;
  const listed = await ask(sh, [...launcher.slice(1), ...words, ...list]);
  if (!listed.ok) return noSupport(listed.complaint, await remedy());
  const good = { ok: true, kind: "bubblewrap", name: `bubblewrap ${version}` } as const;
  const inherited = parseInherited(listed.stdout);
  if (inherited.length === 0) return { ...good, launcher };
  // Other shells close descriptors up to 9 only
  const bash = await locateProgram("bash");
  if (bash === undefined) {
    const all = inherited.join(", ");
    const reason = `climax was started with open descriptors (${all}), which programs inherit`;
    return noSupport(reason, "Install bash, which closes them, or start climax without them");
  }
  return { ...good, launcher: [bash, "-c", filterScript(inherited), "bash", program] };
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

interface Machine {
  /** Its `AUDIT_ARCH_…`. */
  readonly arch: number;
  readonly refused: readonly number[];
  /** `clone` and `unshare`, whose first argument has the namespaces to make. */
  readonly makers: readonly number[];
  /** `socket`, whose first argument is the family of addresses. */
  readonly socket: number;
}

/** System calls by machine. */
const machines: Readonly<Record<string, Machine>> = {
  x86_64: {
    arch: 0xc000003e,
    makers: [56, 272],
    socket: 41,
    refused: [
      // add_key, request_key, keyctl
      ...[248, 249, 250],
      // userfaultfd, bpf, perf_event_open, io_uring_setup, io_uring_enter, io_uring_register
      ...[323, 321, 298, 425, 426, 427],
      // mount, umount2, pivot_root, open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, mount_setattr
      ...[165, 166, 155, 428, 429, 430, 431, 432, 433, 442],
      // setns, open_by_handle_at, init_module, finit_module, delete_module, kexec_load, kexec_file_load
      ...[308, 304, 175, 313, 176, 246, 320],
      // acct, swapon, swapoff, reboot, quotactl, clock_settime, settimeofday, adjtimex, clock_adjtime
      ...[163, 167, 168, 169, 179, 227, 164, 159, 305],
    ],
  },
  aarch64: {
    arch: 0xc00000b7,
    makers: [220, 97],
    socket: 198,
    refused: [
      ...[217, 218, 219],
      ...[282, 280, 241, 425, 426, 427],
      ...[40, 39, 41, 428, 429, 430, 431, 432, 433, 442],
      ...[268, 265, 105, 273, 106, 104, 294],
      ...[89, 224, 225, 142, 60, 112, 170, 171, 266],
    ],
  },
};

/** `clone3` everywhere: its flags are in memory, where no filter looks. */
const clone3 = 435;

/** CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET */
const namespaces = 0x7e020000;

/** Operations of the classic Berkeley packet filter. */
const load = 0x20;
const jumpIfEqual = 0x15;
const jumpIfAtLeast = 0x35;
const jumpIfAny = 0x45;
const finish = 0x06;

/** Offsets in `struct seccomp_data`, the last one of the lower half of the first argument. */
const numberOffset = 0;
const archOffset = 4;
const argumentOffset = 16;

/** First number of the x32 calls, which would get around the others. */
const x32 = 0x40000000;

/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: of the others, AF_VSOCK reaches the host of a virtual machine from any namespace. */
const families = [1, 2, 10, 16];

const allow = 0x7fff0000;
const refuseWithEperm = 0x00050001;

/** The C library then uses `clone`. */
const refuseWithEnosys = 0x00050026;

const refuseWithEafnosupport = 0x00050061;

type Target = "missing" | "socket" | "maker" | "refuse";

type Step =
  | readonly [code: number, value: number]
  /** A number is a distance. */
  | readonly [code: number, value: number, yes: Target | number]
  | readonly [code: number, value: number, yes: undefined, no: Target];

/** The filter for this machine, as `--seccomp` of bubblewrap reads it. */
export function callFilter(machine: string = Deno.build.arch): Uint8Array<ArrayBuffer> {
  const { arch, refused, makers, socket } = machines[machine]!;
  const steps: Step[] = [
    [load, archOffset],
    // Calls of another machine, such as 32-bit ones, have other numbers
    [jumpIfEqual, arch, undefined, "refuse"],
    [load, numberOffset],
    [jumpIfAtLeast, x32, "refuse"],
    ...refused.map((call): Step => [jumpIfEqual, call, "refuse"]),
    ...makers.map((call): Step => [jumpIfEqual, call, "maker"]),
    [jumpIfEqual, clone3, "missing"],
    [jumpIfEqual, socket, "socket"],
    [finish, allow],
  ];
  const targets: Record<Target, number> = {
    missing: steps.length,
    socket: steps.length + 1,
    maker: steps.length + families.length + 4,
    refuse: steps.length + families.length + 7,
  };
  steps.push([finish, refuseWithEnosys]);
  const known = families.map((family, index): Step => {
    return [jumpIfEqual, family, families.length - index];
  });
  steps.push([load, argumentOffset], ...known);
  steps.push([finish, refuseWithEafnosupport], [finish, allow]);
  steps.push([load, argumentOffset], [jumpIfAny, namespaces, "refuse"], [finish, allow]);
  steps.push([finish, refuseWithEperm]);
  const view = new DataView(new ArrayBuffer(steps.length * 8));
  steps.forEach(([code, value, yes, no], index) => {
    const distance = (target: Target | number = 0) => {
      return typeof target === "number" ? target : targets[target] - index - 1;
    };
    const at = index * 8;
    view.setUint16(at, code, true);
    view.setUint8(at + 2, distance(yes));
    view.setUint8(at + 3, distance(no));
    view.setUint32(at + 4, value, true);
  });
  return new Uint8Array(view.buffer);
}

/**
 * The script that starts the program of its arguments with the filter on descriptor 9 and without `inherited`
 * descriptors. It has constants and numbers only: what is run are the arguments. A here-document is the only pipe that
 * every shell makes without a second process.
 */
export function filterScript(inherited: readonly number[]): string {
  const closed = inherited.filter((each) => each !== 9).map((each) => ` ${each}>&-`).join("");
  const octal = [...callFilter()].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`);
  return `exec 9<<.\n\n.\nread -r _ <&9\nprintf '${
    octal.join("")
  }' >>/proc/self/fd/9\nexec "$@"${closed}`;
}
