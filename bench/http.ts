/**
 * Serving over HTTP beside the SDK's own handler on the same runtime: requests a second, how long
 * the slowest of a hundred takes, and what a thousand idle clients cost.
 */

import { connect } from "node:net";
import { type Started, startHttpServer } from "./_http_server.ts";
import { bareHttpServer, climaxHttpServer } from "./_servers.ts";
import { interleave, type Measurement, summarize } from "./_stats.ts";
import { tableOf } from "./_table.ts";

/** Requests of one sample, so many of them at once: a sample takes a fifth of a second. */
const requests = { climax_search: 300, climax_call: 50 };
const atOnce = 50;

/** Idle clients whose memory is measured. */
const idleClients = 1000;

/** Most of the floor's time for a request that is aimed at: 0.85 of its requests a second. */
const aim = 1.18;

/** The time of the slowest of a hundred requests. */
const slowAim = 1.3;

type ToolName = keyof typeof requests;

/** Milliseconds. */
export interface Speed {
  readonly each: number;
  readonly p99: number;
}

/**
 * Time of a request, and of the slowest of a hundred, beside the bare handler; and what idle clients cost. Samples are
 * short and alternate: five long ones in a fixed order gave 0.63 and 0.90 for the same server.
 */
export async function measureHttp(
  configPath: string,
  rounds = 40,
): Promise<{ readonly measurements: Measurement[]; readonly idle: string }> {
  await using bare = await startHttpServer(bareHttpServer);
  await using again = await startHttpServer(bareHttpServer);
  await using climax = await startHttpServer(climaxHttpServer(configPath));
  const measurements: Measurement[] = [];
  for (const tool of Object.keys(requests) as ToolName[]) {
    const slowest = { bare: [] as number[], again: [] as number[], climax: [] as number[] };
    const sample = (name: keyof typeof slowest, { url }: Started) => async () => {
      const { each, p99 } = await speedOf(url, tool, { count: requests[tool], atOnce });
      slowest[name].push(p99);
      return each;
    };
    const samples = await interleave({
      bare: sample("bare", bare),
      again: sample("again", again),
      climax: sample("climax", climax),
    }, { rounds, warmUp });
    const floor = "bare handler";
    const beside = { unit: "ms", floor, floorSamples: samples.bare } as const;
    measurements.push({ ...beside, name: `${tool} over HTTP`, samples: samples.climax, aim });
    // The slowest of few requests says nothing
    if (tool === "climax_search") {
      measurements.push({
        name: `${tool} over HTTP, slowest of 100`,
        unit: "ms",
        floor,
        floorSamples: slowest.bare.slice(warmUp),
        samples: slowest.climax.slice(warmUp),
        aim: slowAim,
      });
    }
    const name = `noise: ${tool} over HTTP, bare handler again`;
    measurements.push({ ...beside, name, samples: samples.again });
  }
  return { measurements, idle: await idleCost(climax) };
}

/** Rounds until V8 has compiled all of it. */
const warmUp = 8;

/** The time of `count` requests, `atOnce` of them at once. */
export async function speedOf(
  url: string,
  tool: ToolName,
  { count, atOnce }: { readonly count: number; readonly atOnce: number },
): Promise<Speed> {
  const args = tool === "climax_search" ? {} : { tool_name: "run" };
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: {
      name: tool,
      arguments: args,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  });
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": tool,
  };
  const times: number[] = [];
  let left = count;
  const started = performance.now();
  await Promise.all(Array.from({ length: atOnce }, async () => {
    while (left-- > 0) {
      const begin = performance.now();
      const response = await fetch(url, { method: "POST", headers, body });
      const { result, error } = await response.json();
      if (result === undefined || result.isError === true) {
        throw new Error(`It failed: ${JSON.stringify(error ?? result)}`);
      }
      times.push(performance.now() - begin);
    }
  }));
  const each = (performance.now() - started) / times.length;
  times.sort((a, b) => a - b);
  return { each, p99: times[Math.floor(times.length * 0.99)]! };
}

async function idleCost({ url, pid }: Started): Promise<string> {
  const before = residentMib(pid);
  const port = Number(new URL(url).port);
  const sockets = await Promise.all(Array.from({ length: idleClients }, async () => {
    const socket = connect(port, "127.0.0.1");
    await new Promise((resolve) => socket.once("connect", resolve));
    socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await new Promise((resolve) => socket.once("data", resolve));
    return socket;
  }));
  const after = residentMib(pid);
  for (const socket of sockets) socket.destroy();
  return `${idleClients} idle clients: ${after} MiB resident, ${before} MiB before`;
}

function residentMib(pid: number): number {
  const { stdout } = new Deno.Command("ps", { args: ["-o", "rss=", "-p", String(pid)] })
    .outputSync();
  return Math.round(Number(new TextDecoder().decode(stdout)) / 1024);
}

if (import.meta.main) {
  const directory = await Deno.makeTempDir({ prefix: "climax-bench-" });
  const { oneTool } = await import("./_servers.ts");
  await Deno.writeTextFile(`${directory}/one.yaml`, oneTool);
  const { measurements, idle } = await measureHttp(`${directory}/one.yaml`);
  const text = `${tableOf(measurements.map(summarize))}\n${idle}\n`;
  await Deno.stdout.write(new TextEncoder().encode(text));
  await Deno.remove(directory, { recursive: true });
}
