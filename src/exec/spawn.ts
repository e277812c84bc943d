/** Starts the program of an invocation. */

import { resolve } from "node:path";
import { childOptions } from "../io.ts";
import { ownFolder } from "../process/folders.ts";
import { withArgv0 } from "./argv0.ts";
import { environmentOf } from "./child_environment.ts";
import { needsSession } from "./containment.ts";
import type { Ending, Invocation } from "./invocation.ts";
import { markedWith, markVariable, newMark } from "./mark.ts";
import type { SandboxEnd, Started } from "./process_tree.ts";
import { isStartable } from "./program.ts";
import type { RunningProgram } from "./program_thread.ts";
import { isLineTooLong } from "./windows_line.ts";
import type { Sandbox } from "./sandbox_view.ts";
import { describeStartFailure } from "./start_failure.ts";

type NotStarted = Extract<Ending, { kind: "not started" }>;

/** Starts a process. @throws what Deno throws */
export type Start = (
  program: string,
  options: Deno.CommandOptions,
) => RunningProgram | Promise<RunningProgram>;

const startHere: Start = (program, options) => new Deno.Command(program, options).spawn();

/**
 * Starts `program` with a mark, and with pipes for its output and, if it has one, its input.
 *
 * @param start how its process is started
 */
export async function spawn(
  program: string,
  invocation: Invocation,
  start: Start = startHere,
): Promise<Started | NotStarted> {
  const { cwd, stdin, hidesStderr = false, sandbox } = invocation;
  if (!isStartable(program)) {
    return { kind: "not started", failure: "no program of this system", detail: program };
  }
  const mark = newMark();
  const marked = {
    ...invocation,
    env: { ...invocation.env, [markVariable]: markedWith(mark) },
  };
  const line = sandbox === undefined
    ? lineOf(program, marked)
    : await sandboxedLine(program, marked, sandbox);
  if ("failure" in line) return line;
  if (Deno.build.os === "windows" && isLineTooLong(line.program, line.args)) {
    return { kind: "not started", failure: "command line too long", detail: line.program };
  }
  const leads = needsSession();
  try {
    const child = await start(line.program, {
      args: [...line.args],
      ...childOptions({ cwd, env: line.env, clearEnv: line.clearEnv }),
      stdin: stdin === undefined ? "null" : "piped",
      stdout: "piped",
      stderr: hidesStderr ? "null" : "piped",
      detached: leads,
      ...line.options,
    });
    let ended = false;
    void child.status.then(() => ended = true);
    const hasEnded = () => ended;
    const { begin } = line;
    return { child, mark, leads, hasEnded, ...(begin === undefined ? {} : { sandbox: begin() }) };
  } catch (error) {
    line.discard?.();
    return await describeStartFailure(error, invocation);
  }
}

/** What the system is told to start. */
interface Line {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Record<string, string>;
  readonly clearEnv: boolean;
  readonly options?: Deno.CommandOptions;
  /** Of a sandbox: called once it runs. */
  readonly begin?: () => SandboxEnd;
  /** Called if it does not run. */
  readonly discard?: () => void;
}

function lineOf(program: string, { argv: [name, ...args], env, inherit }: Invocation): Line {
  const { env: variables = {}, clearEnv = false } = environmentOf(env, inherit);
  const options = program === name ? {} : withArgv0(name);
  return { program, args, env: variables, clearEnv, options };
}

async function sandboxedLine(
  program: string,
  { argv: [, ...args], cwd, env, inherit }: Invocation,
  sandbox: Sandbox,
): Promise<Line | NotStarted> {
  // Most programs have none
  const { sandboxedProgram } = await import("./sandbox.ts");
  const start = resolve(ownFolder(), cwd ?? "");
  const held = await sandboxedProgram({ program, args, cwd: start, env, inherit }, sandbox);
  if (held.ok) return { ...held, clearEnv: true };
  const { failure, reason: detail } = held;
  return { kind: "not started", failure, detail };
}
