/** Serves configs over stdin and stdout, for whoever asks: `climax run`, or a sealed server. */

import { ExitCode } from "../errors.ts";
import { lookForLeftBehindSoon } from "../exec/left_behind.ts";
import { defaultGraceMs } from "../exec/run.ts";
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
  /** Whether programs that earlier servers left behind are ended. @default false */
  readonly reap?: boolean | undefined;
}

/** Serves until the client goes. */
export async function serveConfigs(options: ServeOptions): Promise<ExitCode> {
  const audit = options.audit ?? auditFile();
  const session = await openSession({ ...options, audit });
  dropPermissions(await session.needs());
  if (Deno.stdin.isTerminal()) say(greeting(session, options));
  const surface = options.classic ? classicSurface(session) : discoverySurface(session);
  const graceMs = options.calls?.graceMs ?? defaultGraceMs;
  const callOff = lookForLeftBehindSoon({ reap: options.reap ?? false, graceMs });
  await serveStdio(surface, async () => {
    callOff();
    await session.close();
  });
  return ExitCode.ok;
}
