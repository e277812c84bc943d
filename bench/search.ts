/** A search over generated catalogues, beside a plain scan of the same texts and beside a ping. */

import { join } from "node:path";
import { ToolIndex } from "../src/catalog/tool_index.ts";
import { loadConfigs } from "../src/sources/command/load.ts";
import { BenchServer } from "./_client.ts";
import { climaxServer } from "./_servers.ts";
import { interleave, type Measurement, time } from "./_stats.ts";

/** Numbers of tools. */
const sizes = [10, 1_000, 10_000];

/** Tools of one generated CLI. */
const toolsPerCli = 20;

/** What is searched for: common, rare, and nowhere. */
const queries = ["list", "rotate snapshot 7", "no such thing"];

const verbs = ["list", "create", "delete", "show", "rotate", "copy", "import", "export"];
const nouns = ["snapshot", "bucket", "branch", "container", "volume", "image", "user", "key"];

/** Searches catalogues of 10, 1,000 and 10,000 tools, in the process and over stdio. */
export async function measureSearch(
  directory: string,
  { rounds }: { rounds: number },
): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const size of sizes) {
    const paths = await writeConfigs(directory, size);
    measurements.push(await measureIndex(paths, size, rounds));
    measurements.push(await measureServer(paths, size, rounds));
  }
  return measurements;
}

async function measureIndex(
  paths: readonly string[],
  size: number,
  rounds: number,
): Promise<Measurement> {
  const { tools } = await loadConfigs(paths, () => undefined);
  const index = new ToolIndex(tools);
  const texts = tools.map(({ name, description, owner: cli }) => {
    return [name, description, cli.name, cli.category, ...cli.tags].join("\n").toLowerCase();
  });
  const scan = (query: string) => {
    const found = [];
    for (const [position, text] of texts.entries()) {
      if (text.includes(query)) found.push(position);
      if (found.length === 10) break;
    }
    return found;
  };
  // Often enough that the clock can see it
  const repeat = Math.max(1, 2_000 / size);
  const all = (search: (query: string) => unknown) => async () => {
    const taken = await time(() => {
      for (let turn = 0; turn < repeat; turn++) queries.forEach(search);
    });
    return taken / repeat / queries.length;
  };
  const samples = await interleave({
    scan: all(scan),
    index: all((query) => index.search({ query })),
  }, { rounds: rounds * 2, warmUp: 20 });
  return {
    name: `search of ${size.toLocaleString("en-US")} tools, in process`,
    unit: "ms",
    samples: samples.index,
    floor: "substring scan",
    floorSamples: samples.scan,
  };
}

async function measureServer(
  paths: readonly string[],
  size: number,
  rounds: number,
): Promise<Measurement> {
  const server = new BenchServer(climaxServer(...paths));
  await server.initialize();
  const samples = await interleave({
    ping: () => time(() => server.request("ping")),
    search: async () => {
      const taken = await time(async () => {
        for (const query of queries) await server.call("climax_search", { query });
      });
      return taken / queries.length;
    },
  }, { rounds, warmUp: 10 });
  await server.close();
  return {
    name: `climax_search of ${size.toLocaleString("en-US")} tools`,
    unit: "ms",
    samples: samples.search,
    floor: "ping",
    floorSamples: samples.ping,
  };
}

/** As many configs as `size` tools take; returns their paths. */
async function writeConfigs(directory: string, size: number): Promise<string[]> {
  const folder = join(directory, String(size));
  await Deno.mkdir(folder);
  const count = Math.ceil(size / toolsPerCli);
  const paths = Array.from({ length: count }, (_, cli) => join(folder, `cli${cli}.yaml`));
  await Promise.all(
    paths.map((path, cli) => {
      return Deno.writeTextFile(path, configText(cli, Math.min(toolsPerCli, size)));
    }),
  );
  return paths;
}

function configText(cli: number, tools: number): string {
  const lines = Array.from({ length: tools }, (_, tool) => {
    const verb = verbs[tool % verbs.length];
    const noun = nouns[(tool + cli) % nouns.length];
    return `  - name: cli${cli}_${verb}_${noun}_${tool}
    description: ${verb} ${noun} ${tool} of a generated program, with a filter and a format
    command: ${verb} ${noun}
    args:
      - { name: filter, description: Only those that match, type: string }
      - { name: format, description: How it is shown, type: string, enum: [json, text] }
`;
  });
  const category = nouns[cli % nouns.length];
  return `name: cli${cli}
description: Generated program ${cli}
command: cli${cli}
category: ${category}
tags: [generated, ${category}]
tools:
${lines.join("")}`;
}
