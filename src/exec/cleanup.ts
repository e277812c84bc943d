/**
 * What has to be done elsewhere about a run: ending the client of a container, a pod or a remote
 * shell does not end what it started.
 */

import { deadline } from "../async/deadline.ts";
import { messageOf } from "../errors.ts";
import { log } from "../log.ts";
import { isOwnFolderGone, rootFolder } from "../process/folders.ts";
import { trackBackground } from "./background_work.ts";

/** A command that takes away what a run has left. */
export interface Cleanup {
  /** The process that may still run if it fails. */
  readonly what: string;
  readonly argv: readonly [string, ...string[]];
  readonly stdin?: string;
  /** When it must run: after every run, or only after one that was ended. */
  readonly when: "always" | "ended early";
}

/** Milliseconds that a result waits for it; after that it continues in the background. */
const waitMs = 300;

/** Milliseconds that it may take. */
const limitMs = 10_000;

/** Does it, with `env` in addition to the inherited variables. Returns soon. */
export async function cleanUp(
  cleanup: Cleanup,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  await deadline(trackBackground(carryOut(cleanup, env)), waitMs);
}

async function carryOut(
  { what, argv: [program, ...args], stdin = "" }: Cleanup,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const complain = (why: string) => log("warning", `${what} may still run: ${why}`);
  try {
    const child = new Deno.Command(program, {
      args,
      ...(isOwnFolderGone() ? { cwd: rootFolder } : {}),
      env: { ...env },
      stdin: "piped",
      stdout: "null",
      stderr: "piped",
      signal: AbortSignal.timeout(limitMs),
    }).spawn();
    const writer = child.stdin.getWriter();
    // One that needs no input may be gone before it is written
    void writer.write(new TextEncoder().encode(stdin)).then(() => writer.close()).catch(() => {});
    const { code, stderr } = await child.output();
    if (code !== 0) complain(new TextDecoder().decode(stderr).trim());
  } catch (error) {
    complain(messageOf(error));
  }
}
