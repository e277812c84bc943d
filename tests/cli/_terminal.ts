/** Runs the program on a terminal, which `script` of util-linux makes; others take other options. */

import { programs, type Tests } from "../_requirements.ts";
import { climax as commandLine, environment } from "../e2e/_server.ts";
import { runToEnd } from "../_run.ts";

/** For a test that needs such a `script`. */
export const terminal: Tests = await programs({ script: ["--version"] });

/**
 * What `climax` with `args` writes on a terminal of the system; `behind` is put behind its command line. Most
 * tests need only `climaxOnTerminal` of `commands/_climax.ts`.
 */
export async function onTerminal(
  args: readonly string[],
  { env = {}, behind = "" }: {
    readonly env?: Readonly<Record<string, string>>;
    readonly behind?: string;
  } = {},
): Promise<string> {
  const words = commandLine(...args).map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  const line = `stty cols 100; ${words.join(" ")} ${behind}`;
  const { stdout } = await runToEnd(
    ["script", "--quiet", "--return", "--command", line, "/dev/null"],
    { env: environment({ NO_COLOR: "", TERM: "xterm", ...env }) },
  );
  return stdout.replaceAll("\r\n", "\n");
}
