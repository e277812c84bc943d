/**
 * Plain calls and searches over HTTP with `--state` beside the same without: a Redis on this machine, which the calls
 * must not wait for. `deno task bench-state [rounds]`. Ratios are of three servers each, with where their median lies with
 * 95 % probability.
 */

import { cpuMs } from "./_cpu.ts";
import { type Started, startHttpServer } from "./_http_server.ts";
import { climaxHttpServer, oneTool } from "./_servers.ts";
import { interleave, interval } from "./_stats.ts";
import { aligned } from "./_table.ts";
import { speedOf } from "./http.ts";
import { keyFile } from "../tests/state/_key_file.ts";
import { startRedis } from "../tests/state/_redis_server.ts";

const requests = { climax_search: 300, climax_call: 50 } as const;
const atOnce = 50;
const rounds = Number(Deno.args[0] ?? 20);
const warmUp = 8;

await using redis = await startRedis();
await using started = new AsyncDisposableStack();
const directory = await Deno.makeTempDir({ prefix: "climax-bench-" });
started.defer(() => Deno.remove(directory, { recursive: true }));
const config = `${directory}/one.yaml`;
await Deno.writeTextFile(config, oneTool);
// With a store there are eight tools more, which a search in a small catalogue would notice
const line = [...climaxHttpServer(config), "git", "gh", "docker"] as const;
const state = ["--state", `valkey://127.0.0.1:${redis.port}`, "--signing-key", keyFile(directory)];

/** Processes of each kind: one is 5 % faster than another of the same. */
const servers: { readonly name: string; readonly server: Started }[] = [];
for (const name of ["without 1", "with 1", "with 2", "without 2", "without 3", "with 3"]) {
  const more = name.startsWith("without") ? [] : [...state, "--client-rate", "999999999"];
  servers.push({ name, server: started.use(await startHttpServer([...line, ...more])) });
}

const rows: string[][] = [];
for (const tool of Object.keys(requests) as (keyof typeof requests)[]) {
  const cpu: Record<string, number[]> = {};
  const samplers = servers.map(({ name, server: { url, pid } }) => {
    const sample = async () => {
      const before = cpuMs([pid]);
      const { each } = await speedOf(url, tool, { count: requests[tool], atOnce });
      (cpu[name] ??= []).push(cpuMs([pid]) - before);
      return each;
    };
    return [name, sample] as const;
  });
  const time = await interleave(Object.fromEntries(samplers), { rounds, warmUp });
  rows.push([tool, shareOf(time), shareOf(cpu)]);
}
const header = ["with --state, of without", "requests a second", "by processor time"];
const text = `${aligned([header, ...rows])}\n\n${rounds} rounds; load ${
  Deno.loadavg()[0]!.toFixed(1)
}\n`;
await Deno.stdout.write(new TextEncoder().encode(text));

/** What servers without a store take, by what those with one take: the median of the rounds, and its interval. */
function shareOf(samples: Readonly<Record<string, readonly number[]>>): string {
  const sum = (kind: string, round: number) => {
    const names = Object.keys(samples).filter((name) => name.startsWith(`${kind} `));
    return names.reduce((all, name) => all + samples[name]!.slice(-rounds)[round]!, 0);
  };
  const ratios = Array.from({ length: rounds }, (_, at) => sum("without", at) / sum("with", at));
  const { low, median, high } = interval(ratios);
  return `${median.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
}
