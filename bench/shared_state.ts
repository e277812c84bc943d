/**
 * Plain calls and searches over HTTP with `--state` beside the same without: a Redis on this machine, which the calls
 * must not wait for. `deno task bench-state [rounds]`. Ratios are of samples taken one after the other, with where their
 * median lies with 95 % probability; those of a second server without a store show what is chance.
 */

import { startHttpServer } from "./_http_server.ts";
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
const line = climaxHttpServer(config);
const state = ["--state", `valkey://127.0.0.1:${redis.port}`, "--signing-key", keyFile(directory)];
const [without, again, shared] = await Promise.all(
  [[], [], [...state, "--client-rate", "999999999"]].map(async (more) => {
    return started.use(await startHttpServer([...line, ...more]));
  }),
);

const rows: string[][] = [];
for (const tool of Object.keys(requests) as (keyof typeof requests)[]) {
  const sample = ({ url }: { readonly url: string }) => async () => {
    return (await speedOf(url, tool, { count: requests[tool], atOnce })).each;
  };
  const samples = await interleave({
    without: sample(without!),
    again: sample(again!),
    shared: sample(shared!),
  }, { rounds, warmUp });
  const ratio = (name: "again" | "shared") => {
    const ratios = samples.without.map((ms, round) => ms / samples[name][round]!);
    const { low, median, high } = interval(ratios);
    return `${median.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
  };
  const speed = Math.round(1000 / interval(samples.without).median);
  rows.push([tool, String(speed), ratio("shared"), ratio("again")]);
}
const header = ["", "a second without", "with --state, of that", "without again, of that"];
const text = `${aligned([header, ...rows])}\n\n${rounds} rounds; load ${
  Deno.loadavg()[0]!.toFixed(1)
}\n`;
await Deno.stdout.write(new TextEncoder().encode(text));
