/** Runs the program as a user does, and says what came of it. */

import { climax as commandLine, climaxOfSources, environment } from "../../e2e/_server.ts";
import { within } from "../../_wait.ts";

/** What a run of the program came to. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where the program runs. */
export interface RunSettings {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Default: an empty input. */
  readonly stdin?: string;
  /** Whether it is started from its sources, for what it does in a clone only. @default false */
  readonly isClone?: boolean;
}

/** Runs `climax` with `args` to its end. */
export async function climax(args: readonly string[], settings: RunSettings = {}): Promise<Ran> {
  const { cwd, env, stdin, isClone = false } = settings;
  const [program, ...rest] = isClone ? climaxOfSources(...args) : commandLine(...args);
  const child = new Deno.Command(program, {
    args: rest,
    env: environment(env),
    clearEnv: true,
    ...(cwd === undefined ? {} : { cwd }),
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const input = new Blob([stdin ?? ""]).stream().pipeTo(child.stdin).catch(() => {});
  const output = await within(child.output(), `climax ${args.join(" ")}`);
  await input;
  const decoder = new TextDecoder();
  return {
    code: output.code,
    stdout: decoder.decode(output.stdout),
    stderr: decoder.decode(output.stderr),
  };
}
