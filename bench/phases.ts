/**
 * Where the time of a start goes, seen from outside: until Deno runs a script at all, until it has
 * read this one, until the server answers `initialize`, and until it has listed its tools.
 */

import { dirname, join } from "node:path";
import { BenchServer } from "./_client.ts";
import { interleave, time } from "./_stats.ts";

/** In the order they pass; each is measured by a start that ends with it. */
const phases = ["Deno", "reading the file", "initialize", "tools/list"] as const;

type Phase = typeof phases[number];

/** A script and what it is started with. */
export interface Scripted {
  readonly name: string;
  readonly script: string;
  readonly args: readonly string[];
}

/** Measures the phases of each of `servers`; a table of medians in milliseconds. */
export async function measurePhases(
  servers: readonly Scripted[],
  { rounds }: { rounds: number },
): Promise<string> {
  const rows = [];
  for (const { name, script, args } of servers) {
    const moments = await momentsOf(script, args, rounds);
    const taken = phases.map((phase, index) => {
      return moments[phase] - (index === 0 ? 0 : moments[phases[index - 1]!]);
    });
    rows.push([name, ...[...taken, moments["tools/list"]].map((ms) => ms.toFixed(1))]);
  }
  const cells = [["start, ms of it for", ...phases, "all"], ...rows];
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  return cells.map((row) => row.map((cell, column) => cell.padEnd(widths[column]!)).join("  "))
    .join("\n");
}

/** Milliseconds from the start of the process to the end of each phase. */
async function momentsOf(
  script: string,
  args: readonly string[],
  rounds: number,
): Promise<Record<Phase, number>> {
  const text = await Deno.readTextFile(script);
  const first = text.indexOf("\n") + 1;
  const say = "Deno.stdout.writeSync(new Uint8Array(1));\n";
  const folder = dirname(script);
  const empty = join(folder, "phase_empty.mjs");
  const read = join(folder, "phase_read.mjs");
  const rest = text.slice(first);
  const reading = rest.includes("./parts/start.mjs") ? 'import "./parts/core.mjs";\n' : "";
  await Deno.writeTextFile(empty, text.slice(0, first) + say, { mode: 0o755 });
  await Deno.writeTextFile(read, text.slice(0, first) + reading + say + rest, { mode: 0o755 });
  const samples = await interleave<Phase>({
    "Deno": () => untilFirstByte([empty]),
    // It serves an input that is empty: only a script that ends by itself leaves its code cache
    "reading the file": () => untilFirstByte([read, ...args]),
    "initialize": () => untilAnswer([script, ...args], async () => {}),
    "tools/list": () =>
      untilAnswer([script, ...args], async (server) => void await server.request("tools/list")),
  }, { rounds, warmUp: 3 });
  const median = (times: number[]) => times.toSorted((a, b) => a - b)[times.length >> 1]!;
  return Object.fromEntries(phases.map((phase) => [phase, median(samples[phase])])) as Record<
    Phase,
    number
  >;
}

async function untilFirstByte([program, ...args]: readonly [string, ...string[]]): Promise<number> {
  const started = performance.now();
  const child = new Deno.Command(program, { args, stdin: "null", stdout: "piped" }).spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  const taken = performance.now() - started;
  await reader.cancel();
  await child.status;
  return taken;
}

async function untilAnswer(
  commandLine: readonly [string, ...string[]],
  work: (server: BenchServer) => Promise<void>,
): Promise<number> {
  let server: BenchServer;
  const taken = await time(async () => {
    server = new BenchServer(commandLine);
    await server.initialize();
    await work(server);
  });
  await server!.close();
  return taken;
}
