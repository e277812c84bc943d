/**
 * A filter of system calls (seccomp) for programs in a sandbox: it takes away the keys of the kernel, which no namespace
 * holds, and interfaces that only administrators need and that have had most of the kernel's faults.
 *
 * See `linux/seccomp.h`, `linux/bpf_common.h` and the tables of system calls of each machine.
 */

/** System calls by machine, and its `AUDIT_ARCH_…`. */
const machines: Readonly<
  Record<string, { readonly arch: number; readonly refused: readonly number[] }>
> = {
  x86_64: {
    arch: 0xc000003e,
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
    refused: [
      ...[217, 218, 219],
      ...[282, 280, 241, 425, 426, 427],
      ...[40, 39, 41, 428, 429, 430, 431, 432, 433, 442],
      ...[268, 265, 105, 273, 106, 104, 294],
      ...[89, 224, 225, 142, 60, 112, 170, 171, 266],
    ],
  },
};

/** Operations of the classic Berkeley packet filter. */
const load = 0x20;
const jumpIfEqual = 0x15;
const jumpIfAtLeast = 0x35;
const finish = 0x06;

/** Offsets in `struct seccomp_data`. */
const numberOffset = 0;
const archOffset = 4;

/** First number of the x32 calls, which would get around the others. */
const x32 = 0x40000000;

const allow = 0x7fff0000;
const refuseWithEperm = 0x00050001;

/** The filter for this machine, as `--seccomp` of bubblewrap reads it. */
export function callFilter(machine: string = Deno.build.arch): Uint8Array<ArrayBuffer> {
  const { arch, refused } = machines[machine]!;
  const count = refused.length;
  const instructions: readonly (readonly [code: number, yes: number, no: number, value: number])[] =
    [
      [load, 0, 0, archOffset],
      // Calls of another machine, such as 32-bit ones, have other numbers
      [jumpIfEqual, 0, count + 3, arch],
      [load, 0, 0, numberOffset],
      [jumpIfAtLeast, count + 1, 0, x32],
      ...refused.map((call, index) => [jumpIfEqual, count - index, 0, call] as const),
      [finish, 0, 0, allow],
      [finish, 0, 0, refuseWithEperm],
    ];
  const view = new DataView(new ArrayBuffer(instructions.length * 8));
  instructions.forEach(([code, yes, no, value], index) => {
    const at = index * 8;
    view.setUint16(at, code, true);
    view.setUint8(at + 2, yes);
    view.setUint8(at + 3, no);
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
  const octal = [...callFilter()].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
  const closed = inherited.filter((each) => each !== 9).map((each) => ` ${each}>&-`).join("");
  return `exec 9<<.\n\n.\nread -r _ <&9\nprintf '${octal}' >>/proc/self/fd/9\nexec "$@"${closed}`;
}
