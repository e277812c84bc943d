/** Plans and runs the command lines of tools, on this machine or in containers. */

import { flushBackground } from "../../exec/background_work.ts";
import posix from "node:path/posix";
import { basename, isAbsolute, resolve } from "node:path";
import { childEnvironment } from "../../exec/child_environment.ts";
import {
  type Executor,
  inContainer,
  isolatesCalls,
  sandboxesOf,
  sandboxOf,
  workingDirectory,
} from "../../exec/executor.ts";
import { type Invocation, plain } from "../../exec/invocation.ts";
import { type ProgramChoice, programOf } from "../../exec/program.ts";
import { leaveOut } from "../../exec/search_path.ts";
import { turnOf } from "../../exec/turns.ts";
import { withRequest } from "../../exec/sandbox_request.ts";
import { pathsToRefuse, protectCommand } from "../../process/protected_paths.ts";
import { isNear, ownFolder, realPathOf } from "../../process/folders.ts";
import { privateItems } from "./_resolve_arg.ts";
import type { ExecutionLocation, Plan, Runner, SandboxRecord } from "../../tool/runner.ts";
import { isPath } from "../../tool/aliases.ts";
import { present } from "../../text/own_property.ts";
import { changesFiles } from "../../tool/annotations.ts";
import type { ArgValue, ArgValues, Tool } from "../../tool/tool.ts";
import { buildArgv, helpersIn } from "./argv.ts";
import { addProgram } from "./program.ts";
import { asksOutside, type OutsideConsent, reasonToAsk, topFiles } from "./_outside.ts";
import type { RunPlanOptions } from "./_run_plan.ts";
import { type CommandSource, commandSourceOf, describeSandbox } from "./source.ts";
import { type BuiltCall, showCall } from "./_preview.ts";
import { lineTakings } from "./output.ts";
import { canonicalJson } from "../../text/own_property.ts";
import { sha256 } from "../../text/hash.ts";

export interface CommandRunnerOptions extends RunPlanOptions {
  /** Where programs run. @default this machine, without a sandbox */
  readonly executor?: Executor | undefined;
}

export function commandRunner(options: CommandRunnerOptions = {}): Runner {
  const executor = options.executor ?? { kind: "local" };
  const reasonOf = (tool: Tool, values: ArgValues) => {
    const { directory = "" } = locationOf(tool, values, executor);
    const sandbox = sandboxOfCall(executor, tool, directory);
    return reasonToAsk(tool, values, { cwd: resolve(ownFolder(), directory), sandbox });
  };
  return {
    keepsOrder: true,
    start: (tools) => pinPrograms(tools, executor),
    sandbox: (tool) => sandboxRecordOf(executor, tool),
    location: (tool, values) => locationOf(tool, values, executor),
    prepare: (tool, values) => {
      const wider = commandSourceOf(tool).retryWith && widerValues(tool, values);
      const more = wider && buildCall(executor, tool, wider).invocation;
      const plan = planOf(tool, buildCall(executor, tool, values), options, more);
      const trial = trialOf(tool, values, { ...options, executor });
      const isLoose = tool.requires !== undefined && !isolatesCalls(executor, tool.name);
      const { directory = "" } = isLoose ? locationOf(tool, values, executor) : {};
      return {
        ...plan,
        // If a variable that the config sets or passes on changes, earlier approvals do not hold for the call
        identity: () => {
          const { env, inheritEnv = null } = commandSourceOf(tool);
          return sha256(canonicalJson([env, inheritEnv]));
        },
        ...(tool.needsConsent ? { refuses: () => refusalOf(plan.invocation) } : {}),
        ...(tool.needsConsent === "outside" ? { reasonToAsk: () => reasonOf(tool, values) } : {}),
        ...present({ trial }),
        ...(isLoose ? { projectState: () => topFiles(resolve(ownFolder(), directory)) } : {}),
      };
    },
    // To rename a file that a program has created in a sandbox, climax needs Deno's permission to write
    permissions: () => ({ write: sandboxesOf(executor).some(({ write }) => write.length > 0) }),
    async check(tools) {
      const { checkCommands } = await import("./hazards.ts");
      return await checkCommands(tools, executor);
    },
    close: flushBackground,
  };
}

