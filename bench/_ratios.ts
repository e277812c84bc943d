/**
 * The ratios of a quiet machine, in `ratios.json`, and whether those of another time are worse. Times depend on the
 * machine, ratios much less. The noise of a ratio is what several runs make of it.
 */

import { fileURLToPath } from "node:url";
import { type Measurement, summarize } from "./_stats.ts";

const path = fileURLToPath(new URL("ratios.json", import.meta.url));

/** Fewer pairs say nothing about their noise. */
const leastPairs = 5;

/** The machine and the date of a measurement of ratios. */
export interface Machine {
  readonly date: string;
  readonly cpus: number;
  readonly gibibytes: number;
  /** The load of the last minute, when the runs began. */
  readonly load: number;
  readonly system: string;
  readonly deno: string;
}

/** One ratio. */
export interface KnownRatio {
  /** The median of the pairs of all runs. */
  readonly median: number;
  /** The bounds in which the median lies with 95 % probability, and the medians of all runs. */
  readonly low: number;
  readonly high: number;
  /** The median of each run. */
  readonly runs: readonly number[];
  /** The measured value, and its floor. */
  readonly value: number;
  readonly floor: number;
  readonly unit: string;
}

/** By the name of the measurement and its floor. */
export type KnownRatios = Readonly<Record<string, KnownRatio>>;

export interface SavedRatios {
  readonly machine: Machine;
  readonly ratios: KnownRatios;
}

/** Nothing, if none were saved yet. */
export async function readRatios(): Promise<SavedRatios | undefined> {
  try {
    return JSON.parse(await Deno.readTextFile(path));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Replaces what is compared with. */
export async function saveRatios(saved: SavedRatios): Promise<void> {
  await Deno.writeTextFile(path, `${JSON.stringify(saved, null, 2)}\n`);
}

/** The samples of all runs as if they were of one. */
export function together(runs: readonly (readonly Measurement[])[]): Measurement[] {
  const all = Map.groupBy(runs.flat(), keyOf);
  return [...all.values()].map((each) => ({
    ...each[0]!,
    samples: each.flatMap(({ samples }) => samples),
    floorSamples: each.flatMap(({ floorSamples }) => floorSamples),
  }));
}

/** The ratios of several runs, without floors measured against themselves, and sizes, which tests bound. */
export function ratiosOf(runs: readonly (readonly Measurement[])[]): KnownRatios {
  const measured = together(runs).filter(({ name, samples }) => {
    return !/^(?:noise|size)\b/.test(name) && samples.length >= leastPairs;
  });
  return Object.fromEntries(measured.map((measurement) => {
    const { value, floor, ratio, unit } = summarize(measurement);
    const medians = runs.flat().filter((each) => keyOf(each) === keyOf(measurement))
      .map((each) => rounded(summarize(each).ratio.median));
    return [keyOf(measurement), {
      median: rounded(ratio.median),
      low: Math.min(rounded(ratio.low), ...medians),
      high: Math.max(rounded(ratio.high), ...medians),
      runs: medians,
      value: rounded(value.median),
      floor: rounded(floor.median),
      unit,
    }];
  }));
}

/** Returns a line for each ratio whose whole interval lies above the one in `before`. */
export function compareRatios(ratios: KnownRatios, before: KnownRatios): string[] {
  return Object.entries(ratios).flatMap(([key, now]) => {
    const then = before[key];
    if (then === undefined || now.low <= then.high) return [];
    return [`worse: ${key}: ${shown(now)}, before ${shown(then)}`];
  });
}

function keyOf({ name, floor }: Pick<Measurement, "name" | "floor">): string {
  return `${name} / ${floor}`;
}

function rounded(value: number): number {
  return Number(value.toFixed(3));
}

function shown({ low, median, high }: KnownRatio): string {
  return `${median.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
}
