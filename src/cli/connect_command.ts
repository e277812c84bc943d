/** Builds the command line by which a client starts climax, checks it, and reads and extends a present one. */

import { wordsOfOriginal } from "./_original.ts";
import { dirname, relative, resolve, sep } from "node:path";
import { io, systemPath } from "../io.ts";
import type { McpClientProgram, Scope, ServerCommand } from "../setup/clients.ts";
import { type ClimaxError, FileError, formatProblem } from "../errors.ts";
import { say } from "../log.ts";
import { isPolicyName } from "../policy/locate.ts";
import { noAudit } from "../process/environment.ts";
import { contains } from "../process/folders.ts";
import { climax, ownName, servingCommand } from "../process/own_command.ts";
import { codeSet } from "../sources/command/bundled.ts";
import { isConfigPath } from "../sources/command/locate.ts";
import { plural } from "../text/plural.ts";
import { shellWord } from "../text/shell_word.ts";
import { maxSoftMs } from "../call/background.ts";
import type { ToolFilter } from "../session/sources.ts";
import { isScript } from "../sources/scripts/script_tools.ts";
import { effectOf } from "../tool/annotations.ts";
import type { CommandTable } from "./command.ts";
import { label } from "./messages.ts";
import type { SharedFlags } from "./options.ts";
import { buildCommand } from "./program.ts";

interface ServerFlags extends Partial<Omit<SharedFlags, "policy" | "maxResultTokens">> {
  /** `false` means that there is no policy, not even the default one. */
  readonly policy?: string | false | undefined;
  readonly maxResultTokens?: number | undefined;
}

/**
 * Returns the defaults of a new entry: results cost few tokens, calls answer before clients give up, and a person is
 * asked before changes. For work in a folder (`@code`), the person is asked only before what the sandbox does not hold.
 */
function defaultsOf(
  { serverDefaults }: Pick<McpClientProgram, "serverDefaults">,
  configs: readonly string[] = [],
): ServerFlags {
  const backgroundAfter = maxSoftMs / 1000;
  const common = { results: "compact", policy: "ask", backgroundAfter } as const;
  const work = configs.includes(codeSet) ? { policy: "work", scripts: true } as const : {};
  return { ...common, ...work, ...serverDefaults };
}

/**
 * Builds the command line of `climax run` with absolute paths, as the client's working directory is unknown. The
 * defaults are those of `client`; without a client there are none.
 */
export function commandOfServing(
  client: Pick<McpClientProgram, "serverDefaults"> | undefined,
  configs: readonly string[],
  { classic, mcp = [], ...flags }: ServerFlags,
): ServerCommand {
  const servers = mcp.flatMap((file) => ["--mcp", absolute(file)]);
  const { backgroundAfter, ...common } = { ...client && defaultsOf(client, configs), ...flags };
  return [
    ...servingCommand(),
    ...configs.map((config) => isConfigPath(config) ? absolute(config) : config),
    ...(classic ? ["--classic"] : []),
    ...(backgroundAfter === undefined ? [] : ["--background-after", `${backgroundAfter}`]),
    ...commonWords(common, servers),
  ];
}

/** Builds the command line of `climax mcp` for the project whose config is `file`. */
export function agentsCommand(
  client: McpClientProgram,
  file: string,
  flags: ServerFlags,
): ServerCommand {
  return [
    ...[...servingCommand(), "mcp", absolute(file)] as const,
    ...commonWords({ ...defaultsOf(client), ...flags }),
  ];
}

/** Returns the options that `climax run` and `climax mcp` share; `more` stand in front of the policy. */
function commonWords(
  { results, policy, sandbox, scripts, audit, maxResultTokens }: ServerFlags,
  more: readonly string[] = [],
): string[] {
  return [
    ...(results === undefined ? [] : ["--results", results]),
    ...(maxResultTokens === undefined ? [] : ["--max-result-tokens", `${maxResultTokens}`]),
    ...more,
    ...(!policy ? [] : ["--policy", isPolicyName(policy) ? policy : absolute(policy)]),
    ...(sandbox ? ["--sandbox"] : []),
    ...(scripts ? ["--scripts"] : []),
    ...(audit === undefined ? [] : ["--audit", audit === noAudit ? audit : absolute(audit)]),
  ];
}

