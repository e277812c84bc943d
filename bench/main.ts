/**
 * Measures what climax costs, each figure beside a floor that was measured in the same run, in turn with it.
 *
 * `deno task bench [--quick] [--json]`. The figures to look at are the ratios; the rest depends on
 * the machine. The rows named noise measure the floor against itself.
 *
 * `deno task bench --check` measures the ratios alone, in five short runs, and fails if one is worse than in
 * `ratios.json`; `--save` writes that file.
 *
 * `deno task bench NAME [ARGUMENT…]` runs one of the other programs here; each says at its top what it measures.
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { measureArtefacts } from "./artefacts.ts";
import { measureCalls } from "./call.ts";
import { measureHttp } from "./http.ts";
import { measureMemory } from "./memory.ts";
import { measureSearch } from "./search.ts";
import { oneTool } from "./_servers.ts";
import { measureStart } from "./start.ts";
import { measureUpstream } from "./upstream.ts";
import {
  compareRatios,
  type Machine,
  ratiosOf,
  readRatios,
  saveRatios,
  together,
} from "./_ratios.ts";
import { type Measurement, type Row, summarize } from "./_stats.ts";
import { tableOf } from "./_table.ts";

/** Programs that measure one thing, by the name that `deno task bench` knows them by. */
const programs: Readonly<Record<string, string>> = {
  agent: "agent_tasks.ts",
  gateways: "gateways.ts",
  generate: "generate/measure.ts",
  search: "search_recall.ts",
  soak: "soak.ts",
  start: "start_cpu.ts",
};

const [name, ...rest] = Deno.args;
if (name !== undefined && !name.startsWith("-")) {
  const file = programs[name];
  if (file === undefined) {
    const known = Object.keys(programs).join(", ");
    print(
      Deno.stderr,
      `There is no benchmark '${name}': expected ${known}, or none for the others`,
    );
    Deno.exit(2);
  }
  const path = fileURLToPath(new URL(file, import.meta.url));
  const words = ["run", "--allow-all", path, ...rest];
  Deno.exit((await new Deno.Command(Deno.execPath(), { args: words }).spawn().status).code);
}

const { values } = parseArgs({
  args: Deno.args,
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    save: { type: "boolean", default: false },
  },
});
const { json, check, save } = values;
/** Runs of which each ratio has a median, and whether they are short. */
const [runs, quick] = check || save ? [5, true] : [1, values.quick];

const directory = await Deno.makeTempDir({ prefix: "climax-bench-" });
try {
  const machine = {
    date: new Date().toISOString().slice(0, 10),
    cpus: navigator.hardwareConcurrency,
    gibibytes: Math.round(Deno.systemMemoryInfo().total / 1024 ** 3),
    load: Deno.loadavg()[0]!,
    system: `${Deno.build.os} ${Deno.osRelease()} ${Deno.build.arch}`,
    deno: Deno.version.deno,
  };
  if (check || save) await watchRatios(directory, machine);
  else {
    const { measurements, idle } = await measureAll(directory);
    reportAll(measurements.map(summarize), idle, machine);
  }
} finally {
  await Deno.remove(directory, { recursive: true });
}

/**
 * Prints the ratios of several runs. `--save` writes them; `--check` prints those that are worse than the saved ones,
 * which make the run fail.
 */
async function watchRatios(directory: string, machine: Machine): Promise<void> {
  const before = await readRatios();
  if (check && before === undefined) {
    print(Deno.stderr, "There is nothing to compare with: deno task bench --save");
    return void (Deno.exitCode = 1);
  }
  const measured: Measurement[][] = [];
  for (let run = 1; run <= runs; run++) {
    print(Deno.stderr, `run ${run} of ${runs}`);
    const own = join(directory, String(run));
    await Deno.mkdir(own);
    measured.push((await measureAll(own)).measurements);
  }
  const ratios = ratiosOf(measured);
  print(Deno.stdout, `${tableOf(together(measured).map(summarize))}\n`);
  if (save) return await saveRatios({ machine, ratios });
  const worse = compareRatios(ratios, before!.ratios);
  print(Deno.stdout, `before: ${JSON.stringify(before!.machine)}`);
  print(Deno.stdout, worse.length === 0 ? "no ratio is worse" : worse.join("\n"));
  if (worse.length > 0) Deno.exitCode = 1;
}

function reportAll(rows: readonly Row[], idle: string, machine: Machine): void {
  print(
    Deno.stdout,
    json
      ? JSON.stringify({ machine, rows, idle }, null, 2)
      : `${tableOf(rows)}\n\n${idle}\n\nmedians; ${JSON.stringify(machine)}`,
  );
}

async function measureAll(
  directory: string,
): Promise<{ readonly measurements: Measurement[]; readonly idle: string }> {
  const path = join(directory, "one.yaml");
  await Deno.writeTextFile(path, oneTool);
  const parts: [string, () => Promise<Measurement[]>][] = [
    ["start", () => measureStart(path, { rounds: quick ? 8 : 40 })],
    ["what is released", () => measureArtefacts(directory, path, { rounds: quick ? 8 : 40 })],
    ["calls", () => {
      return measureCalls(
        path,
        quick ? { rounds: 100, burstRounds: 5 } : { rounds: 500, burstRounds: 30 },
      );
    }],
    ["search", () => measureSearch(directory, { rounds: quick ? 20 : 100 })],
    ["servers behind it", () => {
      return measureUpstream(
        directory,
        quick ? { rounds: 3, calls: 100 } : { rounds: 10, calls: 500 },
      );
    }],
    ["memory", () => measureMemory(path, { calls: quick ? 500 : 5_000 })],
  ];
  const measurements: Measurement[] = [];
  for (const [name, measure] of parts) {
    print(Deno.stderr, `measuring ${name} …`);
    measurements.push(...await measure());
  }
  print(Deno.stderr, "measuring HTTP …");
  const http = await measureHttp(path, quick ? 10 : 40);
  return { measurements: [...measurements, ...http.measurements], idle: http.idle };
}

function print(stream: { writeSync(bytes: Uint8Array): number }, text: string): void {
  stream.writeSync(new TextEncoder().encode(`${text}\n`));
}
