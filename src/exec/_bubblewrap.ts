/** Makes sandboxes on Linux by bubblewrap (`bwrap`), with a filter of system calls. */

import { contains } from "../process/folders.ts";
import type { SeenPath } from "./_file_rules.ts";
import { ask, locateProgram } from "./ask_program.ts";
import { noSupport, type Support, viewOf } from "./sandbox_view.ts";

const temporaryBytes = String(256 * 1024 * 1024);

/**
 * The size in bytes of the empty file system that takes the place of a hidden folder: small, since programs may fill
 * it.
 */
const hiddenBytes = "4096";

/** Each sandbox has its own namespaces, no privileges, a filter of system calls and no terminal, and ends with climax. */
const isolation: readonly string[] = [
  ...["--die-with-parent", "--new-session", "--unshare-user", "--unshare-pid"],
  ...["--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
  ...["--cap-drop", "ALL", "--seccomp", "9"],
];

export function bubblewrapLine(
  view: readonly SeenPath[],
  network: "none" | "host",
  cwd: string,
): readonly string[] {
  // To mount a path below a hidden folder, bubblewrap makes folders in it; only `--remount-ro` then forbids writing there
  const readOnly = view.filter(({ path, access, isDirectory }) => {
    return access === "hidden" && isDirectory &&
      view.some((below) => below.path !== path && contains(path, below.path));
  });
  return [
    ...isolation,
    ...(network === "none" ? ["--unshare-net"] : []),
    ...view.flatMap((seen) => [...mountOf(seen), ...seen.path === "/" ? kernel : []]),
    ...readOnly.flatMap(({ path }) => ["--remount-ro", path]),
    ...["--remount-ro", "/dev", "--remount-ro", "/proc"],
    "--chdir",
    cwd,
  ];
}

const kernel: readonly string[] = [
  ...["--proc", "/proc", "--dev", "/dev"],
  ...["--perms", "1777", "--size", temporaryBytes, "--tmpfs", "/dev/shm"],
];

function mountOf({ path, access, isDirectory, link }: SeenPath): readonly string[] {
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

const minVersion = "0.8.0";

const install =
  "Install it: apt-get install bubblewrap, dnf install bubblewrap, or pacman -S bubblewrap";

const remedy = "Allow user namespaces: sysctl kernel.unprivileged_userns_clone=1 and " +
  "user.max_user_namespaces=15000, and with AppArmor a profile for bwrap in /etc/apparmor.d that allows 'userns'; " +
  "put folders that a sandbox shows, such as /usr/bin, first on PATH; or use 'type: docker'";

/** Tries whether bubblewrap works on this machine. @throws {SandboxError} */
export async function examineBubblewrap(network: "none" | "host"): Promise<Support> {
  const program = await locateProgram("bwrap");
  if (program === undefined) return noSupport("bubblewrap (bwrap) is not on PATH", install);
  const answer = await ask(program, ["--version"]);
  const version = /(?<!\d)\d+\.\d+\.\d+/.exec(answer.stdout)?.[0];
  if (version === undefined) return noSupport(`${program}: ${answer.complaint}`, install);
  if (version.localeCompare(minVersion, "en", { numeric: true }) < 0) {
    return noSupport(`bubblewrap ${version} is older than ${minVersion}`, "Install a later one");
  }
  const { seen } = viewOf({ write: [], read: ["/"], hide: [], network }, "/");
  const words = [...bubblewrapLine(seen, network, "/"), "--"];
  const ls = await locateProgram("ls") ?? "ls";
  const list = [ls, "/proc/self/fd"];
  const sh = await locateProgram("sh") ?? "/bin/sh";
  const launcher = [sh, "-c", filterScript([]), "sh", program] as const;
  const listed = await ask(sh, [...launcher.slice(1), ...words, ...list]);
  if (!listed.ok) {
    return noSupport(listed.complaint, remedy);
  }
  const good = { ok: true, kind: "bubblewrap", name: `bubblewrap ${version}` } as const;
  const inherited = parseInherited(listed.stdout);
  if (inherited.length === 0) return { ...good, launcher };
  // Programs would inherit open descriptors of climax; shells other than bash can close only those up to 9
  const bash = await locateProgram("bash");
  if (bash === undefined) {
    const all = inherited.join(", ");
    const reason = `climax was started with open descriptors (${all}), which programs inherit`;
    return noSupport(reason, "Install bash, which closes them, or start climax without them");
  }
  return { ...good, launcher: [bash, "-c", filterScript(inherited), "bash", program] };
}

function parseInherited(listed: string): readonly number[] {
  const open = listed.split("\n").filter((each) => /^\d+$/.test(each)).map(Number)
    .filter((each) => each > 2).toSorted((a, b) => a - b);
  const own = open.findLast((each, index) => each === index + 3);
  return open.filter((each) => each !== own);
}

interface Machine {
  readonly arch: number;
  readonly refused: readonly number[];
  /** The numbers of the system calls `clone` and `unshare`, whose first argument says which namespaces to make. */
  readonly makers: readonly number[];
  /** The number of the system call `socket`, whose first argument is the family of addresses, such as AF_INET. */
  readonly socket: number;
}

const machines: Readonly<Record<string, Machine>> = {
  x86_64: {
    arch: 0xc000003e,
    makers: [56, 272],
    socket: 41,
    refused: [
      // Sandboxes refuse the system calls add_key, request_key, keyctl
      ...[248, 249, 250],
      // Sandboxes refuse userfaultfd, bpf, perf_event_open, io_uring_setup, io_uring_enter, io_uring_register
      ...[323, 321, 298, 425, 426, 427],
      // Sandboxes refuse mount, umount2, pivot_root, open_tree, move_mount, fs{open,config,mount,pick}, mount_setattr
      ...[165, 166, 155, 428, 429, 430, 431, 432, 433, 442],
      // Sandboxes refuse setns, open_by_handle_at, {init,finit,delete}_module, kexec_load, kexec_file_load
      ...[308, 304, 175, 313, 176, 246, 320],
      // Sandboxes refuse acct, swapon, swapoff, reboot, quotactl, clock_{set,adj}time, settimeofday, adjtimex
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

/** The number of the system call `clone3`. Its flags are in memory, where a filter cannot read them. */
const clone3 = 435;

/** All flags by which `clone` makes namespaces, which the filter refuses: CLONE_NEWNS, CLONE_NEWUSER and others. */
const namespaces = 0x7e020000;

/** The system calls of x32 have second numbers, from this one on, by which a program could make a refused call. */
const x32 = 0x40000000;

/** Only AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK are allowed: AF_VSOCK would reach the host of a virtual machine. */
const families = [1, 2, 10, 16];

/** An instruction of the classic Berkeley packet filter: a comparison skips `yes` or `no` of the next instructions. */
type Instruction = readonly [code: number, yes: number, no: number, value: number];

const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const [numberField, archField, argumentField] = [load(0), load(4), load(16)];

const decide = (decision: number): Instruction => [0x06, 0, 0, decision];
const allow = decide(0x7fff0000);
const refuseWithEperm = decide(0x00050001);
const refuseWithEnosys = decide(0x00050026);
const refuseWithEafnosupport = decide(0x00050061);

const [isEqual, isAtLeast, hasAny] = [0x15, 0x35, 0x45] as const;

function when(code: number, value: number, ...then: readonly Instruction[]): Instruction[] {
  return [[code, 0, then.length, value], ...then];
}

/** Returns the filter for this machine, in the format of bubblewrap's `--seccomp`. */
export function callFilter(machine: string = Deno.build.arch): Uint8Array<ArrayBuffer> {
  const { arch, refused, makers, socket } = machines[machine]!;
  const ofMaker = [argumentField, ...when(hasAny, namespaces, refuseWithEperm), allow];
  const ofSocket = [argumentField, ...families.flatMap((family) => when(isEqual, family, allow))];
  const filter: readonly Instruction[] = [
    archField,
    // System calls of another kind of processor, such as the 32-bit one, have other numbers, so all of them are refused
    [isEqual, 1, 0, arch],
    refuseWithEperm,
    numberField,
    ...when(isAtLeast, x32, refuseWithEperm),
    ...refused.flatMap((call) => when(isEqual, call, refuseWithEperm)),
    ...makers.flatMap((call) => when(isEqual, call, ...ofMaker)),
    // The filter cannot see the flags of `clone3`. If `clone3` seems to be missing, the C library uses `clone` instead
    ...when(isEqual, clone3, refuseWithEnosys),
    ...when(isEqual, socket, ...ofSocket, refuseWithEafnosupport),
    allow,
  ];
  const view = new DataView(new ArrayBuffer(filter.length * 8));
  for (const [index, [code, yes, no, value]] of filter.entries()) {
    view.setUint16(index * 8, code, true);
    view.setUint8(index * 8 + 2, yes);
    view.setUint8(index * 8 + 3, no);
    view.setUint32(index * 8 + 4, value, true);
  }
  return new Uint8Array(view.buffer);
}

/**
 * Returns a script that starts a program with the filter on descriptor 9, which `Deno.Command` cannot pass to a child.
 * A here-document is the only pipe that every shell makes without a second process.
 */
export function filterScript(inherited: readonly number[]): string {
  const closed = inherited.filter((each) => each !== 9).map((each) => ` ${each}>&-`).join("");
  const octal = [...callFilter()].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`);
  return `exec 9<<.\n\n.\nread -r _ <&9\nprintf '${
    octal.join("")
  }' >>/proc/self/fd/9\nexec "$@"${closed}`;
}