/** Finds each program at the start, so that no later call can put another one of its name first on PATH. */
function pinPrograms(tools: readonly Tool[], executor: Executor): void {
  if (executor.kind === "local") leaveOut(writableFoldersOf(tools, executor));
  const choices: ProgramChoice[] = executor.kind !== "local"
    ? [{ argv: ["docker"], env: {} }]
    : tools.map(commandSourceOf).map(({ command, env }) => ({ argv: [command[0]], env }));
  const different = new Map(choices.map((each) => [`${each.argv[0]}\0${each.env["PATH"]}`, each]));
  for (const choice of different.values()) programOf(choice);
  const loose = tools.filter(({ name }) => sandboxOf(executor, name) === undefined);
  for (const [folder, all] of Map.groupBy(loose, (tool) => commandSourceOf(tool).workingDir)) {
    const lines = all.map((tool) => buildArgv(commandSourceOf(tool), [], new Map()).argv);
    protectCommand(new Set(lines.flat().map(({ text }) => text)), folder, codeName);
  }
}

/** Matches files that interpreters run, such as scripts: calls must not overwrite those that a command names. */
const codeName =
  /\.(?:[cm]?[jt]sx?|py|rb|p[lm]|php|lua|r|awk|sed|jar|exs?|exe|ps1|bat|cmd|mk|\w{0,2}sh)$/i;

/**
 * Returns folders beside the served one in which calls may write: climax runs no program from them, as a call may have
 * put it there.
 */
function writableFoldersOf(tools: readonly Tool[], executor: Executor): string[] {
  return tools.filter(({ effect }) => effect !== "read").flatMap((tool) => {
    const { workingDir: home, sandboxRequest } = commandSourceOf(tool);
    const isSandboxed = sandboxOf(executor, tool.name) !== undefined;
    const folders = tool.args.flatMap(({ role, limits, constraint }) => {
      const within = [limits?.within, constraint?.within];
      if (role.kind === "cwd") return within.map((path) => path ?? ".");
      return isSandboxed || !changesFiles(tool) ? [] : within.filter((path) => path !== undefined);
    });
    const asked = isSandboxed
      ? sandboxRequest?.write?.filter((path) => isAbsolute(path)) ?? []
      : [];
    return [...asked, ...folders.map((path) => workingDirectory(home, path) ?? ".")];
  });
}

function locationOf(tool: Tool, values: ArgValues, executor: Executor): ExecutionLocation {
  const arg = tool.args.find(({ role }) => role.kind === "cwd");
  const value = arg === undefined ? undefined : values.get(arg.name);
  const cwd = value === undefined ? undefined : String(value);
  if (executor.kind === "local") {
    const { workingDir: home, startIn, template } = commandSourceOf(tool);
    const followsNoLinks = helpersIn(template).length > 0;
    return { home, directory: workingDirectory(home, cwd), startIn, followsNoLinks };
  }
  const home = executor.workingDir;
  return { home, directory: workingDirectory(home, cwd, posix), isElsewhere: true };
}

