/** From the start of the process to the first answer to `tools/list`. */

import { BenchServer } from "./_client.ts";
import { bareServer, climaxServer } from "./_servers.ts";
import { interleave, type Measurement, time } from "./_stats.ts";

/** Starts climax with the config at `oneToolPath` and with `git`, beside the bare server. */
export async function measureStart(
  oneToolPath: string,
  { rounds }: { rounds: number },
): Promise<Measurement[]> {
  const samples = await interleave({
    bare: () => start(bareServer),
    again: () => start(bareServer),
    one: () => start(climaxServer(oneToolPath)),
    git: () => start(climaxServer("git")),
  }, { rounds });
  const floor = "bare server";
  const common = { unit: "ms", floor, floorSamples: samples.bare } as const;
  return [
    { ...common, name: "start, one tool", samples: samples.one, aim: 1.5 },
    { ...common, name: "start, git", samples: samples.git, aim: 1.5 },
    { ...common, name: "noise: start, bare server again", samples: samples.again },
  ];
}

/** Milliseconds from the start of a server to its first list of tools. */
export async function start(commandLine: readonly [string, ...string[]]): Promise<number> {
  let server: BenchServer;
  const taken = await time(async () => {
    server = new BenchServer(commandLine);
    await server.initialize();
    await server.request("tools/list");
  });
  await server!.close();
  return taken;
}
