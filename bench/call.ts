/** A call of `true`, which does nothing: all of the time is the way there and back. */

import { BenchServer } from "./_client.ts";
import { bareServer, climaxServer } from "./_servers.ts";
import { interleave, type Measurement, time } from "./_stats.ts";

/** Calls at once in the second part. */
const atOnce = 200;

/** Milliseconds after which a server has looked whether marks hold its programs. */
const settledMs = 1000;

/** Calls one at a time and 200 at once, beside the bare server and beside no server at all. */
export async function measureCalls(
  oneToolPath: string,
  { rounds, burstRounds }: { rounds: number; burstRounds: number },
): Promise<Measurement[]> {
  const climax = new BenchServer(climaxServer(oneToolPath));
  const bare = new BenchServer(bareServer);
  const grouping = new BenchServer(bareServer);
  await Promise.all([climax, bare, grouping].map((server) => server.initialize()));
  await new Promise((resolve) => setTimeout(resolve, settledMs));
  const works = {
    bare: () => bare.call("run", { argv: ["true"] }),
    again: () => bare.call("run", { argv: ["true"] }),
    grouped: () => grouping.call("run", { argv: ["true"], detached: true }),
    climax: () => climax.call("climax_call", { tool_name: "run" }),
    direct: spawnDirectly,
  };
  const one = await interleave(each(works, time), { rounds, warmUp: 20 });
  const burst = await interleave(
    each(works, (work) => time(() => Promise.all(Array.from({ length: atOnce }, work)))),
    { rounds: burstRounds, warmUp: 2 },
  );
  await Promise.all([climax, bare, grouping].map((server) => server.close()));
  return [...rows("call", one, 1.25), ...rows(`${atOnce} calls at once`, burst, 1.15)];
}

async function spawnDirectly(): Promise<void> {
  await new Deno.Command("true", { stdin: "null" }).output();
}

type Name = "bare" | "again" | "grouped" | "climax" | "direct";

function each(
  works: Record<Name, () => Promise<void>>,
  measure: (work: () => Promise<void>) => Promise<number>,
): Record<Name, () => Promise<number>> {
  const { bare, again, grouped, climax, direct } = works;
  return {
    bare: () => measure(bare),
    again: () => measure(again),
    grouped: () => measure(grouped),
    climax: () => measure(climax),
    direct: () => measure(direct),
  };
}

function rows(name: string, samples: Record<Name, number[]>, aim: number): Measurement[] {
  const { bare, again, grouped, climax, direct } = samples;
  const beside = { unit: "ms", floor: "bare server", floorSamples: bare } as const;
  return [
    { ...beside, name, samples: climax, aim },
    // The price of a process group for each program
    { ...beside, name: `${name}, bare server with groups`, samples: grouped },
    { ...beside, name, samples: climax, floor: "spawned directly", floorSamples: direct },
    { ...beside, name: `noise: ${name}, bare server again`, samples: again },
  ];
}