function buildCall(executor: Executor, tool: Tool, values: ArgValues): BuiltCall {
  const source = commandSourceOf(tool);
  const hasHelper = helpersIn(source.template).length > 0;
  const resolveDirectory = (directory: string) => {
    if (hasHelper || executor.kind !== "local") return hasHelper ? directory : ".";
    return resolve(ownFolder(), withoutLinks(workingDirectory(source.workingDir, directory)) ?? "");
  };
  const line = buildArgv(source, tool.args, withHiddenFiles(source, values), resolveDirectory);
  const input = line.stdin;
  const rules = {
    env: childEnvironment(source.env),
    timeoutMs: tool.timeoutMs,
    takings: lineTakings(tool, values),
    hidesStderr: source.hidesStderr ?? false,
    ...present({
      exitCodes: source.exitCodes,
      searches: searchesOf(tool, values),
      stdin: input?.text,
    }),
  };
  if (executor.kind !== "local") {
    const id = crypto.randomUUID();
    const { argv, shown, cleanup } = inContainer(line.argv, executor, {
      id,
      env: source.env,
      cwd: hasHelper ? undefined : line.cwd,
      hasInput: input !== undefined,
    });
    // The config limits which variables its program inherits, but not those of the `docker` client that starts it
    const invocation = { argv, ...rules, cleanup };
    return { invocation, shown: shown.map(plain), input, generated: id };
  }
  const directory = withoutLinks(workingDirectory(source.workingDir, line.cwd?.text));
  const cwd = source.startIn ?? (hasHelper ? source.workingDir : directory);
  const isMasked = line.cwd?.shown !== line.cwd?.text;
  const place = isMasked ? workingDirectory(source.workingDir, line.cwd?.shown) : directory;
  const shownCwd = source.startIn ?? place ?? cwd;
  const sandbox = sandboxOfCall(executor, tool, directory, true);
  const [program, ...words] = line.argv;
  const invocation: Invocation = {
    argv: [program.text, ...words.map(({ text }) => text)],
    ...rules,
    ...present({ sandbox, inherit: source.inheritEnv, cwd }),
  };
  const startsElsewhere = source.startIn !== undefined;
  return {
    invocation,
    shown: line.argv,
    input,
    shownCwd,
    place: startsElsewhere ? resolve(ownFolder(), place ?? "") : undefined,
  };
}

/** Returns where the links of `directory` lead, so that an approval does not hold if a link then leads elsewhere. */
function withoutLinks(directory: string | undefined): string | undefined {
  const own = directory === undefined ? undefined : realPathOf(ownFolder());
  if (directory === undefined || own === undefined) return directory;
  const written = resolve(own, directory);
  const real = realPathOf(written) ?? written;
  return real === written ? directory : real;
}

/** Adds files that climax hides, such as its audit log, to the private names that a search leaves out. */
function withHiddenFiles({ privateItems: items }: CommandSource, values: ArgValues): ArgValues {
  if (items === undefined) return values;
  // In a glob, special characters of a file name are replaced by `?`, which matches any character
  const names = pathsToRefuse(false).filter(isNear)
    .map((path) => basename(path).replaceAll(/[*?[\]{}\\!]/g, "?"));
  return new Map(
    values.entries().map(([name, value]): [string, ArgValue] => {
      const hidden = (items.get(name) ?? []).flatMap((item) => privateItems(item, names));
      return [name, hidden.length === 0 ? value : [value, ...hidden].flat()];
    }),
  );
}

function searchesOf(tool: Tool, values: ArgValues): Invocation["searches"] {
  const { privateItems: items, template } = commandSourceOf(tool);
  if (items === undefined || helpersIn(template).length > 0) return undefined;
  return tool.args.filter(isPath).flatMap(({ name }) =>
    [values.get(name) ?? []].flat().map(String)
  );
}

/** Returns why git would refuse the remote of a call even after a yes, so that no person is asked for nothing. */
async function refusalOf(invocation: Invocation): Promise<string | undefined> {
  if (!/^\S*git(?:\.exe)? (?:fetch|pull|push)\b/.test(invocation.argv.join(" "))) return undefined;
  return await (await import("../../exec/spawn.ts")).refusalOfGit(
    programOf(invocation),
    { ...invocation, agreesTo: () => true },
  );
}

export interface CommandPlan extends Plan {
  readonly invocation: Invocation;
}

/** A trial takes at most this many milliseconds, since a person waits for the question that shows it. */
const trialMs = 20_000;

