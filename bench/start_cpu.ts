/**
 * Measures the processor time of a start by phase, beside a bare server started in turn: all threads, until the
 * server has answered `initialize`, until it has answered `tools/list`, and what it does then by itself.
 * Other work on the machine moves it less than wall time. It prints tables in Markdown. Linux only:
 *
 * `deno task bench start [ROUNDS] [SCRIPT]`; a SCRIPT is the portable form of another version.
 */

import { join } from "node:path";
import { buildForms } from "./artefacts.ts";
import { BenchServer } from "./_client.ts";
import { bareServer, climaxServer, oneTool } from "./_servers.ts";
import { markdown } from "./_table.ts";

const phases = ["initialize", "tools/list", "both", "afterwards", "MiB"] as const;
type Phase = typeof phases[number];
type Start = Readonly<Record<Phase, number>>;
type CommandLine = readonly [string, ...string[]];

const [rounds = "15", other] = Deno.args;
const directory = await Deno.makeTempDir({ prefix: "climax-bench-" });
try {
  const one = join(directory, "one.yaml");
  await Deno.writeTextFile(one, oneTool);
  const { climax, bare } = await buildForms(directory);
  const others: [string, CommandLine][] = other === undefined ? [] : [
    ["other, one tool", [other, "run", one]],
    ["other, git", [other, "run", "git"]],
  ];
  await print("bare server", {
    "bare server": [bare],
    "bare server again": [bare],
    "one tool": [climax, "run", one],
    "git": [climax, "run", "git"],
    ...Object.fromEntries(others),
  });
  await print("bare server, source", {
    "bare server, source": bareServer,
    "one tool, source": climaxServer(one),
    "git, source": climaxServer("git"),
  });
} finally {
  await Deno.remove(directory, { recursive: true });
}

/** Starts the servers in turn; prints medians, and the median of the ratios to `floor` beside. */
async function print(floor: string, servers: Readonly<Record<string, CommandLine>>): Promise<void> {
  const names = Object.keys(servers);
  const starts = new Map(names.map((name) => [name, [] as Start[]]));
  // The first two fill V8's code cache
  for (let round = -2; round < Number(rounds); round++) {
    for (const name of names) {
      const start = await measure(servers[name]!);
      if (round >= 0) starts.get(name)!.push(start);
    }
  }
  const floors = starts.get(floor)!;
  const rows = [...starts].map(([name, own]) => {
    const ratios = own.map(({ both }, index) => both / floors[index]!.both);
    return [
      name,
      ...phases.map((phase) => median(own.map((each) => each[phase]))),
      `${median(ratios, 2)} (${Math.min(...ratios).toFixed(2)} to ${
        Math.max(...ratios).toFixed(2)
      })`,
    ];
  });
  const text = markdown([["ms", ...phases, "of the bare server"], ...rows]);
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n\n`));
}

async function measure(commandLine: CommandLine): Promise<Start> {
  const server = new BenchServer(commandLine);
  await server.initialize();
  const initialized = server.processorTime();
  await server.request("tools/list");
  const both = server.processorTime();
  const all = await idleTime(server);
  const memory = await server.residentMemory();
  await server.close();
  return {
    "initialize": initialized,
    "tools/list": both - initialized,
    "both": both,
    "afterwards": all - both,
    "MiB": memory,
  };
}

/** The processor time of a server that works no more. */
async function idleTime(server: BenchServer): Promise<number> {
  for (let before = -1;;) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    const now = server.processorTime();
    if (now === before && now > 20) return now;
    before = now;
  }
}

function median(values: readonly number[], digits = 1): string {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!.toFixed(digits);
}
