/** A client driven through the steps, and what it leaves behind. */

import { alone, signalFor } from "./_install.ts";

/** What a client is made to do, in order. */
export const steps = ["list", "search", "call", "error", "progress", "cancel", "shutdown"] as const;

/** One of {@linkcode steps}. */
export type Step = typeof steps[number];

/** What came of a step; `ok` is null where a client or a mode does not have it. */
export interface Outcome {
  readonly step: Step;
  readonly ok: boolean | null;
  readonly note: string;
}

/** The server to start and what to expect of it; drivers are given it as JSON. */
export interface Plan {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Record<string, string>;
  readonly classic: boolean;
  /** The tools of the config. */
  readonly tools: readonly string[];
  /** Path of a file that is not there yet. */
  readonly file: string;
}

/** Runs a driver, which prints an outcome a line. */
export async function* drive(command: readonly string[], plan: Plan): AsyncIterable<Outcome> {
  const [program, ...args] = alone([...command, JSON.stringify(plan)]);
  const signal = signalFor(120_000);
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args,
    stdin: "null",
    signal,
  }).output();
  const decoder = new TextDecoder();
  const lines = decoder.decode(stdout).split("\n").filter((line) => line.startsWith(`{"step"`));
  const seen = lines.map((line): Outcome => JSON.parse(line));
  yield* seen;
  const said = decoder.decode(stderr).trim().split("\n").at(-1)!;
  const end = signal.aborted ? "it had not ended when the time was over" : `it ended with ${code}`;
  for (const step of steps.slice(seen.length)) yield { step, ok: false, note: said || end };
}

/** Processes that have `mark` in their environment: the server and what it started. */
export async function leftBehind(mark: string): Promise<number[]> {
  const found = await marked(mark);
  if (found.length === 0) return [];
  // A client need not wait for the server that it has told to end
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  return await marked(mark);
}

/** The processes that have `mark` in their environment now. */
export async function marked(mark: string): Promise<number[]> {
  const args = ["eww", "-A", "-o", "pid=,command="];
  const { stdout } = await new Deno.Command("ps", { args }).output();
  return new TextDecoder().decode(stdout).split("\n")
    .filter((line) => line.includes(mark)).map((line) => Number.parseInt(line));
}
