/** Serves configs over stdin and stdout, for whoever asks: `climax run`, or a sealed server. */

import { ExitCode } from "../errors.ts";
import { auditFile } from "../process/environment.ts";
import { dropPermissions } from "../process/permissions.ts";
import { classicSurface } from "../server/classic.ts";
import { discoverySurface } from "../server/discovery.ts";
import { serve } from "../server/serve.ts";
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
  const words = Deno.stdin.isTerminal() ? greeting(session, options) : undefined;
  dropPermissions();
  if (words !== undefined) Deno.stderr.writeSync(new TextEncoder().encode(`${words}\n`));
  await serve(options.classic ? classicSurface(session) : discoverySurface(session));
  return ExitCode.ok;
}
