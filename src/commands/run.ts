/** `climax run`: serves configs to an MCP client. */

import type { CallSettings } from "../call/context.ts";
import { ExitCode, formatProblem } from "../errors.ts";
import { log } from "../log.ts";
import { classicSurface } from "../server/classic.ts";
import { discoverySurface } from "../server/discovery.ts";
import { serve } from "../server/serve.ts";
import { openSession, type Session } from "../session.ts";

/** Settings of `climax run`. */
export interface RunCommandOptions {
  readonly classic: boolean;
  readonly calls: Partial<CallSettings>;
}

/** Serves until the client goes. */
export async function runCommand(
  configs: readonly string[],
  { classic, calls }: RunCommandOptions,
): Promise<ExitCode> {
  const session = await openSession({ configs, calls });
  for (const warning of session.warnings) log("warning", formatProblem(warning));
  if (Deno.stdin.isTerminal()) greet(session);
  await serve(classic ? classicSurface(session) : discoverySurface(session));
  return ExitCode.ok;
}

/** For a person who started the server by hand and would otherwise see nothing happen. */
function greet({ index }: Session): void {
  const clis = index.summary().map(({ name, tool_count }) => `${name} (${tool_count} tools)`);
  const shown = clis.length > 5 ? [...clis.slice(0, 5), `${clis.length - 5} more`] : clis;
  const example = index.tools[0]?.name ?? "TOOL";
  const lines = [
    `climax serves ${shown.join(", ")} and waits for an MCP client on stdin; Ctrl-C ends it`,
    `To try a tool by hand: climax call ${example} --dry-run`,
  ];
  Deno.stderr.writeSync(new TextEncoder().encode(`${lines.join("\n")}\n`));
}
