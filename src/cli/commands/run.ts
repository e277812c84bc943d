/** `climax run`: serves configs to an MCP client. */

import { ExitCode } from "../../errors.ts";
import { auditFile } from "../../process/environment.ts";
import { say } from "../../log.ts";
import { dropPermissions } from "../../process/permissions.ts";
import { classicSurface } from "../../server/classic.ts";
import { discoverySurface } from "../../server/discovery.ts";
import { serveStdio } from "../../server/stdio.ts";
import { openSession, type Session, type SessionOptions } from "../../session.ts";

/** Settings of `climax run`. */
export interface RunCommandOptions extends SessionOptions {
  readonly classic?: boolean;
}

/** Serves until the client goes. */
export async function runCommand(options: RunCommandOptions): Promise<ExitCode> {
  const audit = options.audit ?? auditFile();
  const session = await openSession({ ...options, audit });
  dropPermissions(await session.needs());
  if (Deno.stdin.isTerminal()) greet(session);
  const surface = options.classic ? classicSurface(session) : discoverySurface(session);
  await serveStdio(surface, () => session.close());
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
  say(lines.join("\n"));
}
