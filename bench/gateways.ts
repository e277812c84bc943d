/**
 * A call of a stdio server's tool through climax and through gateways of others, over HTTP as clients of 2025 make it:
 * `deno task bench gateways [--rounds N] [--mcp-proxy FILE] [--mcpproxy-go FILE] [--fastmcp PYTHON] [--relay FILE]`. What is
 * not named is skipped. A relay is any program that takes the server's command line and says `listening at URL`.
 */

import { join } from "node:path";
import { parseArgs } from "node:util";
import { atOnce, type Called, echo, GatewayClient } from "./_gateway_client.ts";
import { serverOf, type Started, startHttpServer } from "./_http_server.ts";
import { bareHttpServer, climaxServer, type CommandLine } from "./_servers.ts";
import { interleave, interval } from "./_stats.ts";
import { markdown, number } from "./_table.ts";
import { configOf, echoServer } from "./upstream.ts";

interface Gateway extends Called {
  readonly command: CommandLine;
  /** The address at which it will listen; absent where it prints one. */
  readonly url?: string;
}

/** Python: a proxy of FastMCP for the config in `argv[1]`, at the port in `argv[2]`. */
const fastmcpProxy = `import json, sys
from fastmcp.server import create_proxy
proxy = create_proxy(json.load(open(sys.argv[1])))
proxy.run(transport="http", port=int(sys.argv[2]), show_banner=False, log_level="ERROR")`;

type Peer = (program: string, port: number, write: (config: object) => string) => Gateway;

const [command, ...args] = echoServer(0);
const servers = { mcpServers: { server0: { command, args } } };

const peers: Readonly<Record<string, Peer>> = {
  "mcp-proxy": (program, port, write) => {
    const address = `127.0.0.1:${port}`;
    const own = { baseURL: `http://${address}`, addr: address, name: "peer", version: "1.0.0" };
    const config = write({ mcpProxy: { ...own, type: "streamable-http" }, ...servers });
    return {
      version: said(program, "--version"),
      command: [program, "--config", config],
      url: `http://${address}/server0/mcp`,
    };
  },
  "mcpproxy-go": (program, port, write) => {
    const own = { name: "server0", protocol: "stdio", enabled: true, quarantined: false };
    const config = write({
      listen: `127.0.0.1:${port}`,
      data_dir: join(directory, "mcpproxy"),
      mcpServers: [{ ...own, command, args }],
    });
    return {
      version: said(program, "--version"),
      command: [program, "serve", "--config", config],
      url: `http://127.0.0.1:${port}/mcp`,
      call: {
        name: "call_tool_read",
        arguments: { name: "server0:echo", args_json: JSON.stringify(echo.arguments) },
      },
    };
  },
  fastmcp: (program, port, write) => ({
    version: said(program, "-c", "import fastmcp; print(fastmcp.__version__)"),
    command: [program, "-c", fastmcpProxy, write(servers), String(port)],
    url: `http://127.0.0.1:${port}/mcp`,
  }),
  relay: (program) => ({
    version: /mcp-go\s+(v\S+)/.exec(said("go", "version", "-m", program))?.[1] ?? "",
    command: [program, ...echoServer(0)],
  }),
};

const { values } = parseArgs({
  options: Object.fromEntries(
    ["rounds", ...Object.keys(peers)].map((name) => [name, { type: "string" } as const]),
  ),
});
const directory = await Deno.makeTempDir({ prefix: "climax-bench-" });
Deno.env.set("CLIMAX_CACHE_DIR", join(directory, "cache"));
async function gateways(): Promise<Record<string, Gateway>> {
  const config = await configOf(directory, [0]);
  const climax = (...words: string[]): CommandLine =>
    climaxServer("--mcp", config, ...words, "--http", "0", "--log-level", "info");
  const version = said(climax()[0], ...climax().slice(1, -7), "--version");
  const inMeta = { tool_name: "server0__echo", args: echo.arguments };
  const port = () => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    return listener.addr.port;
  };
  const named = Object.keys(peers).filter((name) => values[name] !== undefined);
  return {
    "the server directly, over HTTP": { version: "", command: bareHttpServer },
    "climax, discovery": {
      version,
      command: climax(),
      call: { name: "climax_call", arguments: inMeta },
    },
    "climax, classic": {
      version,
      command: climax("--classic"),
      call: { ...echo, name: "server0__echo" },
    },
    ...Object.fromEntries(named.map((name) => [
      name,
      peers[name]!(values[name] as string, port(), (config) => {
        const file = join(directory, `${name}.json`);
        Deno.writeTextFileSync(file, JSON.stringify(config));
        return file;
      }),
    ])),
  };
}

/** The first word with a digit that a program says. */
function said(program: string, ...args: string[]): string {
  const { stdout } = new Deno.Command(program, { args, stderr: "null" }).outputSync();
  const text = new TextDecoder().decode(stdout);
  return program === "go" ? text : /\S*\d\S*/.exec(text)?.[0] ?? "";
}

/** Starts a server; one that does not say where it listens is asked until it answers. */
async function start({ command, url }: Gateway): Promise<Started> {
  if (url === undefined) return await startHttpServer(command);
  const [program, ...args] = command;
  const pipes = { stdin: "null", stdout: "null", stderr: "null" } as const;
  const child = new Deno.Command(program, { args, ...pipes }).spawn();
  for (let tries = 0; tries < 300; tries++) {
    const answer = await fetch(url, { method: "GET" }).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer !== undefined) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return serverOf(child, url);
}

async function tableOf(clients: readonly GatewayClient[], rounds: number): Promise<string> {
  const works = (how: "single" | "burst") =>
    Object.fromEntries(clients.map((client) => [client.name, () => client[how]()]));
  const single = await interleave(works("single"), { rounds, warmUp: 10 });
  const burst = await interleave(works("burst"), { rounds, warmUp: 3 });
  const floor = clients.find(({ name }) => ["mcp-proxy", "relay"].includes(name)) ?? clients[0]!;
  const ratio = (samples: number[], floors: number[], invert = false) => {
    const ratios = samples.map((each, at) => invert ? floors[at]! / each : each / floors[at]!);
    const { low, median, high } = interval(ratios);
    return `${median.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
  };
  const rows = clients.map(({ name, version, memory }, at) => {
    const [one, many] = [single[name]!, burst[name]!];
    return [
      `${name} ${version}`.trim(),
      number(interval(one).median),
      ratio(one, single[floor.name]!),
      (1000 / interval(many).median).toFixed(0),
      ratio(many, burst[floor.name]!, true),
      Math.min(...clients[at]!.processorUs).toFixed(0),
      memory.call(clients[at]).toFixed(0),
    ];
  });
  const of = `of ${floor.name}`;
  const head = [
    "",
    "one call, ms",
    of,
    `calls/s at ${atOnce} at once`,
    of,
    "µs of the processor",
    "MiB afterwards",
  ];
  return `${markdown([head, ...rows])}\nload ${
    Deno.loadavg()[0]!.toFixed(1)
  }, Deno ${Deno.version.deno}`;
}

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

try {
  await using running = new AsyncDisposableStack();
  const clients: GatewayClient[] = [];
  for (const [name, gateway] of Object.entries(await gateways())) {
    const server = running.use(await start(gateway));
    const client = new GatewayClient(name, gateway, server);
    await client.open();
    clients.push(client);
  }
  print(await tableOf(clients, Number(values["rounds"] ?? 30)));
} finally {
  await Deno.remove(directory, { recursive: true });
}
