/** The command lines of the servers that are compared: the same runtime, the same permissions. */

import { fileURLToPath } from "node:url";
import { lazyImports, v8Flags } from "../src/process/own_command.ts";

export type CommandLine = readonly [string, ...string[]];

/** Those of every server here. */
export const permissions: readonly string[] = [
  "--allow-read",
  "--allow-write",
  "--allow-env",
  "--allow-run",
  "--allow-net",
];

function deno(module: string, ...args: string[]): CommandLine {
  const path = fileURLToPath(new URL(module, import.meta.url));
  return [Deno.execPath(), "run", ...permissions, path, ...args];
}

/** climax serving `configs`, or the executable that `CLIMAX_UNDER_TEST` names doing it. */
export function climaxServer(...configs: string[]): CommandLine {
  const artefact = Deno.env.get("CLIMAX_UNDER_TEST");
  if (artefact) return [artefact, "run", ...configs];
  const [program, run, ...words] = deno("../main.ts", "run", ...configs);
  // As the launcher of a clone does it
  return [program, run!, lazyImports, v8Flags, ...words];
}

/** The smallest server of the SDK. */
export const bareServer: CommandLine = deno("bare_server.ts");

/** The smallest server of the SDK that passes calls on to another, by its client. */
export function relayServer(to: CommandLine): CommandLine {
  return deno("bare_relay.ts", ...to);
}

/** climax serving `config` over HTTP, at a port of its choice that it logs. */
export function climaxHttpServer(config: string): CommandLine {
  const [program, ...args] = climaxServer(config);
  return [program, ...args, "--http", "0", "--log-level", "info", "--concurrency", "64"];
}

/** The SDK's own handler over HTTP. */
export const bareHttpServer: CommandLine = deno("bare_http.ts");

/** A config with one tool, which runs `true`: what the bare server has. */
export const oneTool = `name: bench
command: "true"
tools:
  - name: run
    description: Runs a program
`;
