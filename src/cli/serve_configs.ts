/** Serves configs over stdin and stdout, for whoever asks: `climax run`, or a sealed server. */

import { ExitCode } from "../errors.ts";
import { say } from "../log.ts";
import { auditFile } from "../process/environment.ts";
import { dropPermissions } from "../process/permissions.ts";
import { classicSurface } from "../server/classic.ts";
import { discoverySurface } from "../server/discovery.ts";
import { serveStdio } from "../server/stdio.ts";
import { openSession, type SessionOptions } from "../session.ts";
import { greeting } from "./greeting.ts";

/** What is served, and how. */
export interface ServeOptions extends SessionOptions {
  readonly classic?: boolean | undefined;
}

/** Serves until the client goes. */
export async function serveConfigs(options: ServeOptions): Promise<ExitCode> {
  const audit = options.audit ?? auditFile();
  const session = await openSession({ ...options, audit });
  dropPermissions(await session.needs());
  if (Deno.stdin.isTerminal()) say(greeting(session, options));
  const surface = options.classic ? classicSurface(session) : discoverySurface(session);
  await serveStdio(surface, () => session.close());
  return ExitCode.ok;
}
