/** A search over generated catalogues, beside a plain scan of the same texts and beside a ping. */

import { join } from "node:path";
import { answerNotes } from "../src/catalog/answer.ts";
import { ToolIndex } from "../src/catalog/tool_index.ts";
import { loadConfigs } from "../src/sources/command/load.ts";
import { BenchServer } from "./_client.ts";
import { climaxServer } from "./_servers.ts";
import { interleave, type Measurement, time } from "./_stats.ts";

/** Numbers of tools. */
const sizes = [10, 1_000, 10_000, 100_000];
/** The most of them that a server is started with. */
const maxServed = 10_000;

/** Files of one catalogue, at most, as people have: each search looks at all. */
const maxFiles = 10;

/** Queries: common words, rare words, and words of no tool, which are answered with similar tools. */
const queries = { found: ["list", "rotate snapshot 7"], empty: ["nosuchthing", "xsnapsot_rotat"] };

const verbs = ["list", "create", "delete", "show", "rotate", "copy", "import", "export"];
const nouns = ["snapshot", "bucket", "branch", "container", "volume", "image", "user", "key"];

/** Searches catalogues in the process and over stdio, what is found and what is not. */
export async function measureSearch(
  directory: string,
  { rounds }: { rounds: number },
): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const size of sizes) {
    const paths = await writeConfigs(directory, size);
    measurements.push(...await measureIndex(paths, size, rounds));
    if (size <= maxServed) measurements.push(...await measureServer(paths, size, rounds));
  }
  return measurements;
}

async function measureIndex(
  paths: readonly string[],
  size: number,
  rounds: number,
): Promise<Measurement[]> {
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
  const all = (search: (query: string) => unknown, kind: keyof typeof queries) => async () => {
    const taken = await time(async () => {
      for (let turn = 0; turn < repeat; turn++) {
        for (const query of queries[kind]) await search(query);
      }
    });
    return taken / repeat / queries[kind].length;
  };
  const full = (query: string) => {
    const results = index.search({ query });
    return answerNotes(index, { query }, { mode: "search", results });
  };
  const samples = await interleave({
    scan: all(scan, "found"),
    found: all(full, "found"),
    empty: all(full, "empty"),
  }, { rounds: rounds * 2, warmUp: 20 });
  return (["found", "empty"] as const).map((kind) => ({
    name: `search of ${size.toLocaleString("en-US")} tools, in process, ${kind}`,
    unit: "ms",
    samples: samples[kind],
    floor: "substring scan",
    floorSamples: samples.scan,
  }));
}

async function measureServer(
  paths: readonly string[],
  size: number,
  rounds: number,
): Promise<Measurement[]> {
  const server = new BenchServer(climaxServer(...paths));
  await server.initialize();
  const all = (kind: keyof typeof queries) => async () => {
    const taken = await time(async () => {
      for (const query of queries[kind]) await server.call("climax_search", { query });
    });
    return taken / queries[kind].length;
  };
  const samples = await interleave({
    ping: () => time(() => server.request("ping")),
    found: all("found"),
    empty: all("empty"),
  }, { rounds, warmUp: 10 });
  await server.close();
  return (["found", "empty"] as const).map((kind) => ({
    name: `climax_search of ${size.toLocaleString("en-US")} tools, ${kind}`,
    unit: "ms",
    samples: samples[kind],
    floor: "ping",
    floorSamples: samples.ping,
  }));
}

/** As many configs as `size` tools take; returns their paths. */
async function writeConfigs(directory: string, size: number): Promise<string[]> {
  const folder = join(directory, String(size));
  await Deno.mkdir(folder);
  const count = Math.min(maxFiles, Math.ceil(size / 20));
  const paths = Array.from({ length: count }, (_, cli) => join(folder, `cli${cli}.yaml`));
  await Promise.all(
    paths.map((path, cli) => {
      return Deno.writeTextFile(path, configText(cli, Math.ceil(size / count)));
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
