/**
 * Prints what a sandbox costs a call: calls of `true` through a server with `--sandbox` and through one without, in turn.
 *
 * Usage: `deno run -A bench/sandbox.ts [ROUNDS]`
 */

import { join } from "node:path";
import { BenchServer } from "./_client.ts";
import { climaxServer, oneTool } from "./_servers.ts";
import { interleave, summarize, time } from "./_stats.ts";

/** Milliseconds after which a server has looked whether marks hold its programs. */
const settledMs = 1000;

const rounds = Number(Deno.args[0] ?? 200);
const folder = await Deno.makeTempDir({ dir: "/var/tmp" });
const config = join(folder, "one.yaml");
await Deno.writeTextFile(config, oneTool);
Deno.chdir(folder);
const servers = [climaxServer(config), climaxServer(config, "--sandbox")] as const;
const [plain, held] = servers.map((line) => new BenchServer(line)) as [BenchServer, BenchServer];
try {
  await Promise.all([plain.initialize(), held.initialize()]);
  await new Promise((resolve) => setTimeout(resolve, settledMs));
  const call = (server: BenchServer) => () => {
    return time(() => server.call("climax_call", { tool_name: "run" }));
  };
  const works = { plain: call(plain), held: call(held) };
  const samples = await interleave(works, { rounds, warmUp: 20 });
  const { value, floor } = summarize({
    name: "call in a sandbox",
    unit: "ms",
    floor: "call",
    samples: samples.held,
    floorSamples: samples.plain,
  });
  for (const which of ["min", "median"] as const) {
    const [call, inside] = [floor[which], value[which]];
    const bound = 1.5 * call + 5;
    const verdict = inside <= bound ? "within" : "over";
    // deno-lint-ignore no-console -- printing is what this program is for
    console.log(
      `${which}: call ${call.toFixed(2)} ms, in a sandbox ${inside.toFixed(2)} ms, ` +
        `${verdict} 1.5 calls + 5 ms = ${bound.toFixed(2)} ms`,
    );
  }
} finally {
  await Promise.all([plain.close(), held.close()]);
  await Deno.remove(folder, { recursive: true });
}
