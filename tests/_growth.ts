/**
 * Claims of linear time as a ratio on the same machine: four times the input takes about four times as long, where
 * quadratic time would be sixteen times. Other load of the machine makes a run longer and never shorter, so the
 * shortest runs count, and where those do not show it, what the thread computed.
 */

import assert from "node:assert/strict";
import { threadCpuUsage } from "node:process";

/** The work on an input of `size`. The input is made before the time is taken. */
export type MakeWork = (size: number) => () => unknown;

/** How to measure. */
export interface Growth {
  /** The smaller input: the larger one best takes a millisecond or two, in which few runs are interrupted. */
  readonly size: number;
  /** Named in the failure, where one test makes several claims. */
  readonly what?: string;
  /** Milliseconds after which no more rounds begin. @default 3000 */
  readonly mostMs?: number;
  /** @default performance.now */
  readonly now?: () => number;
}

const factor = 4;
/** Between linear (4) and quadratic (16): a cache that is too small for the larger input costs less than double. */
const mostGrowth = 8;
/** A machine under load gets many chances of an undisturbed run: at least so many, more while they are short. */
const leastRounds = 8;
const mostRounds = 100;
/** Milliseconds between rounds. Systems rather let a thread go on that has waited. */
const pauseMs = 5;
/** The smaller input is the more easily disturbed: more of its runs make its minimum as good. */
const smallRuns = 3;
/** Milliseconds. Below it the shorter run is what the call itself costs. */
const leastMs = 0.5;
/** Milliseconds of computing that are many of the steps in which the system counts it. */
const leastComputedMs = 300;

/** Fails when `make(4 * size)` repeatedly takes more than eight times as long as `make(size)`. */
export async function assertLinear(make: MakeWork, { size, what, ...how }: Growth) {
  const found = await excess(make(size), make(factor * size), { ...how, times: mostGrowth });
  if (found === undefined) return;
  const [small, large] = found.map((ms) => ms.toFixed(1));
  const times = `${small} ms for ${size}, ${large} ms for ${factor * size}`;
  assert.fail(`${what === undefined ? "" : `${what}: `}time is not linear, ${times}`);
}

/** Fails when `work` repeatedly takes more than `times` as long as `other`. */
export async function assertWithin(times: number, work: () => unknown, other: () => unknown) {
  const found = await excess(other, work, { times });
  if (found === undefined) return;
  const [short, long] = found.map((ms) => ms.toFixed(1));
  assert.fail(`${long} ms are more than ${times} times ${short} ms`);
}

/** What `small` and `large` took, in milliseconds, if that is `times` as long; otherwise nothing. */
async function excess(
  small: () => unknown,
  large: () => unknown,
  { times, mostMs = 3_000, ...clock }: Omit<Growth, "size" | "what"> & { readonly times: number },
): Promise<readonly [number, number] | undefined> {
  const now = clock.now ?? (() => performance.now());
  // Code that runs for the first time is slower, which would hide the growth
  await small();
  let [least, most] = [Infinity, Infinity];
  const began = now();
  for (let round = 0; round < mostRounds; round++) {
    for (let run = 0; run < smallRuns; run++) least = Math.min(least, await took(small, now));
    most = Math.min(most, await took(large, now));
    if (most < times * Math.max(least, leastMs)) return undefined;
    if (round >= leastRounds && now() - began > mostMs) break;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  // What this thread computed counts no time of others, but only in steps of some milliseconds
  if (clock.now === undefined) {
    [least, most] = [await computedMs(small), await computedMs(large)];
    if (most < times * least) return undefined;
  }
  return [least, most];
}

/** Milliseconds that this thread computes in a run: the average of as many runs as take {@linkcode leastComputedMs}. */
async function computedMs(work: () => unknown): Promise<number> {
  const began = threadCpuUsage();
  let [runs, ms] = [0, 0];
  while (ms < leastComputedMs) {
    await work();
    runs++;
    const { user, system } = threadCpuUsage(began);
    ms = (user + system) / 1000;
  }
  return ms / runs;
}

async function took(work: () => unknown, now: () => number): Promise<number> {
  const began = now();
  await work();
  return now() - began;
}
