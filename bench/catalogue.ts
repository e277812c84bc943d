/** The benchmark's data: configs as tools, queries as rows. */

import { bundledConfigs } from "../src/sources/command/bundled.ts";
import { loadConfigs } from "../src/sources/command/load.ts";
import { formatProblem } from "../src/errors.ts";
import type { Tool } from "../src/tool/tool.ts";

/** One row of a query file; each inner list of `want` holds interchangeable right answers. */
export interface QueryRow {
  readonly query: string;
  readonly want: readonly (readonly string[])[];
  readonly filter?: { readonly cli?: string; readonly category?: string };
}

/** Where the shared data is, beside the repository, when no other place is named. */
export const sharedData = new URL("../../shared/bench", import.meta.url).pathname;

/** Every tool of the YAML configs in `folder`, in the order of their file names. */
export async function loadTools(folder: string): Promise<Tool[]> {
  const files = [...Deno.readDirSync(folder)].map((entry) => `${folder}/${entry.name}`);
  return await toolsOf(files.toSorted());
}

/** Every tool of the bundled configs. */
export async function bundledTools(): Promise<Tool[]> {
  return await toolsOf([...bundledConfigs.keys()]);
}

/** The rows of a JSON lines file. */
export function loadQueries(file: string): QueryRow[] {
  return Deno.readTextFileSync(file).trim().split("\n").map((line) => JSON.parse(line));
}

async function toolsOf(configs: readonly string[]): Promise<Tool[]> {
  const { tools, problems } = await loadConfigs(configs, () => undefined);
  if (problems.length > 0) throw new Error(problems.map(formatProblem).join("\n"));
  return [...tools];
}