function trialOf(
  tool: Tool,
  values: ArgValues,
  options: CommandRunnerOptions & { readonly executor: Executor },
): Plan["trial"] {
  const { executor } = options;
  const { display, isForeign } = commandSourceOf(tool);
  if (display === undefined) return undefined;
  const isHeld = isolatesCalls(executor, tool.name);
  if (isForeign && !isHeld) return { withheld: "nobody has accepted its config" };
  const planFor = (shown: Tool, more: ArgValues) => {
    const isSure = tool.requires === undefined && !isForeign;
    const timeoutMs = Math.min(shown.timeoutMs, trialMs);
    // A person must see the whole effect, so arguments that select lines of the output do not apply
    const args = shown.args.filter(({ role }) => role.kind !== "lines");
    return {
      ...planOf(shown, buildCall(executor, { ...shown, args, timeoutMs }, more), options),
      saidBy: isSure ? undefined : tool.owner.name,
    };
  };
  if ("arg" in display) {
    const arg = tool.args.find(({ name }) => name === display.arg);
    const isMild = tool.requires === undefined || isHeld;
    if (values.get(display.arg) === true) return isMild ? "itself" : undefined;
    if (arg?.fixed !== undefined || arg?.constraint) return;
    return isMild
      ? { ...planFor(tool, new Map([...values, [display.arg, true]])), isDryRun: true }
      : { withheld: "to tell it, the program runs code of the project" };
  }
  const place = tool.args.find(({ role }) => role.kind === "cwd");
  const { directory = "", isElsewhere } = locationOf(tool, values, executor);
  const shownValues = place === undefined || isElsewhere
    ? values
    : new Map([...values, [place.name, resolve(ownFolder(), directory)]]);
  return planFor({ ...tool, ...display }, shownValues);
}

function widerValues(tool: Tool, values: ArgValues) {
  const more = Object.entries(commandSourceOf(tool).retryWith ?? {});
  const args = more.map(([name]) => tool.args.find((arg) => arg.name === name));
  if (args.some((arg) => arg === undefined || arg.fixed !== undefined || arg.constraint)) return;
  const isWider = more.some(([name, value], at) => {
    return args[at]!.role.kind !== "lines" && values.get(name) !== value;
  });
  return isWider ? new Map([...values, ...more]) : undefined;
}

function planOf(
  tool: Tool,
  built: BuiltCall,
  options: CommandRunnerOptions,
  wider?: Invocation,
): CommandPlan {
  return {
    ok: true,
    ...present({ takeTurn: turnOf(built.invocation, tool.effect === "read") }),
    invocation: built.invocation,
    preview: showCall(built, tool),
    run: async (planOptions) => {
      const { runPlan } = await import("./_run_plan.ts");
      const runOptions = { ...options, ...planOptions };
      const { agreesTo } = planOptions;
      const invocation = { ...built.invocation, agreesTo };
      const result = await runPlan(tool, invocation, runOptions, wider);
      if (!result.isError) return result;
      return await addProgram(commandSourceOf(tool), built.invocation, result);
    },
  };
}

export function sandboxOfCall(executor: Executor, tool: Tool, cwd = "", makes = false) {
  const sandbox = sandboxOf(executor, tool.name);
  const { sandboxRequest: asked } = commandSourceOf(tool);
  if (sandbox === undefined || asked === undefined) return sandbox;
  return withRequest(sandbox, asked, resolve(ownFolder(), cwd), makes);
}

/** Returns which calls of `tool` ask a person if the policy says `confirm: outside`, and why. */
export function asksIn(executor: Executor, tool: Tool): OutsideConsent {
  return asksOutside(tool, sandboxOfCall(executor, tool, commandSourceOf(tool).workingDir));
}

function sandboxRecordOf(executor: Executor, tool: Tool): SandboxRecord | undefined {
  const sandbox = sandboxOfCall(executor, tool, commandSourceOf(tool).workingDir);
  return sandbox && describeSandbox(sandbox);
}
