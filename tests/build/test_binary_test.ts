/** The base runtime in an executable that `deno compile` made. */

import assert from "node:assert/strict";
import { baseOf } from "../../build/test_binary.ts";

/** An ELF file with one section header, and `more` bytes behind it. */
function elf(more: number): Uint8Array {
  const bytes = new Uint8Array(128 + more).fill(7);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0x7f454c46);
  view.setUint16(4, 0x0201);
  view.setBigUint64(40, 64n, true);
  view.setUint16(58, 64, true);
  view.setUint16(60, 1, true);
  return bytes;
}

Deno.test("baseOf() leaves out what is behind the section headers, and nothing else", () => {
  assert.deepEqual(baseOf(elf(1000)), elf(0));
  assert.deepEqual(baseOf(elf(0)), elf(0));
});

Deno.test("baseOf() refuses what is no ELF file, and half of one", () => {
  assert.throws(() => baseOf(new TextEncoder().encode("#!/bin/sh\n")), /it is no 64-bit ELF file/);
  assert.throws(() => baseOf(elf(0).subarray(0, 100)), /The base is cut off/);
});
