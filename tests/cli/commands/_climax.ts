/** Runs the program with a command line and returns its exit code and what it printed. */

import assert from "node:assert/strict";
import { resolve } from "node:path";
import { main } from "../../../src/cli/main.ts";
import { ioOf, type IoSettings } from "../../_io.ts";
import { climax as commandLine, climaxOfSources, environment } from "../../e2e/_server.ts";
import { type Ran, runToEnd } from "../../_run.ts";
import { within } from "../../_wait.ts";

export type { Ran };

/** Where the program runs. */
export interface RunSettings {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Default: an empty input. */
  readonly stdin?: string;
}

/** Where a process runs. */
export interface ProcessSettings extends RunSettings {
  /** Whether it is started from its sources, for what it does in a clone only. @default false */
  readonly isClone?: boolean;
}

/** Settles when no run is under way: `main` runs once at a time in a process. */
let turn: Promise<unknown> = Promise.resolve();

/**
 * Runs `climax` with `args` to its end, in this process and from its sources, unless `CLIMAX_UNDER_TEST` names
 * an executable file to run.
 */
export async function climax(args: readonly string[], settings: RunSettings = {}): Promise<Ran> {
  if (Deno.env.get("CLIMAX_UNDER_TEST")) return await climaxProcess(args, settings);
  const chunks: { readonly bytes: Uint8Array; readonly stream: string }[] = [];
  const code = await runMain(args, settings, {
    write: (bytes, stream) => void chunks.push({ bytes, stream }),
  });
  const textOf = (name: string) => {
    return decode(chunks.flatMap(({ bytes, stream }) => stream === name ? [bytes] : []));
  };
  return { code, stdout: textOf("stdout"), stderr: textOf("stderr") };
}

/**
 * Runs `climax` in this process with a terminal, by default of 100 columns, and returns what the terminal shows. `streams`
 * are those that are connected to it; `stdin` is what a person types.
 */
export async function climaxOnTerminal(
  args: readonly string[],
  { streams = ["stdin", "stdout", "stderr"], columns = 100, env = {}, ...settings }: RunSettings & {
    /** Its width. */
    readonly columns?: number;
    readonly streams?: NonNullable<IoSettings["terminal"]>["streams"];
  } = {},
): Promise<string> {
  const chunks: Uint8Array[] = [];
  await runMain(args, { ...settings, env: { NO_COLOR: "", TERM: "xterm", ...env } }, {
    write: (bytes) => void chunks.push(bytes),
    terminal: { columns, streams },
  });
  return decode(chunks);
}

async function runMain(
  args: readonly string[],
  { cwd = Deno.cwd(), env, stdin = "" }: RunSettings,
  settings: Pick<IoSettings, "write" | "terminal">,
): Promise<number> {
  const io = ioOf({ ...settings, cwd: resolve(cwd), env: environment(env), stdin });
  const run = turn.then(() => main(args, io));
  turn = run;
  return await within(run, `climax ${args.join(" ")}`);
}

function decode(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return chunks.map((bytes) => decoder.decode(bytes, { stream: true })).join("");
}

/** Runs `climax` with `args` as a process to its end, for what only a process shows. */
export async function climaxProcess(
  args: readonly string[],
  settings: ProcessSettings = {},
): Promise<Ran> {
  const { cwd, env, stdin, isClone = false } = settings;
  const words = isClone ? climaxOfSources(...args) : commandLine(...args);
  return await runToEnd(words, { cwd, env: environment(env), stdin });
}

/** What a run must end with: a text is the whole output, an expression a part of it. */
export interface ExpectedEnd {
  readonly code?: number;
  readonly stdout?: ExpectedText | readonly ExpectedText[];
  readonly stderr?: ExpectedText | readonly ExpectedText[];
}

type ExpectedText = string | RegExp;

/** Waits for `run`, which must end as expected, and returns its end. */
export async function ends<T extends Partial<Ran>>(
  run: Promise<T>,
  { code, ...texts }: ExpectedEnd,
): Promise<T> {
  const ran = await run;
  const { stdout = "", stderr = "" } = ran;
  if (code !== undefined) assert.equal(ran.code, code, `exit code: ${stdout}${stderr}`);
  for (const [stream, expected] of Object.entries(texts)) {
    const said = stream === "stdout" ? stdout : stderr;
    for (const each of [expected].flat()) {
      if (typeof each === "string") assert.equal(said, each, stream);
      else assert.match(said, each);
    }
  }
  return ran;
}
