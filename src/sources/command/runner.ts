/** Plans and runs command lines, on this machine or where the executor says. */

import { Buffer } from "node:buffer";
import { resolve } from "node:path";
import posix from "node:path/posix";
import { flushBackground, trackBackground } from "../../exec/background_work.ts";
import { childEnvironment } from "../../exec/child_environment.ts";
import {
  clientOf,
  type Executor,
  sandboxOf,
  workingDirectory,
  wrapCommand,
} from "../../exec/executor.ts";
import type { CommandTokens, Invocation, Token } from "../../exec/invocation.ts";
import { type ProgramChoice, programOf } from "../../exec/program.ts";
import { leaveOut } from "../../exec/search_path.ts";
import { believeCommand } from "../../process/believed_paths.ts";
import { ownFolder } from "../../process/folders.ts";
import type { ExecutionLocation, Plan, PlanPreview, Runner } from "../../tool/runner.ts";
import type { ArgValues, Tool } from "../../tool/tool.ts";
import { buildArgv } from "./argv.ts";
import { sandboxOfCall, sandboxRecordOf } from "./_sandbox.ts";
import { commandNeeds } from "./_permissions.ts";
import { shownSandbox } from "./_run_record.ts";
import type { RunPlanOptions } from "./_run_plan.ts";
import { sourceOf } from "./source.ts";

export interface CommandRunnerOptions extends RunPlanOptions {
  /** @default local */
  readonly executor?: Executor | undefined;
}

export function commandRunner(options: CommandRunnerOptions = {}): Runner {
  const executor = options.executor ?? { kind: "local" };
  return {
    start: (tools) => pinPrograms(tools, executor),
    sandbox: (tool) => sandboxRecordOf(executor, tool),
    location: (tool, values) => locationOf(tool, values, executor),
    prepare: (tool, values) => planOf(tool, buildCall(executor, tool, values), options),
    permissions: (tools, { resolve = false } = {}) => commandNeeds(tools, executor, resolve),
    async check(tools) {
      // The lists of hazards take longer to read than most configs
      const { checkCommands } = await import("./_check_commands.ts");
      return await checkCommands(tools, executor);
    },
    close: flushBackground,
  };
}

/** Finds every program at the start, so that no later call can change which one runs. */
function pinPrograms(tools: readonly Tool[], executor: Executor): void {
  if (executor.kind === "local") leaveOut(tools.flatMap(directoriesOf));
  const choices: ProgramChoice[] = executor.kind !== "local"
    ? [{ argv: [clientOf(executor)], env: {} }]
    : tools.map(sourceOf).map(({ command, env }) => ({ argv: [command[0]], env }));
  for (const choice of choices) void trackBackground(programOf(choice));
  for (const tool of tools) {
    const { command, workingDir } = sourceOf(tool);
    if (sandboxOf(executor, tool.name) === undefined) believeCommand(command, workingDir);
  }
}

/** Where calls of a tool may start by their own choice. */
function directoriesOf(tool: Tool): string[] {
  const { workingDir } = sourceOf(tool);
  return tool.args.filter(({ role }) => role.kind === "cwd").flatMap(({ limits, constraint }) => {
    return [".", limits?.within ?? ".", constraint?.within ?? "."]
      .map((folder) => workingDirectory(workingDir, folder) ?? ".");
  });
}

function locationOf(tool: Tool, values: ArgValues, executor: Executor): ExecutionLocation {
  const arg = tool.args.find(({ role }) => role.kind === "cwd");
  const value = arg === undefined ? undefined : values.get(arg.name);
  const cwd = value === undefined ? undefined : String(value);
  if (executor.kind === "local") {
    const { workingDir: home, startIn } = sourceOf(tool);
    return { home, directory: workingDirectory(home, cwd), startIn };
  }
  const home = executor.workingDir;
  return { home, directory: workingDirectory(home, cwd, posix), isElsewhere: true };
}

/** One run, and the form of it that logs may have. */
interface BuiltCall {
  readonly invocation: Invocation;
  readonly shownArgv: readonly string[];
  readonly shownCwd?: string;
  /** The standard input of the program, which may be only a part of what the client process gets. */
  readonly input: Token | undefined;
  /** In `shownArgv`. */
  readonly generated?: string;
}

