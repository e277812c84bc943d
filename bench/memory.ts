/** Resident memory of a server that has just started, and of one that has answered many calls. */

import { BenchServer } from "./_client.ts";
import { bareServer, climaxServer } from "./_servers.ts";
import type { Measurement } from "./_stats.ts";

/** Calls that are under way at once. */
const atOnce = 10;

/** Makes `calls` calls of climax and of the bare server. */
export async function measureMemory(
  oneToolPath: string,
  { calls }: { calls: number },
): Promise<Measurement[]> {
  const climax = new BenchServer(climaxServer(oneToolPath));
  const bare = new BenchServer(bareServer);
  await Promise.all([climax.initialize(), bare.initialize()]);
  await Promise.all([climax.request("tools/list"), bare.request("tools/list")]);
  const before = [await climax.residentMemory(), await bare.residentMemory()] as const;
  for (let done = 0; done < calls; done += atOnce) {
    const batch = Array.from({ length: atOnce });
    await Promise.all(batch.map(() => climax.call("climax_call", { tool_name: "run" })));
    await Promise.all(batch.map(() => bare.call("run", { argv: ["true"] })));
  }
  const after = [await climax.residentMemory(), await bare.residentMemory()] as const;
  await Promise.all([climax.close(), bare.close()]);
  return [
    row("resident memory after the start", before),
    row(`resident memory after ${calls.toLocaleString("en-US")} calls`, after),
  ];
}

function row(name: string, [climax, bare]: readonly [number, number]): Measurement {
  return { name, unit: "MiB", samples: [climax], floor: "bare server", floorSamples: [bare] };
}
