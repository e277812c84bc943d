/** Cleans up after a run that was ended early: the end of the client of a container ends no program in it. */

import { deadline } from "../async/deadline.ts";
import { messageOf } from "../errors.ts";
import { childOptions } from "../io.ts";
import { log } from "../log.ts";
import { isOwnFolderGone, rootFolder } from "../process/folders.ts";
import { trackBackground } from "./background_work.ts";

/** A command that ends what a run has left. */
export interface Cleanup {
  /** The process that may still run if it fails, for the log. */
  readonly what: string;
  readonly argv: readonly [string, ...string[]];
}

/** Milliseconds that a result waits; after that the cleanup continues in the background. */
const waitMs = 300;

const limitMs = 10_000;

/** Runs with `env` in addition to the inherited variables. */
export async function cleanUp(
  cleanup: Cleanup,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  await deadline(trackBackground(carryOut(cleanup, env)), waitMs);
}

async function carryOut(
  { what, argv: [program, ...args] }: Cleanup,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const complain = (why: string) => log("warning", `${what} may still run: ${why}`);
  try {
    const child = new Deno.Command(program, {
      args,
      ...childOptions({ cwd: isOwnFolderGone() ? rootFolder : undefined, env: { ...env } }),
      stdin: "null",
      stdout: "null",
      stderr: "piped",
      signal: AbortSignal.timeout(limitMs),
    });
    const { code, stderr } = await child.output();
    if (code !== 0) complain(new TextDecoder().decode(stderr).trim());
  } catch (error) {
    complain(messageOf(error));
  }
}
