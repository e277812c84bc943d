/**
 * Some minutes of calls of programs at their worst, and what they left behind: `deno task bench soak [CALLS] [SEED]`.
 * The same seed sends the same requests in the same order.
 */

import { describe, failuresOf, soak } from "../tests/e2e/_soak.ts";

const [calls = "10000", seed = String(Date.now() % 1_000_000)] = Deno.args;
const report = await soak({
  calls: Number(calls),
  // Until the stored outputs have what they may: 64 MiB in memory
  firstCalls: 5000,
  restSeconds: 30,
  seed: Number(seed),
});
const failures = failuresOf(report);
const lines = [describe(report), ...failures.map((text) => `FAILED: ${text}`)];
await Deno.stdout.write(new TextEncoder().encode(`${lines.join("\n")}\n`));
if (failures.length > 0) Deno.exitCode = 1;
