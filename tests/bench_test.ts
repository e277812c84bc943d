/** The figures of benchmarks: intervals of medians, and ratios that are worse than before. */

import assert from "node:assert/strict";
import { compareRatios } from "../bench/_ratios.ts";
import { interval, summarize } from "../bench/_stats.ts";

Deno.test("interval() of a median is narrower with more samples, and ignores the extremes", () => {
  const samples = (count: number) => Array.from({ length: count }, (_, at) => 1 + (at % 11) / 10);
  const few = interval(samples(22));
  const many = interval([...samples(220), 1000]);
  assert.equal(few.median, 1.5);
  assert.ok(few.low <= 1.5 && few.high >= 1.5);
  assert.ok(many.high - many.low < few.high - few.low);
  assert.deepEqual(interval([3, 1, 2]), { low: 1, median: 2, high: 3 });
});

function row(name: string, ratios: readonly number[]) {
  const samples = ratios.map((ratio) => 2 * ratio);
  const floorSamples = ratios.map(() => 2);
  return summarize({ name, unit: "ms", floor: "bare server", samples, floorSamples });
}

Deno.test("compareRatios() finds a ratio whose interval lies above the one before", () => {
  const machine = { date: "", cpus: 2, load: 0, system: "", deno: "" };
  const before = { "call / bare server": { low: 1.1, median: 1.2, high: 1.3 } };
  const compared = (name: string, ratio: number, count = 20) => {
    const ratios = Array.from({ length: count }, (_, at) => ratio + (at % 5) / 100);
    return compareRatios([row(name, ratios)], { machine, ratios: before });
  };
  assert.deepEqual(compared("call", 1.28), []);
  assert.equal(compared("call", 1.4).length, 1);
  // Another one, one with too few samples, and a floor against itself
  assert.deepEqual(compared("start", 1.4), []);
  assert.deepEqual(compared("call", 1.4, 5), []);
  assert.deepEqual(compared("noise: call", 1.4), []);
});
