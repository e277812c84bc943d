/** Runs the program on a terminal, which `script` of util-linux makes; others take other options. */

import { programs, type Requirement } from "../_requirements.ts";
import { climax as commandLine, environment } from "../e2e/_server.ts";
import { within } from "../_wait.ts";

/** For a test that needs such a `script`. */
export const terminal: Requirement = await programs({ script: ["--version"] });

/**
 * What `climax` with `args` writes on a terminal; `behind` is put behind its command line, and `input` is
 * what a person types.
 */
export async function onTerminal(
  args: readonly string[],
  { env = {}, cwd = ".", behind = "", input }: {
    readonly env?: Readonly<Record<string, string>>;
    readonly cwd?: string;
    readonly behind?: string;
    readonly input?: string;
  } = {},
): Promise<string> {
  const words = commandLine(...args).map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  const line = `stty cols 100; ${words.join(" ")} ${behind}`;
  const child = new Deno.Command("script", {
    args: ["--quiet", "--return", "--command", line, "/dev/null"],
    env: environment({ NO_COLOR: "", TERM: "xterm", ...env }),
    clearEnv: true,
    cwd,
    stdin: input === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const typed = input === undefined ? undefined : child.stdin.getWriter();
  await typed?.write(new TextEncoder().encode(input));
  const { stdout } = await within(child.output(), line);
  await typed?.close().catch(() => {});
  return new TextDecoder().decode(stdout).replaceAll("\r\n", "\n");
}
