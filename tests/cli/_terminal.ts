/** Runs the program on a terminal, which `script` of util-linux makes; others take other options. */

import { programs, type Tests } from "../_requirements.ts";
import { climax as commandLine, environment } from "../e2e/_server.ts";
import { within } from "../_wait.ts";

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
  const child = new Deno.Command("script", {
    args: ["--quiet", "--return", "--command", line, "/dev/null"],
    env: environment({ NO_COLOR: "", TERM: "xterm", ...env }),
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const { stdout } = await within(child.output(), line);
  return new TextDecoder().decode(stdout).replaceAll("\r\n", "\n");
}
