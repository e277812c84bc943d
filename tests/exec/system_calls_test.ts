/** The filter of system calls, read as the kernel reads it, for each machine that climax runs on. */

import assert from "node:assert/strict";
import { delimiter, join } from "node:path";
import { withVariables } from "../_io.ts";
import { linux, programs } from "../_requirements.ts";
import { scratch, writeProgram } from "../e2e/_scratch.ts";
import {
  bubblewrapLine,
  callFilter,
  examineBubblewrap,
  filterScript,
} from "../../src/exec/_bubblewrap.ts";
import type { SeenPath } from "../../src/exec/_file_rules.ts";
import { sandboxSupport } from "../../src/exec/sandbox_check.ts";

const allow = 0x7fff0000;
const eperm = 0x00050001;
const enosys = 0x00050026;

/** What a filter decides about a system call with this first argument: the few operations that it has. */
function decide(
  filter: Uint8Array<ArrayBuffer>,
  arch: number,
  call: number,
  argument = 0,
): number {
  const view = new DataView(filter.buffer);
  let loaded = 0;
  for (let at = 0; at < filter.length; at += 8) {
    const value = view.getUint32(at + 4, true);
    const jump = (isTrue: boolean) => at += 8 * view.getUint8(at + (isTrue ? 2 : 3));
    switch (view.getUint16(at, true)) {
      case 0x20:
        loaded = new Map([[0, call], [4, arch], [16, argument]]).get(value)!;
        break;
      case 0x15:
        jump(loaded === value);
        break;
      case 0x35:
        jump(loaded >= value);
        break;
      case 0x45:
        jump((loaded & value) !== 0);
        break;
      case 0x06:
        return value;
    }
  }
  throw new Error("The filter has no end");
}

/** Each with its numbers on x86_64 and aarch64, as in the kernel's headers. */
const refusedCalls =
  `add_key 248 217, request_key 249 218, keyctl 250 219, userfaultfd 323 282, bpf 321 280,
perf_event_open 298 241, io_uring_setup 425 425, io_uring_enter 426 426,
io_uring_register 427 427, mount 165 40, umount2 166 39, pivot_root 155 41,
open_tree 428 428, move_mount 429 429, fsopen 430 430, fsconfig 431 431, fsmount 432 432,
fspick 433 433, mount_setattr 442 442, setns 308 268, open_by_handle_at 304 265,
init_module 175 105, finit_module 313 273, delete_module 176 106, kexec_load 246 104,
kexec_file_load 320 294, acct 163 89, swapon 167 224, swapoff 168 225, reboot 169 142,
quotactl 179 60, clock_settime 227 112, settimeofday 164 170, adjtimex 159 171,
clock_adjtime 305 266`;

const rows: readonly (readonly [
  machine: string,
  arch: number,
  allowed: readonly number[],
  makers: readonly number[],
])[] = [
  // read, execve, ptrace; clone, unshare
  ["x86_64", 0xc000003e, [0, 59, 101], [56, 272]],
  ["aarch64", 0xc00000b7, [63, 221, 117], [220, 97]],
];

/** Flags of clone and unshare, and what is decided: SIGCHLD, those of a thread, CLONE_FILES, then namespaces. */
const flagRows: readonly (readonly [flags: number, decision: number])[] = [
  ...[17, 0x003d0f00, 0x00000400].map((flags) => [flags, allow] as const),
  ...[0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000011, 0x20000000, 0x40000000]
    .map((flags) => [flags, eperm] as const),
];

for (const [column, [machine, arch, allowed, makers]] of rows.entries()) {
  Deno.test(`callFilter() of ${machine} refuses the keys of the kernel and what administrators do`, () => {
    const filter = callFilter(machine);
    assert.deepEqual(allowed.map((call) => decide(filter, arch, call)), allowed.map(() => allow));
    const refused = Array.from({ length: 500 }, (_, call) => call)
      .filter((call) => decide(filter, arch, call) === eperm);
    const numbers = refusedCalls.split(",").map((call) =>
      Number(call.trim().split(" ")[column + 1])
    );
    assert.deepEqual(refused, numbers.toSorted((one, other) => one - other));
    // Those of x32
    if (machine === "x86_64") assert.equal(decide(filter, arch, 0x40000000), eperm);
    // Whose flags it does not see: the C library then uses clone
    assert.equal(decide(filter, arch, 435), enosys);
    for (const [flags, decision] of flagRows) {
      assert.deepEqual(makers.map((call) => decide(filter, arch, call, flags)), [
        decision,
        decision,
      ]);
    }
    // The calls of i386, whose numbers mean others
    assert.equal(decide(filter, 0x40000003, allowed[0]!), eperm);
  });
}

for (
  const [machine, arch, socket] of [["x86_64", 0xc000003e, 41], [
    "aarch64",
    0xc00000b7,
    198,
  ]] as const
) {
  Deno.test(`callFilter() of ${machine} knows the families of sockets that namespaces hold`, () => {
    const eafnosupport = 0x00050061;
    const decided = (family: number) => decide(callFilter(machine), arch, socket, family);
    assert.deepEqual([1, 2, 10, 16].map(decided), [allow, allow, allow, allow]);
    // None, X.25, Bluetooth, AF_ALG, AF_VSOCK, AF_XDP
    for (const family of [0, 9, 31, 38, 40, 44]) assert.equal(decided(family), eafnosupport);
  });
}

const isolation = "--die-with-parent --new-session --unshare-user --unshare-pid --unshare-ipc " +
  "--unshare-uts --unshare-cgroup-try --cap-drop ALL --seccomp 9";
