/**
 * Capacity over HTTP: what 10, 50 and 100 clients at once get of one instance, and of one, two and four behind nginx with
 * `deploy/nginx.conf`, for searches and for calls that run a program. `deno task bench-instances`, on Linux. The clients
 * run on the same machine; so that they do not count, the processor time of the instances is measured too.
 */

import { fileURLToPath } from "node:url";
import { cpuMs } from "./_cpu.ts";
import { startHttpServer } from "./_http_server.ts";
import { climaxHttpServer, oneTool } from "./_servers.ts";
import { type Speed, speedOf } from "./http.ts";
import { aligned, number } from "./_table.ts";

const clients = [10, 50, 100];
const requests = { climax_search: 600, climax_call: 120 };
const rounds = 3;

/** Rounds that are not counted: V8 compiles. */
const warmUp = 1;

interface Site {
  readonly name: string;
  readonly url: string;
  readonly pids: readonly number[];
}

interface Sample extends Speed {
  /** Milliseconds of processor time that the instances take for a request. */
  readonly cpu: number;
  /** MiB. */
  readonly memory: number;
}

await using started = new AsyncDisposableStack();
const directory = await Deno.makeTempDir({ prefix: "climax-bench-" });
started.defer(() => Deno.remove(directory, { recursive: true }));
await Deno.writeTextFile(`${directory}/one.yaml`, oneTool);
const sites = [await startAlone()];
for (const instances of [1, 2, 4]) sites.push(await startProxied(instances));

const samples = new Map<string, Sample[]>();
for (let round = -warmUp; round < rounds; round++) {
  for (const tool of Object.keys(requests) as (keyof typeof requests)[]) {
    for (const site of sites) {
      for (const atOnce of clients) {
        const before = cpuMs(site.pids);
        const count = requests[tool];
        const speed = await speedOf(site.url, tool, { count, atOnce });
        const sample = {
          ...speed,
          cpu: (cpuMs(site.pids) - before) / count,
          memory: memoryMiB(site),
        };
        const row = `${tool.slice("climax_".length)}\t${site.name}\t${atOnce}`;
        if (round >= 0) samples.set(row, [...samples.get(row) ?? [], sample]);
      }
    }
  }
}
const rows = [...samples].map(([row, taken]) => {
  const median = (key: keyof Sample) => {
    return taken.map((sample) => sample[key]).toSorted((a, b) => a - b)[rounds >> 1]!;
  };
  const figures = [1000 / median("each"), median("p99"), 1000 / median("cpu"), median("memory")];
  return [...row.split("\t"), ...figures.map(number)];
});
const header = [
  ...["what", "instances", "clients", "a second", "slowest of 100, ms"],
  ...["a second of one core of theirs", "MiB of each"],
];
const load = Deno.loadavg()[0]!.toFixed(1);
const machine =
  `${navigator.hardwareConcurrency} cores for instances, nginx and clients; load ${load}`;
const text = `${aligned([header, ...rows])}\n\n${machine}\n`;
await Deno.stdout.write(new TextEncoder().encode(text));

async function startAlone(): Promise<Site> {
  const { url, pid } = started.use(
    await startHttpServer(climaxHttpServer(`${directory}/one.yaml`)),
  );
  return { name: "one, without nginx", url, pids: [pid] };
}

async function startProxied(instances: number): Promise<Site> {
  const alone: Site[] = [];
  while (alone.length < instances) alone.push(await startAlone());
  const hosts = alone.map(({ url }) => `server ${new URL(url).host};`);
  const url = await startNginx(`${directory}/${instances}`, hosts.join(" "));
  return { name: `${instances}`, url, pids: alone.flatMap(({ pids }) => pids) };
}

/** Returns the address of nginx in front of `hosts`. */
async function startNginx(folder: string, hosts: string): Promise<string> {
  await Deno.mkdir(folder);
  const free = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = free.addr;
  free.close();
  const deployed = fileURLToPath(new URL("../deploy/nginx.conf", import.meta.url));
  const site = (await Deno.readTextFile(deployed))
    .replace(/(?: *server climax-.*\n)+/, `${hosts}\n`)
    .replace(/listen 80;/, `listen 127.0.0.1:${port};`);
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`);
  const lines = [
    `daemon off; pid ${folder}/pid; error_log ${folder}/error.log;`,
    "events { worker_connections 4096; }",
    `http { access_log off; ${paths.join(" ")}\n${site}\n}`,
  ];
  await Deno.writeTextFile(`${folder}/nginx.conf`, lines.join("\n"));
  const args = ["-c", `${folder}/nginx.conf`, "-p", folder];
  const nginx = new Deno.Command("nginx", { args, stderr: "null" }).spawn();
  started.defer(async () => {
    nginx.kill("SIGTERM");
    await nginx.status;
  });
  const url = `http://127.0.0.1:${port}/mcp`;
  for (;;) {
    const answer = await fetch(new URL("/readyz", url)).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) return url;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Resident MiB of an instance, on average. */
function memoryMiB({ pids }: Site): number {
  const sizes = pids.map((pid) => {
    return Number(/VmRSS:\s+(\d+)/.exec(Deno.readTextFileSync(`/proc/${pid}/status`))![1]) / 1024;
  });
  return sizes.reduce((a, b) => a + b) / sizes.length;
}
