/**
 * The ratios of a quiet run, in `ratios.json`, and whether those of another are worse. Times depend on the machine,
 * ratios much less; each has the interval in which its median lies with 95 % probability.
 */

import { fileURLToPath } from "node:url";
import type { Interval, Row } from "./_stats.ts";

const path = fileURLToPath(new URL("ratios.json", import.meta.url));

/** Fewer pairs say nothing about their noise. */
const leastPairs = 6;

/** Where and when ratios were measured. */
export interface Machine {
  readonly date: string;
  readonly cpus: number;
  /** Of the last minute, when the run began. */
  readonly load: number;
  readonly system: string;
  readonly deno: string;
}

export interface Ratios {
  readonly machine: Machine;
  /** By the name of the measurement and its floor. */
  readonly ratios: Readonly<Record<string, Interval>>;
}

/** Nothing, if none were saved yet. */
export async function readRatios(): Promise<Ratios | undefined> {
  try {
    return JSON.parse(await Deno.readTextFile(path));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Replaces what is compared with. */
export async function saveRatios(rows: readonly Row[], machine: Machine): Promise<void> {
  const ratios = Object.fromEntries(
    compared(rows).map(({ name, floor, ratio: { low, median, high } }) => {
      const [from, middle, to] = [low, median, high].map((each) => Number(each.toFixed(3)));
      return [`${name} / ${floor.name}`, { low: from, median: middle, high: to }];
    }),
  );
  await Deno.writeTextFile(path, `${JSON.stringify({ machine, ratios }, null, 2)}\n`);
}

/** What is worse than in `before`, a line for each: its interval lies above the one of then. */
export function compareRatios(rows: readonly Row[], { ratios }: Ratios): string[] {
  return compared(rows).flatMap(({ name, floor, ratio }) => {
    const before = ratios[`${name} / ${floor.name}`];
    if (before === undefined || ratio.low <= before.high) return [];
    return [`worse: ${name}, ${shown(ratio)} of ${floor.name}, before ${shown(before)}`];
  });
}

/** Without floors measured against themselves. */
function compared(rows: readonly Row[]): Row[] {
  return rows.filter(({ name, pairs }) => !name.startsWith("noise:") && pairs >= leastPairs);
}

function shown({ low, median, high }: Interval): string {
  return `${median.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
}
