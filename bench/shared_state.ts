/**
 * Plain calls and searches over HTTP with `--state` beside the same without: a Redis on this machine, which the calls
 * must not wait for. `deno task bench-state [rounds]`. Ratios are of samples taken one after the other, with where their
 * median lies with 95 % probability; those of a second server without a store show what is chance.
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
const rounds = Number(Deno.args[0] ?? 40);
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
const [without, again, shared] = await Promise.all(
  [[], [], [...state, "--client-rate", "999999999"]].map(async (more) => {
    return started.use(await startHttpServer([...line, ...more]));
  }),
);

interface Sample {
  readonly ms: number;
  /** Milliseconds of processor time of the server. */
  readonly cpu: number;
}

const rows: string[][] = [];
for (const tool of Object.keys(requests) as (keyof typeof requests)[]) {
  const taken = { without: [] as Sample[], again: [] as Sample[], shared: [] as Sample[] };
  const sample = (name: keyof typeof taken, { url, pid }: Started) => async () => {
    const before = cpuMs([pid]);
    const { each } = await speedOf(url, tool, { count: requests[tool], atOnce });
    taken[name].push({ ms: each, cpu: cpuMs([pid]) - before });
    return each;
  };
  await interleave({
    without: sample("without", without!),
    again: sample("again", again!),
    shared: sample("shared", shared!),
  }, { rounds, warmUp });
  const ratio = (name: "again" | "shared", of: keyof Sample) => {
    const pairs = taken.without.map((each, round) => each[of] / taken[name][round]![of]);
    const { low, median, high } = interval(pairs.slice(-rounds));
    return `${median.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
  };
  for (const [what, of] of [["by time", "ms"], ["by processor time", "cpu"]] as const) {
    rows.push([`${tool}, ${what}`, ratio("shared", of), ratio("again", of)]);
  }
}
const header = ["requests a second, of those without", "with --state", "without again"];
const text = `${aligned([header, ...rows])}\n\n${rounds} rounds; load ${
  Deno.loadavg()[0]!.toFixed(1)
}\n`;
await Deno.stdout.write(new TextEncoder().encode(text));
