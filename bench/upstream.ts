/** Other MCP servers behind climax: how long until they are there, and what the way through it adds. */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BenchServer } from "./_client.ts";
import { bareServer, climaxServer, type CommandLine, relayServer } from "./_servers.ts";
import { interleave, type Measurement, time } from "./_stats.ts";

/** Servers of the catalogue, and calls at once. */
const servers = 10;
const atOnce = 100;

/** Milliseconds that the slowest of them takes to come up. */
const slowMs = 500;

export function echoServer(delayMs: number): CommandLine {
  const script = fileURLToPath(new URL("echo_server.ts", import.meta.url));
  return [Deno.execPath(), "run", "--no-check", script, String(delayMs)];
}

export async function configOf(directory: string, delays: readonly number[]): Promise<string> {
  const file = join(directory, `servers-${delays.length}.json`);
  const named = delays.map((delay, index) => {
    const [command, ...args] = echoServer(delay);
    return [`server${index}`, { command, args }];
  });
  await Deno.writeTextFile(file, JSON.stringify({ mcpServers: Object.fromEntries(named) }));
  return file;
}

/** From the start to a summary that has every server, and calls through climax beside direct ones. */
export async function measureUpstream(
  directory: string,
  { rounds, calls }: { readonly rounds: number; readonly calls: number },
): Promise<Measurement[]> {
  const slowest = await configOf(directory, [slowMs]);
  const all = await configOf(directory, [slowMs, ...Array<number>(servers - 1).fill(0)]);
  const warm = join(directory, "warm");
  await ready(all, warm, servers);
  const starts = await interleave({
    slowest: () => ready(slowest, freshIn(directory), 1),
    all: () => ready(all, freshIn(directory), servers),
    warm: () => ready(all, warm, servers),
    bare: () => startBare(),
  }, { rounds });

  const direct = new BenchServer(echoServer(0));
  Deno.env.set("CLIMAX_CACHE_DIR", warm);
  const climax = new BenchServer(climaxServer("--mcp", all, "--log-level", "error"));
  const relay = new BenchServer(relayServer(echoServer(0)));
  await Promise.all([direct, climax, relay].map((server) => server.initialize()));
  const directly = () => direct.call("echo", { text: "hi" });
  const relayed = () => relay.call("echo", { text: "hi" });
  const through = () =>
    climax.call("climax_call", { tool_name: "server1__echo", args: { text: "hi" } });
  const many = (work: () => Promise<void>) => Promise.all(Array.from({ length: atOnce }, work));
  const one = await interleave({
    direct: () => time(directly),
    relay: () => time(relayed),
    climax: () => time(through),
  }, { rounds: calls, warmUp: 20 });
  const burst = await interleave({
    direct: () => time(() => many(directly)),
    relay: () => time(() => many(relayed)),
    climax: () => time(() => many(through)),
  }, { rounds: Math.ceil(calls / 10), warmUp: 2 });
  const inTurn = async (work: () => Promise<void>) => {
    for (let done = 0; done < 20; done++) await work();
  };
  const spent = async (server: BenchServer, work: () => Promise<unknown>) => {
    const before = server.processorTime();
    await work();
    return server.processorTime() - before;
  };
  const spentOne = await interleave({
    relay: () => spent(relay, () => inTurn(relayed)),
    climax: () => spent(climax, () => inTurn(through)),
  }, { rounds: Math.ceil(calls / 10) });
  const spentBurst = await interleave({
    relay: () => spent(relay, () => many(relayed)),
    climax: () => spent(climax, () => many(through)),
  }, { rounds: Math.ceil(calls / 10) });
  await Promise.all([direct, climax, relay].map((server) => server.close()));

  const unit = "ms" as const;
  const floor = "the same call made directly";
  return [
    {
      name: `${servers} servers ready, nothing known of them`,
      unit,
      floor: `the slowest alone (${slowMs} ms)`,
      samples: starts.all,
      floorSamples: starts.slowest,
    },
    {
      name: `${servers} servers ready, known from before`,
      unit,
      floor: "bare server",
      samples: starts.warm,
      floorSamples: starts.bare,
    },
    ...[
      { name: "call of a server's tool", samples: one, aim: 2 },
      { name: `${atOnce} calls of a server's tool at once`, samples: burst, aim: 3 },
    ].flatMap(({ name, samples: { direct, relay, climax }, aim }) => [
      { name, unit, floor, samples: climax, floorSamples: direct, aim },
      { name, unit, floor: "a relay of the SDK", samples: climax, floorSamples: relay },
      { name: `${name}, a relay of the SDK`, unit, floor, samples: relay, floorSamples: direct },
    ]),
    ...[
      { name: "20 calls of a server's tool: processor time", samples: spentOne },
      { name: `${atOnce} calls of a server's tool at once: processor time`, samples: spentBurst },
    ].map(({ name, samples: { relay, climax } }) => {
      return {
        name,
        unit,
        floor: "a relay of the SDK",
        samples: climax,
        floorSamples: relay,
        aim: 1,
      };
    }),
  ];
}

function freshIn(directory: string): string {
  return Deno.makeTempDirSync({ dir: directory });
}

/** Milliseconds from the start to a summary that has `count` servers. */
async function ready(file: string, cache: string, count: number): Promise<number> {
  Deno.env.set("CLIMAX_CACHE_DIR", cache);
  let server: BenchServer;
  const taken = await time(async () => {
    server = new BenchServer(climaxServer("--mcp", file, "--log-level", "error"));
    await server.initialize();
    const found = await server.request("tools/call", {
      name: "climax_search",
      arguments: { limit: count },
    });
    const { content: [answer] } = found as { content: [{ text: string }] };
    const { summary } = JSON.parse(answer.text);
    if (summary.length !== count) throw new Error(`${summary.length} servers, expected ${count}`);
  });
  await server!.close();
  return taken;
}

async function startBare(): Promise<number> {
  let server: BenchServer;
  const taken = await time(async () => {
    server = new BenchServer(bareServer);
    await server.initialize();
    await server.request("tools/list");
  });
  await server!.close();
  return taken;
}