const kernel = "--proc /proc --dev /dev --perms 1777 --size 268435456 --tmpfs /dev/shm";
const end = "--remount-ro /dev --remount-ro /proc --chdir /w";

for (
  const [network, root, before, after] of [
    ["none", "read", "--unshare-net --ro-bind / /", ""],
    ["host", "read", "--ro-bind / /", ""],
    ["host", "hidden", "", " --remount-ro /"],
  ] as const
) {
  Deno.test(`bubblewrapLine() has every word of a sandbox with network ${network} and / ${root}`, () => {
    const seen = (path: string, access: SeenPath["access"], isDirectory = true) => {
      return { path, access, isDirectory };
    };
    const words = bubblewrapLine(
      [
        seen("/", root),
        seen("/tmp", "private"),
        { ...seen("/bin", "read"), link: "/usr/bin" },
        seen("/w", "write"),
        seen("/w/key", "hidden", false),
        seen("/w/deep", "hidden"),
        seen("/w/empty", "hidden"),
        seen("/w/deep/seen", "read"),
      ],
      network,
      "/w",
    );
    const mounts = [
      "--perms 1777 --size 268435456 --tmpfs /tmp",
      "--symlink /usr/bin /bin",
      "--bind /w /w",
      "--ro-bind /dev/null /w/key",
      "--perms 0555 --size 4096 --tmpfs /w/deep",
      "--perms 0555 --size 4096 --tmpfs /w/empty",
      "--ro-bind /w/deep/seen /w/deep/seen",
    ];
    const expected = [isolation, before, kernel, ...mounts, `${after} --remount-ro /w/deep`, end];
    assert.equal(words.join(" "), expected.join(" ").replaceAll(/ +/g, " "));
  });
}

Deno.test("filterScript() has nothing but constants, and closes what is inherited", () => {
  assert.match(
    filterScript([9, 10, 251]),
    /^exec 9<<\.\n\n\.\nread -r _ <&9\nprintf '(?:\\[0-7]{3})+' >>\/proc\/self\/fd\/9\nexec "\$@" 10>&- 251>&-$/,
  );
});

const version = (text: string) => `[ "$1" = --version ] && echo 'bubblewrap ${text}' && exit\n`;
const lists = (...all: number[]) => `${version("0.8.0")}printf '${all.join("\\n")}'`;

/** Scripts in the place of bubblewrap. */
const makers: readonly (readonly [script: string | undefined, said: RegExp])[] = [
  [undefined, /: bubblewrap \(bwrap\) is not on PATH$/m],
  ["echo none; exit 1", /\/bwrap: none$/m],
  [version("0.7.9"), /: bubblewrap 0\.7\.9 is older than 0\.8\.0$/m],
  [
    `${version("0.8.0")}echo denied >&2; exit 1`,
    /: denied\nAllow user namespaces: sysctl kernel\./,
  ],
  // The list is by a path, not found on PATH there
  [
    `${version("1.2.0")}case $* in */bin/ls\\ /*);; *) exit 1; esac`,
    /^bubblewrap 1\.2\.0, sh, exec "\$@"$/,
  ],
  [lists(0, 1, 2, 3), /^bubblewrap 0\.8\.0, sh, exec "\$@"$/],
  // The last that is in order is that of the list
  [lists(0, 1, 2, 4), /^bubblewrap 0\.8\.0, bash, exec "\$@" 4>&-$/],
  [lists(0, 1, 2, 3, 4), /^bubblewrap 0\.8\.0, bash, exec "\$@" 3>&-$/],
  [lists(10, 0, 1, 2, 3, 11), /^bubblewrap 0\.8\.0, bash, exec "\$@" 10>&- 11>&-$/],
];

/** Writes what is asked beside bubblewrap into a folder of `dir`. */
async function writePrograms(dir: string): Promise<string> {
  const bin = join(dir, "bin");
  for (const name of ["sh", "bash", "ls"]) await Deno.symlink(`/bin/${name}`, join(bin, name));
  const cat = "#!/bin/sh\ncase $1 in *_clone) echo 0;; *) echo 2;; esac\n";
  writeProgram(join(bin, "cat"), cat);
  return bin;
}

for (const [script, said] of makers) {
  Deno.test(`examineBubblewrap() finds ${said.source}`, {
    ...await programs({ bash: ["--version"] }),
  }, async () => {
    await using dir = await scratch({ "bin/file": "" });
    const bin = await writePrograms(dir.path);
    if (script !== undefined) writeProgram(join(bin, "bwrap"), `#!/bin/sh\n${script}\n`);
    using _ = withVariables({ PATH: [join(dir.path, "none"), bin].join(delimiter) });
    const support = await examineBubblewrap("none");
    if (!support.ok) {
      return assert.match(`${support.problem.message}\n${support.problem.hint}`, said);
    }
    const [shell, , text, name, program] = support.launcher;
    assert.deepEqual([shell, name, program].map((path) => path?.replace(`${bin}/`, "")), [
      name,
      name,
      "bwrap",
    ]);
    assert.match(`${support.name}, ${name}, ${text!.split("\n").at(-1)}`, said);
  });
}

linux.test("sandboxSupport() asks again until the answer is good, and keeps that", async () => {
  await using dir = await scratch({ "bin/file": "" });
  const bin = await writePrograms(dir.path);
  using _ = withVariables({ PATH: bin });
  // One that no other test asks about
  const network = "unasked" as "none";
  assert.equal((await sandboxSupport(network)).ok, false);
  writeProgram(join(bin, "bwrap"), `#!/bin/sh\n${version("1.2.0")}:\n`);
  const support = await sandboxSupport(network);
  assert.equal(support.ok, true);
  assert.equal(await sandboxSupport(network), support);
});