function buildCall(executor: Executor, tool: Tool, values: ArgValues): BuiltCall {
  const source = sourceOf(tool);
  // It starts in that directory, whose full path is not known here
  const resolveDirectory = (directory: string) => {
    if (executor.kind !== "local") return ".";
    return resolve(ownFolder(), workingDirectory(source.workingDir, directory) ?? "");
  };
  const line = buildArgv(source, tool.args, values, resolveDirectory);
  const input = line.stdin;
  const rules = {
    timeoutMs: tool.timeoutMs,
    hidesStderr: source.hidesStderr ?? false,
    ...(source.exitCodes === undefined ? {} : { exitCodes: source.exitCodes }),
  };
  if (executor.kind !== "local") {
    const id = crypto.randomUUID();
    const { argv, shown, cleanup, env = {}, stdin } = wrapCommand(line.argv, executor, {
      id,
      env: source.env,
      cwd: line.cwd,
      stdin: input?.text,
      timeoutMs: tool.timeoutMs,
    });
    // The client of the executor is not part of the config: it inherits the variables that it needs
    const invocation = {
      argv,
      env: childEnvironment(env),
      ...(stdin === undefined ? {} : { stdin }),
      ...rules,
      cleanup,
    };
    return { invocation, shownArgv: shown, input, generated: id };
  }
  const cwd = source.startIn ?? workingDirectory(source.workingDir, line.cwd?.text);
  const directory = workingDirectory(source.workingDir, line.cwd?.text);
  const sandbox = sandboxOfCall(executor, tool, directory);
  const rest = {
    env: childEnvironment(source.env),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(source.inheritEnv === undefined ? {} : { inherit: source.inheritEnv }),
    ...(input === undefined ? {} : { stdin: input.text }),
    ...rules,
  };
  const shownArgv = shownOf(line.argv);
  if (cwd === undefined) {
    return { invocation: { ...rest, argv: textsOf(line.argv) }, shownArgv, input };
  }
  return {
    invocation: { ...rest, argv: textsOf(line.argv), cwd },
    shownArgv,
    input,
    shownCwd: source.startIn ?? workingDirectory(source.workingDir, line.cwd?.shown) ?? cwd,
  };
}

function textsOf([program, ...words]: CommandTokens): Invocation["argv"] {
  return [program.text, ...words.map(({ text }) => text)];
}

function shownOf(tokens: CommandTokens): string[] {
  return tokens.map(({ shown }) => shown);
}

/** A plan of a command line. Tests and `--dry-run` read its invocation. */
export interface CommandPlan extends Plan {
  readonly invocation: Invocation;
}

/** Loaded with the first call: a start does without it. */
let runs: Promise<typeof import("./_run_plan.ts")> | undefined;

function planOf(tool: Tool, built: BuiltCall, options: CommandRunnerOptions): CommandPlan {
  return {
    ok: true,
    invocation: built.invocation,
    preview: showCall(built),
    run: async (planOptions) => {
      const { runPlan } = await (runs ??= import("./_run_plan.ts"));
      return await runPlan(tool, built.invocation, { ...options, ...planOptions });
    },
  };
}

function showCall({ invocation, shownArgv, shownCwd, input, generated }: BuiltCall): PlanPreview {
  const { env, timeoutMs, sandbox } = invocation;
  return {
    record: {
      argv: shownArgv,
      ...(shownCwd === undefined ? {} : { cwd: shownCwd }),
      ...(sandbox === undefined ? {} : { sandbox: shownSandbox(sandbox) }),
    },
    // Without secrets
    details: {
      cwd: shownCwd ?? ownFolder(),
      env: Object.keys(env),
      ...(input === undefined ? {} : { stdin_bytes: Buffer.byteLength(input.text) }),
      timeout: timeoutMs / 1000,
    },
    ...(generated === undefined ? {} : { generated }),
    line: JSON.stringify(shownArgv),
    ...(input === undefined ? {} : { input: input.shown }),
  };
}