function absolute(path: string): string {
  return resolve(systemPath(path));
}

/** Checks that climax would start with these configs and flags, without starting MCP servers. @throws {ClimaxError} */
export async function checkStart(
  configs: readonly string[],
  { mcp = [], policy, audit }: ServerFlags,
): Promise<void> {
  const { loadTools } = await import("../session/load.ts");
  const { readUpstreamConfig } = await import("../sources/upstream/config.ts");
  const { readPolicy } = await import("../policy/load.ts");
  // A policy may name tools of MCP servers, which are not started here: beside servers, its rules are not checked
  const isWhole = mcp.length === 0;
  const { problems, close } = await loadTools({ configs, ...(isWhole && policy && { policy }) });
  await close();
  const read = await Promise.all([
    ...mcp.map((file) => readUpstreamConfig(file)),
    ...(!policy || isWhole ? [] : [readPolicy(policy)]),
  ]);
  const all = [...problems, ...read.flatMap((each) => each.ok ? [] : each.problems)];
  const folder = audit === undefined || audit === noAudit
    ? undefined
    : dirname(resolve(systemPath(audit)));
  if (folder !== undefined && !await Deno.stat(folder).then((it) => it.isDirectory, () => false)) {
    all.push({
      file: audit!,
      message: `Its folder does not exist: '${folder}'`,
      hint: "Create it",
    });
  }
  if (all.length > 0) throw new FileError("Nothing was written", ...all);
  for (const each of read) {
    if (each.ok && "warnings" in each) each.warnings.map(formatProblem).forEach(say);
  }
}

/** Says how many tools a client may call, how many of these ask a person first, and which programs are missing. */
export async function accessWords({ configs, options }: ServedWords): Promise<string> {
  const { loadTools } = await import("../session/load.ts");
  const { narrowToInstalled } = await import("../session/sources.ts");
  const { configProgramOf, programWarnings } = await import("../sources/command/program.ts");
  const [, policy] = options.find(([flag]) => flag === "--policy") ?? [];
  const leaveOut = narrowToInstalled({ configs });
  // Here, missing programs are reported only for configs of sets such as @dev; those of configs named alone follow
  const narrow: ToolFilter = async (loaded) => {
    const left = await leaveOut(loaded);
    const gone = new Set(left.withheld.map(({ tool }) => configProgramOf(tool)?.name));
    const message = `Not installed: ${[...gone].join(", ")}`;
    return { ...left, warnings: gone.size === 0 ? [] : [{ message }] };
  };
  const [scripts, sandbox] = ["--scripts", "--sandbox"].map((flag) =>
    options.some(([given]) => given === flag)
  );
  const { tools, executor, warnings: found, close } = await loadTools({
    ...{ configs, policy, narrow, scripts, sandbox },
  });
  await close();
  const servers = options.some(([flag]) => flag === "--mcp");
  if (tools.length === 0 && servers) return "The tools of its MCP servers, under its policy";
  const { scripting = [], others = [] } = Object.groupBy(tools, (tool) => {
    return isScript(tool) ? "scripting" : "others";
  });
  const asked = Object.groupBy(others, ({ needsConsent = false }) => `${needsConsent}`);
  const { true: asking = [], outside = [], false: free = [] } = asked;
  const reading = free.filter((tool) => effectOf(tool) === "read").length;
  const where = executor.kind === "local" && executor.sandbox ? " in a sandbox" : "";
  const rows = [
    [reading, "reads", "read"],
    [
      free.length - reading,
      `changes something${where} and does not ask you`,
      `change something${where} and do not ask you`,
    ],
    [asking.length, "asks you first", "ask you first"],
    [outside.length, "asks by its arguments", "ask by their arguments"],
    [scripting.length, "runs scripts, whose calls ask as above", "run scripts, whose calls ask so"],
  ] as const;
  const words = rows.filter(([count]) => count > 0).map(([count, one, more]) => {
    return `${count} ${count === 1 ? one : more}`;
  });
  const all = `${plural(tools.length, "tool")}${servers ? " and those of MCP servers" : ""}`;
  const access = `${all}: ${words.join("; ")}`;
  if (executor.kind !== "local") return access;
  const [warning, hint] = [label("warning", "stderr"), label("hint", "stderr")];
  const warnings = await programWarnings(tools);
  const lines = [
    ...found.map((problem) => `${warning} ${formatProblem(problem)}`),
    ...warnings.map((text) => `${warning} ${text.replace("\n", `\n  ${hint} `)}`),
  ];
  return [access, ...lines].join("\n");
}

