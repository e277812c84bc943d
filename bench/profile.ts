/**
 * What the main thread of a server does during a request, in microseconds: climax beside its floor, by who spends it.
 * `deno task bench-profile [start] [call] [upstream] [gateway] [http]` prints tables in Markdown. V8 takes a sample every 0.2 ms; a run
 * of N requests is taken from one of 3 N, so that start and end do not count. Of three such runs the fastest counts: what
 * else the machine does is in them. Of a start, which has one request, all is counted.
 */

import { join } from "node:path";
import { BenchServer } from "./_client.ts";
import { atOnce, GatewayClient } from "./_gateway_client.ts";
import { startHttpServer } from "./_http_server.ts";
import {
  bareHttpServer,
  bareServer,
  climaxHttpServer,
  climaxServer,
  type CommandLine,
  oneTool,
  relayServer,
} from "./_servers.ts";
import { speedOf } from "./http.ts";
import { markdown } from "./_table.ts";
import { configOf, echoServer } from "./upstream.ts";

/** Sends `count` requests to the server with this command line. */
type Drive = (server: CommandLine, count: number) => Promise<void>;

interface Case {
  /** Absent: all of a run is counted, as one. */
  readonly count?: number;
  readonly floor: readonly [name: string, server: CommandLine, drive: Drive];
  readonly climax: readonly [server: CommandLine, drive: Drive];
}

const directory = await Deno.makeTempDir({ prefix: "climax-bench-" });
const one = join(directory, "one.yaml");
await Deno.writeTextFile(one, oneTool);
Deno.env.set("CLIMAX_CACHE_DIR", join(directory, "cache"));
const servers = await configOf(directory, [0]);
const climaxGateway = climaxServer("--mcp", servers, "--http", "0", "--log-level", "info");
const cases: Readonly<Record<string, Case>> = {
  start: {
    floor: ["bare server", bareServer, starting],
    climax: [climaxServer(one), starting],
  },
  call: {
    count: 400,
    floor: ["bare server", bareServer, calling("run", { argv: ["true"] })],
    climax: [climaxServer(one), calling("climax_call", { tool_name: "run" })],
  },
  upstream: {
    count: 1500,
    floor: ["relay of the SDK", relayServer(echoServer(0)), calling("echo", { text: "hi" })],
    climax: [
      climaxServer("--mcp", servers, "--log-level", "error"),
      calling("climax_call", { tool_name: "server0__echo", args: { text: "hi" } }),
    ],
  },
  gateway: {
    count: 1500,
    floor: ["bare handler", bareHttpServer, relaying("echo", { text: "hi" })],
    climax: [
      climaxGateway,
      relaying("climax_call", { tool_name: "server0__echo", args: { text: "hi" } }),
    ],
  },
  gatewayInTurn: {
    count: 600,
    floor: ["bare handler", bareHttpServer, relaying("echo", { text: "hi" }, false)],
    climax: [
      climaxGateway,
      relaying("climax_call", { tool_name: "server0__echo", args: { text: "hi" } }, false),
    ],
  },
  http: {
    count: 1500,
    floor: ["bare handler", bareHttpServer, searching],
    climax: [climaxHttpServer(one), searching],
  },
};
const names = Deno.args.length > 0 ? Deno.args : Object.keys(cases);
try {
  for (const name of names) print(await tableOf(name, cases[name]!));
} finally {
  await Deno.remove(directory, { recursive: true });
}

async function starting(commandLine: CommandLine): Promise<void> {
  const server = new BenchServer(commandLine);
  await server.initialize();
  await server.request("tools/list");
  await server.close();
}

function calling(tool: string, args: object): Drive {
  return async (commandLine, count) => {
    const server = new BenchServer(commandLine);
    await server.initialize();
    await server.request("tools/list");
    for (let done = 0; done < count; done++) await server.call(tool, args);
    await server.close();
  };
}

async function searching(commandLine: CommandLine, count: number): Promise<void> {
  await using server = await startHttpServer(commandLine);
  await speedOf(server.url, "climax_search", { count, atOnce: 50 });
}

