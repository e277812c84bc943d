/** The filter of system calls, read as the kernel reads it, for each machine that climax runs on. */

import assert from "node:assert/strict";
import { callFilter, filterScript } from "../../src/exec/_bubblewrap.ts";

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

const rows: readonly (readonly [
  machine: string,
  arch: number,
  allowed: readonly number[],
  refused: readonly number[],
  makers: readonly number[],
])[] = [
  // read, execve, ptrace; add_key, keyctl, mount, bpf, adjtimex, x32's read; clone, unshare
  ["x86_64", 0xc000003e, [0, 59, 101], [248, 250, 165, 321, 159, 0x40000000], [56, 272]],
  // read, execve, ptrace; add_key, keyctl, mount, bpf, adjtimex; clone, unshare
  ["aarch64", 0xc00000b7, [63, 221, 117], [217, 219, 40, 280, 171], [220, 97]],
];

/** Flags of clone and unshare, and what is decided: SIGCHLD, those of a thread, CLONE_FILES, then namespaces. */
const flagRows: readonly (readonly [flags: number, decision: number])[] = [
  ...[17, 0x003d0f00, 0x00000400].map((flags) => [flags, allow] as const),
  ...[0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000011, 0x20000000, 0x40000000]
    .map((flags) => [flags, eperm] as const),
];

for (const [machine, arch, allowed, refused, makers] of rows) {
  Deno.test(`callFilter() of ${machine} refuses the keys of the kernel and what administrators do`, () => {
    const filter = callFilter(machine);
    assert.deepEqual(allowed.map((call) => decide(filter, arch, call)), allowed.map(() => allow));
    assert.deepEqual(refused.map((call) => decide(filter, arch, call)), refused.map(() => eperm));
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

Deno.test("filterScript() has nothing but constants, and closes what is inherited", () => {
  assert.match(
    filterScript([9, 10, 251]),
    /^exec 9<<\.\n\n\.\nread -r _ <&9\nprintf '(?:\\[0-7]{3})+' >>\/proc\/self\/fd\/9\nexec "\$@" 10>&- 251>&-$/,
  );
});