interface ServedWords {
  readonly configs: readonly string[];
  readonly options: readonly ServedOption[];
}

type ServedOption = readonly [flag: string, value?: string];

const repeatable = new Set(["--mcp"]);

/** Reads a client's command line of climax. @throws {ClimaxError} for words that `climax run` does not take */
export async function wordsOfServing(
  command: readonly string[],
  { commands }: CommandTable,
): Promise<ServedWords> {
  const { options: known } = await buildCommand(commands.get("run")!);
  const [first, ...rest] = wordsOf(command);
  const written = first === undefined || first === "run" ? rest : [first, ...rest];
  const words = wordsOfOriginal("run", written);
  const configs: string[] = [];
  const options: ServedOption[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (!word.startsWith("-")) {
      configs.push(word);
      continue;
    }
    const [flag = word, value] = word.split(/=(.*)/s);
    const option = known.find(({ long, short }) => flag === long || flag === short);
    if (option === undefined) throw unreadable(command, word);
    const given = option.required ? value ?? words[++at] : value;
    if (option.required && given === undefined) throw unreadable(command, word);
    if (flag === "--config") configs.push(given!);
    else if (given === undefined) options.push([flag]);
    // An earlier climax wrote `--results short`, which no longer exists
    else options.push([flag, flag === "--results" && given === "short" ? "compact" : given]);
  }
  return { configs, options };
}

/**
 * Returns `command` as it is written for `scope`. The file of a project is shared: paths inside of the folder become
 * relative, and climax is started by its name if that works.
 */
export function commandFor(scope: Scope, command: ServerCommand): ServerCommand {
  if (scope === "user") return command;
  const own = servingCommand();
  const folder = io().cwd();
  const words = wordsOf(command).map((word) => {
    return contains(folder, word) ? `.${sep}${relative(folder, word)}` : word;
  });
  return [...(climax(true) === "climax" ? ["climax"] as const : own), ...words];
}

/** Joins two command lines of climax: the result serves what both serve; options of `added` win over the others. */
export function joinCommand(before: ServedWords, added: ServedWords): ServerCommand {
  const isKept = ([flag, value]: ServedOption) => {
    const same = added.options.filter(([other]) => other === flag);
    return repeatable.has(flag) ? !same.some(([, other]) => other === value) : same.length === 0;
  };
  const configs = new Set([...before.configs, ...added.configs]);
  const options = [...before.options.filter(isKept), ...added.options];
  return [...servingCommand(), ...configs, ...options.flat().filter((word) => word !== undefined)];
}

/** Lists for a person what a command line serves: configs, and files of MCP servers. */
export function contentsOf({ configs, options }: ServedWords): string[] {
  return [...configs, ...options.flatMap(([flag, value]) => flag === "--mcp" ? [value!] : [])];
}

/** Returns the words after those that start climax itself, whether this installation or another is started. */
function wordsOf(command: readonly string[]): readonly string[] {
  const own = servingCommand();
  if (own.every((word, at) => word === command[at])) return command.slice(own.length);
  // In `uvx --from climax-mcp climax`, the last of the words that name climax starts it
  const at = command.findIndex((word, index) => {
    return ownName.test(word) && !ownName.test(command[index + 1] ?? "");
  });
  if (at === -1) throw unreadable(command, command[0] ?? "");
  return command.slice(at + 1);
}

function unreadable(command: readonly string[], word: string): ClimaxError {
  const message = `The client starts '${command.map((each) => shellWord(each)).join(" ")}', ` +
    `of which '${word}' is not known`;
  const hint = "--replace writes a new entry in its place";
  return new FileError("Nothing was written", { message, hint });
}