/** Calls over HTTP, fifty at once or one after the other. */
function relaying(name: string, args: object, isBurst = true): Drive {
  return async (commandLine, count) => {
    await using server = await startHttpServer(commandLine);
    const client = new GatewayClient(
      name,
      { version: "", call: { name, arguments: args } },
      server,
    );
    await client.open();
    let left = count;
    await Promise.all(Array.from({ length: isBurst ? atOnce : 1 }, async () => {
      while (left-- > 0) await client.call();
    }));
  };
}

async function tableOf(name: string, { count, floor, climax }: Case): Promise<string> {
  const [floorName, floorServer, floorDrive] = floor;
  const theirs = await spentBy(floorServer, floorDrive, count);
  const ours = await spentBy(...climax, count);
  const all = [...new Set([...ours.keys(), ...theirs.keys()])];
  const rows = all.map((who) => [who, theirs.get(who) ?? 0, ours.get(who) ?? 0] as const)
    .filter(([, a, b]) => Math.max(a, b) >= 0.5)
    .toSorted((a, b) => Math.max(b[1], b[2]) - Math.max(a[1], a[2]));
  const sum = (at: 1 | 2) => rows.reduce((total, row) => total + row[at], 0);
  const cells = [...rows, ["all", sum(1), sum(2)] as const]
    .map(([who, a, b]) => [who, a.toFixed(0), b.toFixed(0)]);
  const what = count === undefined ? `µs of a ${name}` : `${name}, µs of a request`;
  return markdown([[what, floorName, "climax"], ...cells]);
}

/** Microseconds of a request, by who spends them. */
async function spentBy(
  server: CommandLine,
  drive: Drive,
  count: number | undefined,
): Promise<Map<string, number>> {
  if (count === undefined) return await fastest(server, drive, 1);
  const [short, long] = [
    await fastest(server, drive, count),
    await fastest(server, drive, 3 * count),
  ];
  return new Map([...long].map(([who, us]) => [who, (us - (short.get(who) ?? 0)) / (2 * count)]));
}

async function fastest(server: CommandLine, drive: Drive, count: number) {
  const profiles = [];
  for (let run = 0; run < 3; run++) profiles.push(await profiled(server, drive, count));
  const all = (spent: Map<string, number>) => spent.values().reduce((a, b) => a + b, 0);
  return profiles.reduce((best, next) => all(next) < all(best) ? next : best);
}

interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

async function profiled([program, run, ...args]: CommandLine, drive: Drive, count: number) {
  const folder = await Deno.makeTempDir({ dir: directory });
  const flags = ["--cpu-prof", "--cpu-prof-interval=200", `--cpu-prof-dir=${folder}`];
  await drive([program, run!, ...flags, ...args], count);
  const [file] = [...Deno.readDirSync(folder)];
  const profile: Profile = JSON.parse(await Deno.readTextFile(join(folder, file!.name)));
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const parents = new Map(
    profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])),
  );
  const spent = new Map<string, number>();
  profile.samples.forEach((sample, at) => {
    const stack = [];
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
      stack.push(frames.get(id)!);
    }
    const who = spenderOf(stack);
    if (who !== undefined) spent.set(who, (spent.get(who) ?? 0) + profile.timeDeltas[at]!);
  });
  return spent;
}

/** Who spends the time of a sample, from its innermost frame outwards; nobody waits for input. */
function spenderOf(stack: readonly Profile["nodes"][number]["callFrame"][]): string | undefined {
  const [{ functionName, url }] = stack as [typeof stack[number]];
  if (functionName === "(idle)") return undefined;
  if (functionName === "(garbage collector)") return "garbage collection";
  if (functionName === "op_spawn_child") return "Deno: spawn";
  let within = url.startsWith("file:") ? "" : "Deno";
  for (const frame of stack) {
    if (frame.url.includes("/zod/")) within = "schemas";
    const owner = ownerOf(frame.url);
    if (owner !== undefined) return within === "" ? owner : `${within}, for ${owner}`;
  }
  return within === "" ? "the server itself" : within;
}

function ownerOf(url: string): string | undefined {
  if (url.includes("modelcontextprotocol/")) return "SDK";
  const folder = /\/src\/([^/]+)/.exec(url)?.[1];
  return folder === undefined ? undefined : `climax ${folder.replace(/\.ts$/, "")}`;
}

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n\n`));
}
