/**
 * What a search costs at a given size of catalogue: time to build, memory, time to search.
 */

import type { RankOptions } from "../src/catalog/rank.ts";
import type { Cli, Tool } from "../src/tool/tool.ts";

/** Searches are timed for at most so many queries. */
const TIMED_QUERIES = 1_000;

type Search = (query: string, options: RankOptions) => number[];

/** The two searches to compare, each made for a catalogue. */
export interface Compared {
  readonly index: (tools: readonly Tool[]) => Search;
  readonly scan: (tools: readonly Tool[]) => Search;
}

/**
 * Milliseconds to build, megabytes of memory, and milliseconds of a search (p50, p95) of the
 * index, then of the scan. Memory is only exact with `--v8-flags=--expose-gc`.
 */
export function measureCost(
  tools: readonly Tool[],
  size: number,
  queries: readonly string[],
  { index, scan }: Compared,
): number[] {
  const catalogue = resize(tools, size);
  const before = memory();
  const search = index(catalogue);
  const megabytes = (memory() - before) / 1e6;
  const build = median(Array.from({ length: 3 }, () => elapsed(() => index(catalogue))));
  const step = Math.max(1, Math.floor(queries.length / TIMED_QUERIES));
  const some = queries.filter((_, place) => place % step === 0);
  return [build, megabytes, ...times(search, some), ...times(scan(catalogue), some)];
}

/** Fewer tools, evenly taken, or more: copies whose CLI and name carry the copy's number. */
function resize(tools: readonly Tool[], size: number): Tool[] {
  if (size <= tools.length) {
    return Array.from({ length: size }, (_, at) => tools[Math.floor(at * tools.length / size)]!);
  }
  const clis = new Map<string, Cli>();
  return Array.from({ length: size }, (_, at) => {
    const tool = tools[at % tools.length]!;
    const copy = Math.floor(at / tools.length);
    if (copy === 0) return tool;
    const name = `${tool.cli.name}${copy}`;
    const cli = clis.get(name) ?? { ...tool.cli, name };
    clis.set(name, cli);
    return { ...tool, name: `${tool.name}_${copy}`, cli };
  });
}

function times(search: Search, queries: readonly string[]): [p50: number, p95: number] {
  for (const query of queries.slice(0, 200)) search(query, { limit: 10 });
  const took = queries.map((query) => elapsed(() => search(query, { limit: 10 })));
  took.sort((a, b) => a - b);
  return [took[Math.floor(took.length * 0.5)]!, took[Math.floor(took.length * 0.95)]!];
}

function median(numbers: number[]): number {
  return numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}

function elapsed(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** Bytes in use, on V8's heap and in typed arrays. */
function memory(): number {
  // What one collection leaves unreachable, the next one frees.
  for (let round = 0; round < 3; round++) (globalThis as { gc?: () => void }).gc?.();
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}
