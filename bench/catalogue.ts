/**
 * Reads the benchmark's data: configs as tools, queries as rows.
 *
 * Not the real loader: it checks nothing and fills in only what ranking reads.
 */

import { parse } from "yaml";
import type { Arg, Cli, Tool } from "../src/tool/tool.ts";

/** One row of a query file; each inner list of `want` holds interchangeable right answers. */
export interface QueryRow {
  readonly query: string;
  readonly want: readonly (readonly string[])[];
  readonly filter?: { readonly cli?: string; readonly category?: string };
}

interface ConfigFile {
  readonly name: string;
  readonly description?: string;
  readonly command: string;
  readonly category?: string;
  readonly tags?: readonly string[];
  readonly tools: readonly {
    readonly name: string;
    readonly description?: string;
    readonly command?: string;
    readonly args?: readonly { readonly name: string; readonly description?: string }[];
  }[];
}

/** Every tool of the YAML configs in `folder`, in the order of their file names. */
export function loadTools(folder: string): Tool[] {
  const files = [...Deno.readDirSync(folder)].map((entry) => entry.name).sort();
  return files.flatMap((file) => toTools(parse(Deno.readTextFileSync(`${folder}/${file}`))));
}

/** The rows of a JSON lines file. */
export function loadQueries(file: string): QueryRow[] {
  return Deno.readTextFileSync(file).trim().split("\n").map((line) => JSON.parse(line));
}

function toTools(config: ConfigFile): Tool[] {
  const cli: Cli = {
    name: config.name,
    description: config.description ?? "",
    tags: config.tags ?? [],
    ...(config.category === undefined ? {} : { category: config.category }),
  };
  return config.tools.map((tool) => ({
    name: tool.name,
    description: tool.description ?? "",
    cli,
    args: (tool.args ?? []).map(toArg),
    timeoutMs: 30_000,
    source: {
      kind: "command",
      command: [config.command, ...(tool.command ? [tool.command] : [])],
      env: {},
      globalArgs: [],
    },
  }));
}

function toArg(arg: { readonly name: string; readonly description?: string }): Arg {
  return {
    name: arg.name,
    description: arg.description ?? "",
    type: "string",
    required: false,
    role: { kind: "flag", flag: `--${arg.name}` },
  };
}
