/**
 * Serving over HTTP beside the SDK's own handler on the same runtime: requests a second, how long
 * the slowest of a hundred takes, and what a thousand idle clients cost.
 */

import { connect } from "node:net";
import { type Started, startHttpServer } from "./_http_server.ts";
import { bareHttpServer, climaxHttpServer } from "./_servers.ts";

/** Requests of one measurement, so many of them at once. */
const requests = { climax_search: 3000, climax_call: 400 };
const atOnce = 50;

/** Idle clients whose memory is measured. */
const idleClients = 1000;

/** Part of the floor's requests a second that is aimed at. */
const aim = 0.8;

type ToolName = keyof typeof requests;

/** What was measured of one tool. */
interface Speed {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p99: number;
}

/** What was measured, as lines of text. */
export async function measureHttp(configPath: string, rounds = 5): Promise<string> {
  await using bare = await startHttpServer(bareHttpServer);
  await using ours = await startHttpServer(climaxHttpServer(configPath));
  const lines: string[] = [];
  for (const tool of Object.keys(requests) as ToolName[]) {
    const pairs: [Speed, Speed][] = [];
    // In turn, the first pair to warm up: whatever else the machine does hits both
    for (let round = 0; round <= rounds; round++) {
      const pair: [Speed, Speed] = [await speedOf(bare.url, tool), await speedOf(ours.url, tool)];
      if (round > 0) pairs.push(pair);
    }
    const ratio = median(pairs.map(([floor, own]) => own.perSecond / floor.perSecond));
    const [floor, own] = [0, 1].map((which) => ({
      perSecond: Math.round(median(pairs.map((pair) => pair[which]!.perSecond))),
      p99: median(pairs.map((pair) => pair[which]!.p99)).toFixed(1),
    }));
    const verdict = ratio >= aim ? "met" : "MISSED";
    lines.push(
      `${tool}: ${own!.perSecond}/s, p99 ${own!.p99} ms; the bare handler ${floor!.perSecond}/s, ` +
        `p99 ${floor!.p99} ms; ${ratio.toFixed(2)} of it, aim ${aim}: ${verdict}`,
    );
  }
  lines.push(await idleCost(ours));
  return `over HTTP, ${atOnce} requests at once\n${lines.join("\n")}`;
}

async function speedOf(url: string, tool: ToolName): Promise<Speed> {
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
  let left = requests[tool];
  const started = performance.now();
  await Promise.all(Array.from({ length: atOnce }, async () => {
    while (left-- > 0) {
      const begin = performance.now();
      const response = await fetch(url, { method: "POST", headers, body });
      const { result } = await response.json();
      if (result?.isError !== undefined && result.isError !== false) throw new Error("It failed");
      times.push(performance.now() - begin);
    }
  }));
  const perSecond = times.length / (performance.now() - started) * 1000;
  times.sort((a, b) => a - b);
  return { perSecond, p99: times[Math.floor(times.length * 0.99)]! };
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

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

if (import.meta.main) {
  const directory = await Deno.makeTempDir({ prefix: "climax-bench-" });
  const { oneTool } = await import("./_servers.ts");
  await Deno.writeTextFile(`${directory}/one.yaml`, oneTool);
  const text = await measureHttp(`${directory}/one.yaml`);
  await Deno.stdout.write(new TextEncoder().encode(`${text}\n`));
  await Deno.remove(directory, { recursive: true });
}
