/** Measurements in pairs, and the few numbers that are said about them. */

/** A measurement: each sample stands beside the sample of the floor that was taken next to it. */
export interface Measurement {
  readonly name: string;
  readonly unit: "ms" | "MiB";
  readonly floor: string;
  /** Both of equal length, in the order they were taken. */
  readonly samples: readonly number[];
  readonly floorSamples: readonly number[];
  /** Largest median ratio that is wanted. */
  readonly aim?: number;
}

/** Minimum, median and maximum. */
export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

/** The median, and where it lies with 95 % probability. */
export interface Interval {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

/** A measurement as it is reported. */
export interface Row {
  readonly name: string;
  readonly unit: string;
  readonly pairs: number;
  readonly value: Spread;
  readonly floor: Spread & { readonly name: string };
  /** The ratio of each sample to the floor's beside it. */
  readonly ratio: Spread & Interval;
  readonly aim?: number;
}

/** Summarizes a measurement. */
export function summarize(measurement: Measurement): Row {
  const { name, unit, floor, samples, floorSamples, aim } = measurement;
  const ratios = samples.map((sample, index) => sample / floorSamples[index]!);
  return {
    name,
    unit,
    pairs: samples.length,
    value: spread(samples),
    floor: { name: floor, ...spread(floorSamples) },
    ratio: { ...spread(ratios), ...interval(ratios) },
    ...(aim === undefined ? {} : { aim }),
  };
}

function spread(samples: readonly number[]): Spread {
  const sorted = samples.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
  return { min: sorted[0]!, median, max: sorted.at(-1)! };
}

/**
 * The 95 % interval of the median by ranks, which takes nothing for granted about how the samples are distributed: as
 * many lie below the median as heads come up of as many coins. Of fewer than six samples it is their range.
 */
export function interval(samples: readonly number[]): Interval {
  const sorted = samples.toSorted((a, b) => a - b);
  const rank = Math.floor(sorted.length / 2 - 0.98 * Math.sqrt(sorted.length));
  const { median } = spread(samples);
  return { low: sorted[Math.max(0, rank)]!, median, high: sorted.at(-1 - Math.max(0, rank))! };
}

/** Milliseconds that `work` takes. */
export async function time(work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/**
 * Takes samples of all `works` in turn, `rounds` times, so that whatever the machine does besides meets
 * all alike. Each round has an order of its own: what one leaves behind, such as cold caches, the next
 * one pays for, and in a fixed order that is always the same one. The first `warmUp` rounds are thrown
 * away.
 */
export async function interleave<K extends string>(
  works: Readonly<Record<K, () => number | Promise<number>>>,
  { rounds, warmUp = 1 }: { rounds: number; warmUp?: number },
): Promise<Record<K, number[]>> {
  const names = Object.keys(works) as K[];
  const samples = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    K,
    number[]
  >;
  for (let round = -warmUp; round < rounds; round++) {
    for (const name of shuffled(names)) {
      const sample = await works[name]();
      if (round >= 0) samples[name].push(sample);
    }
  }
  return samples;
}

function shuffled<T>(items: readonly T[]): T[] {
  return items.map((item) => ({ item, at: Math.random() })).toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
