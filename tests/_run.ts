/** Programs that tests start: to talk to, or to their end. */

import { environment } from "./e2e/_server.ts";
import { within } from "./_wait.ts";

/** How a program ended and what it printed. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where a program runs, and all its variables, by default those of a test. */
export interface Place {
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a program whose three streams are pipes. */
export function spawn(
  [program, ...args]: readonly string[],
  { cwd, env = environment() }: Place = {},
): Deno.ChildProcess {
  return new Deno.Command(program!, {
    args,
    env,
    clearEnv: true,
    ...(cwd === undefined ? {} : { cwd }),
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Runs a program, which reads `stdin`, to its end. */
export async function runToEnd(
  words: readonly string[],
  { stdin = "", ...place }: Place & { readonly stdin?: string | undefined } = {},
): Promise<Ran> {
  const child = spawn(words, place);
  const input = new Blob([stdin]).stream().pipeTo(child.stdin).catch(() => {});
  const { code, stdout, stderr } = await within(child.output(), words.join(" "));
  await input;
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}
