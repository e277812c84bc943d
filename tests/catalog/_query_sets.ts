/** Configs as tools and queries as rows, for tests and benchmarks of search. */

import { fileURLToPath } from "node:url";
import { bundledConfigs } from "../../src/sources/command/bundled.ts";
import { loadConfigs } from "../../src/sources/command/load.ts";
import { formatProblem } from "../../src/errors.ts";
import type { Tool } from "../../src/tool/tool.ts";

/** One row of a query file; each inner list of `want` holds interchangeable right answers. */
export interface QueryRow {
  readonly query: string;
  readonly want: readonly (readonly string[])[];
  readonly filter?: { readonly cli?: string; readonly category?: string };
}

/** Queries over one catalogue. */
export interface QuerySet {
  readonly name: string;
  readonly tools: readonly Tool[];
  readonly rows: readonly QueryRow[];
}

const inRepository = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Where data that is too large for the repository is looked for. */
export function dataFolder(): string {
  return Deno.env.get("CLIMAX_BENCH_DATA") ?? inRepository("../../bench/data");
}

/**
 * The queries over the bundled configs, then those of `folder`: each folder in it has `configs/` and
 * `queries.jsonl`, and perhaps more queries as `queries-NAME.jsonl`. A folder that is not there holds
 * nothing.
 */
export async function loadSets(folder: string): Promise<QuerySet[]> {
  const sets: QuerySet[] = [{
    name: "bundled",
    tools: await bundledTools(),
    rows: bundledRows(),
  }];
  for (const name of namesIn(folder)) {
    if (!Deno.statSync(`${folder}/${name}`).isDirectory) continue;
    if (namesIn(`${folder}/${name}/configs`).length === 0) continue;
    const tools = await loadTools(`${folder}/${name}/configs`);
    for (const file of namesIn(`${folder}/${name}`)) {
      const match = /^queries(?:-(.+))?\.jsonl$/.exec(file);
      if (match === null) continue;
      const [, kind] = match;
      const rows = loadQueries(`${folder}/${name}/${file}`);
      sets.push({ name: kind === undefined ? name : `${name} ${kind}`, tools, rows });
    }
  }
  return sets;
}

/**
 * 0 for the half to choose a ranking on, 1 for the half to check it on. Queries that want
 * the same tool are in the same half.
 */
export function halfOf({ want }: QueryRow): number {
  // FNV-1a, mixed once more so that its lowest bit depends on every character
  let hash = 0x811c9dc5;
  for (const character of want[0]![0]!) {
    hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193) >>> 0;
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3ca7) >>> 0;
  return (hash ^ (hash >>> 12)) & 1;
}

/** Every tool of the YAML configs in `folder`, in the order of their file names. */
async function loadTools(folder: string): Promise<Tool[]> {
  return await toolsOf(namesIn(folder).map((name) => `${folder}/${name}`));
}

/** The queries over the bundled configs, of both halves. */
export function bundledRows(): QueryRow[] {
  return ["choose", "test"].flatMap((half) => {
    return loadQueries(inRepository(`queries-${half}.jsonl`));
  });
}

/** Sets that are measured as one. */
export interface SetGroup {
  readonly name: string;
  readonly sets: readonly QuerySet[];
}

/** Configs that are served in addition to a query's own where five are: the first four others. */
const company = ["git", "docker", "gh", "npm", "kubectl"];

/**
 * The blind queries over the bundled configs, as people serve those: each query's own config alone, with
 * four others, and with all, as they are and without their examples.
 */
export async function bundledSets(): Promise<SetGroup[]> {
  const tools = await bundledTools();
  const bare = tools.map((tool) => ({ ...tool, examples: [] }));
  const lines = Deno.readTextFileSync(inRepository("queries-blind.jsonl")).trim().split("\n");
  const queries: BundledQuery[] = lines.map((line) => JSON.parse(line));
  return [tools, bare].flatMap((tools) =>
    ["1", "5", "all"].map((count) => ({
      name: `${count}${tools === bare ? ", bare" : ""}`,
      sets: setsOf(queries, tools, count),
    }))
  );
}

interface BundledQuery {
  readonly query: string;
  readonly configs: readonly string[];
  readonly relevant: readonly string[];
}

function setsOf(queries: readonly BundledQuery[], tools: readonly Tool[], count: string) {
  const served = ({ configs }: BundledQuery) => {
    if (count === "all") return undefined;
    const others = company.filter((name) => !configs.includes(name)).slice(0, 4);
    return count === "1" ? configs : [...configs, ...others];
  };
  const groups = Map.groupBy(queries, (query) => served(query)?.join() ?? "");
  return [...groups].map(([name, rows]): QuerySet => {
    const own = served(rows[0]!);
    return {
      name,
      tools: tools.filter(({ owner }) => own?.includes(owner.name) ?? true),
      rows: rows.map(({ query, relevant }) => ({ query, want: [relevant] })),
    };
  });
}

/** Every tool of the bundled configs. */
export async function bundledTools(): Promise<Tool[]> {
  return await toolsOf([...bundledConfigs.keys()]);
}

/** The rows of a JSON lines file. */
function loadQueries(file: string): QueryRow[] {
  return Deno.readTextFileSync(file).trim().split("\n").map((line) => JSON.parse(line));
}

function namesIn(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name).toSorted();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

async function toolsOf(configs: readonly string[]): Promise<Tool[]> {
  const { tools, problems } = await loadConfigs(configs, () => undefined);
  if (problems.length > 0) throw new Error(problems.map(formatProblem).join("\n"));
  return [...tools];
}
