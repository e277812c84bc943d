/** The figures of benchmarks: intervals of medians, and ratios that are worse than before. */

import assert from "node:assert/strict";
import { compareRatios, ratiosOf, together } from "../bench/_ratios.ts";
import { interval, type Measurement } from "../bench/_stats.ts";

Deno.test("interval() of a median is narrower with more samples, and ignores the extremes", () => {
  const samples = (count: number) => Array.from({ length: count }, (_, at) => 1 + (at % 11) / 10);
  const few = interval(samples(22));
  const many = interval([...samples(220), 1000]);
  assert.equal(few.median, 1.5);
  assert.ok(few.low <= 1.5 && few.high >= 1.5);
  assert.ok(many.high - many.low < few.high - few.low);
  assert.deepEqual(interval([3, 1, 2]), { low: 1, median: 2, high: 3 });
});

/** A run in which `name` took `ratios` of its floor. */
function run(name: string, ratios: readonly number[]): readonly Measurement[] {
  const samples = ratios.map((ratio) => 2 * ratio);
  const floorSamples = ratios.map(() => 2);
  return [{ name, unit: "ms", floor: "bare server", samples, floorSamples }];
}

const ratiosNear = (ratio: number, count = 20) => {
  return Array.from({ length: count }, (_, at) => ratio + (at % 5) / 100);
};

Deno.test("ratiosOf() spans the medians of the runs", () => {
  const runs = [run("call", [1.1, 1.2, 1.3]), run("call", [1.4, 1.5, 1.6])];
  assert.deepEqual(together(runs)[0]!.samples.length, 6);
  assert.deepEqual(ratiosOf(runs), {
    "call / bare server": {
      ...{ median: 1.35, low: 1.1, high: 1.6, runs: [1.2, 1.5] },
      ...{ value: 2.7, floor: 2, unit: "ms" },
    },
  });
});

Deno.test("compareRatios() finds a ratio that lies above all that it was before", () => {
  const before = ratiosOf([1.1, 1.2, 1.3].map((ratio) => run("call", ratiosNear(ratio))));
  const compared = (name: string, ...runs: readonly (readonly number[])[]) => {
    return compareRatios(ratiosOf(runs.map((ratios) => run(name, ratios))), before);
  };
  assert.deepEqual(compared("call", ratiosNear(1.28)), []);
  assert.deepEqual(compared("call", ratiosNear(1.28), ratiosNear(1.4)), []);
  assert.equal(compared("call", ratiosNear(1.4), ratiosNear(1.45)).length, 1);
  // Another one, one with too few samples, a floor against itself, and a size
  assert.deepEqual(compared("start", ratiosNear(1.4)), []);
  assert.deepEqual(compared("call", ratiosNear(1.4, 4)), []);
  assert.deepEqual(compared("noise: call", ratiosNear(1.4)), []);
  assert.deepEqual(Object.keys(ratiosOf([run("size, portable", ratiosNear(1.4))])), []);
});
