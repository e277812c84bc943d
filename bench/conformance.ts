/**
 * Runs the official conformance suite of MCP against the program, served over HTTP, for each
 * requirement set that the suite has and for tasks: `deno task conformance`. Answers 1 when a scenario fails that
 * is not in tests/conformance/expected-*.yaml, or passes though it is.
 *
 * `deno task conformance --through` runs it against a reference server, directly and through climax, and compares.
 *
 * The suite is fetched for this only, and run by Deno: its releases need a newer Node.js than some
 * systems have.
 */

import { fileURLToPath } from "node:url";
import { startHttpServer } from "./_http_server.ts";

const suite = "npm:@modelcontextprotocol/conformance@0.2.0-alpha.12";
const requirementSets = ["2025-11-25", "2026-07-28"];
/** Scenarios of the extension for tasks, which no set requires. */
const taskScenarios = [
  "tasks-lifecycle",
  "tasks-capability-negotiation",
  "tasks-wire-fields",
  "tasks-request-state-removal",
  "tasks-request-headers",
  "tasks-dispatch-and-envelope",
];
const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));

/** The command that runs the suite. */
function suiteCommand(url: string, folder: string, ...which: string[]): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--quiet", "--no-lock", "--allow-all", suite, "server", "--url", url],
      ...["--output-dir", folder, ...which],
    ],
  });
}

if (Deno.args.includes("--through")) {
  const { isSameThrough } = await import("./_conformance_through.ts");
  const run = async (url: string, folder: string, set: string) => {
    // Its exit code is about what the reference server lacks too
    await suiteCommand(url, folder, "--requirements", set).output();
  };
  Deno.exit(await isSameThrough({ run, path, sets: requirementSets }) ? 0 : 1);
}

const server = await startHttpServer([
  Deno.execPath(),
  ...["run", "--allow-read", "--allow-env", "--allow-run", "--allow-write", "--allow-net"],
  ...[path("main.ts"), "run", path("tests/conformance/tools.yaml")],
  ...["--classic", "--http", "0", "--log-level", "info"],
]);

const results = await Deno.makeTempDir({ prefix: "climax-conformance-" });
let failed = false;
async function run(expected: string, ...which: string[]): Promise<void> {
  const baseline = path(`tests/conformance/expected-${expected}.yaml`);
  const command = suiteCommand(server.url, results, ...which, "--expected-failures", baseline);
  const { success } = await command.spawn().status;
  failed ||= !success;
}
for (const set of requirementSets) await run(set, "--requirements", set);
for (const scenario of taskScenarios) await run("tasks", "--scenario", scenario, "--force");
await server[Symbol.asyncDispose]();
await Deno.remove(results, { recursive: true });
Deno.exitCode = failed ? 1 : 0;
