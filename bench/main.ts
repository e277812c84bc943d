/**
 * What climax costs, each figure beside a floor that was measured in the same run, in turn with it.
 *
 * `deno task bench [--quick] [--json]`. The figures to look at are the ratios; the rest depends on
 * the machine. The rows named noise measure the floor against itself.
 *
 * `deno task bench --check` measures the ratios alone, in five short runs, and fails if one is worse than in
 * `ratios.json`; `--save` writes that file.
 */

import { join } from "node:path";
import { parseArgs } from "node:util";
import { type AgentRun, runAgent } from "./agent.ts";
import { measureArtefacts, phasesOfPortable } from "./artefacts.ts";
import { measureByHand } from "./by_hand.ts";
import { measureCalls } from "./call.ts";
import { bundledRows } from "./catalogue.ts";
import { type SearchCost, searchCosts } from "./cost.ts";
import { groupingQualities, type GroupingQuality } from "./group.ts";
import { measureGroups } from "./group_cost.ts";
import { measureHttp } from "./http.ts";
import { measureLoop } from "./loop.ts";
import { measureMemory } from "./memory.ts";
import { resultsTable } from "./results.ts";
import { selectedTable } from "./selected.ts";
import { measureSearch } from "./search.ts";
import { oneTool } from "./_servers.ts";
import { measureStart } from "./start.ts";
import { measureUnread } from "./unread.ts";
import { measureUpstream } from "./upstream.ts";
import type { ResultFormat } from "../src/catalog/compact.ts";
import {
  compareRatios,
  type Machine,
  ratiosOf,
  readRatios,
  saveRatios,
  together,
} from "./_ratios.ts";
import { type Measurement, type Row, summarize } from "./_stats.ts";
import { aligned, number, tableOf } from "./_table.ts";

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
    await reportAll(measurements.map(summarize), idle, machine);
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

async function reportAll(rows: readonly Row[], idle: string, machine: Machine): Promise<void> {
  print(Deno.stderr, "measuring the phases of a start …");
  const phases = await phasesOfPortable(directory, join(directory, "one.yaml"), {
    rounds: quick ? 5 : 20,
  });
  print(Deno.stderr, "measuring the event loop …");
  const loop = [
    await measureLoop(join(directory, "one.yaml")),
    await measureUnread(directory),
  ].join("\n");
  print(Deno.stderr, "measuring search at size …");
  const search = await searchCosts(quick ? [10_000] : [10, 1_000, 10_000, 100_000]);
  print(Deno.stderr, "measuring what results cost an agent …");
  const agents = await agentRuns();
  print(Deno.stderr, "measuring how good groupings are …");
  const groups = await groupingQualities(directory);
  print(Deno.stderr, "counting the tokens of results …");
  const results = json
    ? undefined
    : [await resultsTable(), ...(quick ? [] : [await selectedTable()])].join("\n\n");
  print(
    Deno.stdout,
    json
      ? JSON.stringify({ machine, rows, phases, loop, idle, search, agents, groups }, null, 2)
      : [
        tableOf(rows),
        phases,
        loop,
        idle,
        `search, ranked beside a plain scan\n${costTable(search)}`,
        `search results, read by a scripted agent\n${agentTable(agents)}`,
        `tokens of results\n${results}`,
        `groups, beside the natural ones\n${qualityTable(groups)}`,
      ].join("\n\n"),
  );
  if (!json) print(Deno.stdout, `\nmedians; ${JSON.stringify(machine)}`);
}

async function measureAll(
  directory: string,
): Promise<{ readonly measurements: Measurement[]; readonly idle: string }> {
  const path = join(directory, "one.yaml");
  await Deno.writeTextFile(path, oneTool);
  const parts: [string, () => Promise<Measurement[]>][] = [
    ["start", () => measureStart(path, { rounds: quick ? 8 : 40 })],
    ["what is released", () => measureArtefacts(directory, path, { rounds: quick ? 8 : 40 })],
    ["commands by hand", () => measureByHand(directory, { rounds: quick ? 5 : 20 })],
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
    ["groups", () => measureGroups(directory, { rounds: quick ? 4 : 15 })],
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

function costTable(costs: readonly SearchCost[]): string {
  const header = Object.keys(costs[0]!);
  const cells = costs.map((cost) => {
    return Object.values(cost).map((value, column) => column === 0 ? String(value) : number(value));
  });
  return aligned([header, ...cells]);
}

/** The agent over the queries of the bundled configs, with results of each format. */
async function agentRuns(): Promise<Record<ResultFormat, AgentRun>> {
  const rows = bundledRows();
  return {
    contract: await runAgent(rows, "contract"),
    compact: await runAgent(rows, "compact"),
  };
}

function agentTable(runs: Record<ResultFormat, AgentRun>): string {
  const header = ["", ...Object.keys(runs.contract), "of contract"];
  const cells = Object.entries(runs).map(([format, run]) => [
    format,
    ...Object.values(run).map((value) => String(Math.round(value * 100) / 100)),
    (run.tokens / runs.contract.tokens).toFixed(3),
  ]);
  return aligned([header, ...cells]);
}

function qualityTable(qualities: readonly GroupingQuality[]): string {
  const header = ["", "tools", "groups", "ari", "ari within limits", "served whole"];
  const cells = qualities.map((quality) => [
    quality.catalogue,
    String(quality.tools),
    String(quality.groups),
    quality.ari.toFixed(2),
    quality["ari within limits"].toFixed(2),
    quality["served whole"]?.toFixed(2) ?? "",
  ]);
  return aligned([header, ...cells]);
}

function print(stream: { writeSync(bytes: Uint8Array): number }, text: string): void {
  stream.writeSync(new TextEncoder().encode(`${text}\n`));
}
