import assert from "node:assert/strict";
import { assertLinear } from "./_growth.ts";

/** Work that takes as many milliseconds of a clock of its own as `msOf` says for a size and a run. */
function fake(msOf: (size: number, run: number) => number) {
  let time = 0;
  let runs = 0;
  const make = (size: number) => () => void (time += msOf(size, runs++));
  return { make, now: () => time, runs: () => runs };
}

const linear: readonly (readonly [what: string, msOf: (size: number, run: number) => number])[] = [
  ["linear work", (size) => size],
  ["n log n", (size) => size * Math.log2(size)],
  ["linear work on a machine that is busy most of the time", (size, run) => {
    return run % 7 === 0 ? size : 10 * size * (1 + run % 3);
  }],
  ["linear work whose longer run is disturbed nearly always", (size, run) => {
    return size === 400 && run < 100 ? 20 : size / 100;
  }],
];

for (const [what, msOf] of linear) {
  Deno.test(`assertLinear() accepts ${what}`, async () => {
    const { make, now } = fake(msOf);
    await assertLinear(make, { size: 100, now });
  });
}

const others: typeof linear = [
  ["quadratic work beside linear work", (size) => 10 * size + size ** 2],
  ["quadratic work on a machine that is busy half of the time", (size, run) => {
    return size ** 2 * (1 + 9 * (run % 2));
  }],
];

for (const [what, msOf] of others) {
  Deno.test(`assertLinear() fails for ${what}`, async () => {
    const { make, now } = fake(msOf);
    await assert.rejects(
      () => assertLinear(make, { size: 100, what: "the work", now }),
      /^AssertionError.*: the work: time is not linear, \d+\.\d ms for 100, \d+\.\d ms for 400$/,
    );
  });
}

Deno.test("assertLinear() tells linear work of this machine from quadratic", async () => {
  const scan = (size: number) => () => {
    let sum = 0;
    for (let at = 0; at < 100 * size; at++) sum += at % 7;
    return sum;
  };
  const pairs = (size: number) => scan(size * size / 100);
  await assertLinear(scan, { size: 20_000 });
  const work = { size: 1_000, mostMs: 200 };
  await assert.rejects(() => assertLinear(pairs, work), /time is not linear/);
});
