/** Cleans up elsewhere after a run: the end of a client of a container, pod or remote shell ends no program there. */

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
  readonly stdin?: string;
  /** After every run, or only after one that was ended. */
  readonly when: "always" | "ended early";
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
  { what, argv: [program, ...args], stdin = "" }: Cleanup,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const complain = (why: string) => log("warning", `${what} may still run: ${why}`);
  try {
    const child = new Deno.Command(program, {
      args,
      ...childOptions({ cwd: isOwnFolderGone() ? rootFolder : undefined, env: { ...env } }),
      stdin: "piped",
      stdout: "null",
      stderr: "piped",
      signal: AbortSignal.timeout(limitMs),
    }).spawn();
    const writer = child.stdin.getWriter();
    // A program that reads no input may have exited
    void writer.write(new TextEncoder().encode(stdin)).then(() => writer.close()).catch(() => {});
    const { code, stderr } = await child.output();
    if (code !== 0) complain(new TextDecoder().decode(stderr).trim());
  } catch (error) {
    complain(messageOf(error));
  }
}
