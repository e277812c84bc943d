import type { Owner } from "../src/tool/owner.ts";
import type { Tool } from "../src/tool/tool.ts";
import { dataFolder, loadSets } from "./catalogue.ts";
import { rankingOf, scan, type Search } from "./scan.ts";

/** Searches are timed for at most so many queries. */
const timedQueries = 1_000;

/** What a catalogue of one size costs. Memory is only exact with `--v8-flags=--expose-gc`. */
export interface SearchCost {
  readonly tools: number;
  readonly build_ms: number;
  readonly memory_mb: number;
  readonly p50_ms: number;
  readonly p95_ms: number;
  readonly scan_p50_ms: number;
  readonly scan_p95_ms: number;
}

/** Costs at each of `sizes`, over the catalogue with the most queries. */
export async function searchCosts(sizes: readonly number[]): Promise<SearchCost[]> {
  const sets = await loadSets(dataFolder());
  const { tools, rows } = sets.toSorted((a, b) => b.rows.length - a.rows.length)[0]!;
  const queries = rows.map(({ query }) => query);
  return sizes.map((size) => costAt(resize(tools, size), queries));
}

function costAt(tools: readonly Tool[], queries: readonly string[]): SearchCost {
  const before = memory();
  const search = rankingOf(tools).rank;
  const megabytes = (memory() - before) / 1e6;
  const build = median(
    Array.from({ length: 3 }, () => elapsed(() => rankingOf(tools))),
  );
  const step = Math.max(1, Math.floor(queries.length / timedQueries));
  const some = queries.filter((_, place) => place % step === 0);
  const [p50, p95] = times(search, some);
  const [scanP50, scanP95] = times(scan(tools), some);
  return {
    tools: tools.length,
    build_ms: build,
    memory_mb: megabytes,
    p50_ms: p50,
    p95_ms: p95,
    scan_p50_ms: scanP50,
    scan_p95_ms: scanP95,
  };
}

/** Fewer tools, evenly taken, or more: copies whose CLI and name carry the copy's number. */
function resize(tools: readonly Tool[], size: number): Tool[] {
  if (size <= tools.length) {
    return Array.from({ length: size }, (_, at) => tools[Math.floor(at * tools.length / size)]!);
  }
  const clis = new Map<string, Owner>();
  return Array.from({ length: size }, (_, at) => {
    const tool = tools[at % tools.length]!;
    const copy = Math.floor(at / tools.length);
    if (copy === 0) return tool;
    const name = `${tool.owner.name}${copy}`;
    const cli = clis.get(name) ?? { ...tool.owner, name };
    clis.set(name, cli);
    return { ...tool, name: `${tool.name}_${copy}`, owner: cli };
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
