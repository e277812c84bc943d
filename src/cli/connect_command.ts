/** Builds and checks the command line by which an MCP client starts climax, and extends the one in a client's file. */

import { label } from "./output.ts";
import { wordsOfOriginal } from "./_original.ts";
import { dirname, relative, resolve, sep } from "node:path";
import { io, systemPath } from "../io.ts";
import type { McpClientProgram, Scope, ServerCommand } from "../setup/clients.ts";
import { parseArgs } from "node:util";
import { type ClimaxError, FileError, formatProblem, messageOf } from "../errors.ts";
import { say } from "../log.ts";
import { isPolicyName } from "../policy/locate.ts";
import { confirmationWords } from "../policy/policy_file.ts";
import { noAudit } from "../process/environment.ts";
import { contains, statOf } from "../process/folders.ts";
import { climax, ownName, servingCommand } from "../process/own_command.ts";
import { codeSet } from "../sources/command/bundled.ts";
import { isConfigPath } from "../sources/command/locate.ts";
import { shellWord } from "../text/shell_word.ts";
import { maxSoftMs } from "../call/background.ts";
import type { ToolFilter } from "../session/sources.ts";
import type { CommandTable } from "./command.ts";
import type { SharedFlags } from "./options.ts";
import { buildCommand } from "./program.ts";

interface ServerFlags extends Partial<Omit<SharedFlags, "policy" | "maxResultTokens">> {
  /** `false` means that there is no policy, not even the default one. */
  readonly policy?: string | false | undefined;
  readonly maxResultTokens?: number | undefined;
}

function defaultsOf(
  { serverDefaults }: Pick<McpClientProgram, "serverDefaults">,
  configs: readonly string[] = [],
): ServerFlags {
  const backgroundAfter = maxSoftMs / 1000;
  const common = { results: "compact", policy: "ask", backgroundAfter } as const;
  const work = configs.includes(codeSet) ? { policy: "work", scripts: true } as const : {};
  return { ...common, ...work, ...serverDefaults };
}

/** Makes paths absolute, because the directory in which the client will start climax is unknown. */
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
  const isWhole = mcp.length === 0;
  const { problems, close } = await loadTools({ configs, ...(isWhole && policy && { policy }) });
  await close();
  const read = await Promise.all([
    ...mcp.map((file) => readUpstreamConfig(file)),
    ...(!policy || isWhole ? [] : [readPolicy(policy)]),
  ]);
  const all = [...problems, ...read.flatMap((each) => each.ok ? [] : each.problems)];
  const folder = dirname(absolute(audit ?? "."));
  if (audit !== undefined && audit !== noAudit && !statOf(folder)?.isDirectory) {
    const message = `Its folder does not exist: '${folder}'`;
    all.push({ file: audit, message, hint: "Create it" });
  }
  if (all.length > 0) throw new FileError("Nothing was written", ...all);
  for (const each of read) {
    if (each.ok && "warnings" in each) each.warnings.map(formatProblem).forEach(say);
  }
}

export async function accessWords({ configs, options }: ServedWords): Promise<string> {
  const { loadTools } = await import("../session/load.ts");
  const { narrowToInstalled } = await import("../session/sources.ts");
  const { configProgramOf, programWarnings } = await import("../sources/command/program.ts");
  const [, policy] = options.find(([flag]) => flag === "--policy") ?? [];
  const has = (flag: string) => options.some(([given]) => given === flag);
  const leaveOut = narrowToInstalled({ configs });
  const narrow: ToolFilter = async (loaded) => {
    const left = await leaveOut(loaded);
    const gone = new Set(left.withheld.map(({ tool }) => configProgramOf(tool)?.name));
    const message = `Not installed: ${[...gone].join(", ")}`;
    return { ...left, warnings: gone.size === 0 ? [] : [{ message }] };
  };
  const [scripts, sandbox] = [has("--scripts"), has("--sandbox")];
  const { tools, executor, warnings, close } = await loadTools({
    ...{ configs, policy, narrow, scripts, sandbox },
  });
  await close();
  const servers = has("--mcp");
  if (tools.length === 0 && servers) return "The tools of its MCP servers, under its policy";
  const found = executor.kind === "local" ? await programWarnings(tools) : [];
  const [warning, hint] = [label("warning", "stderr"), label("hint", "stderr")];
  const access = confirmationWords(tools, policy);
  return [
    servers ? `${access}; and tools of MCP servers` : access,
    ...warnings.map((problem) => `${warning} ${formatProblem(problem)}`),
    ...found.map((text) => `${warning} ${text.replace("\n", `\n  ${hint} `)}`),
  ].join("\n");
}

interface ServedWords {
  readonly configs: readonly string[];
  readonly options: readonly ServedOption[];
}

type ServedOption = readonly [flag: string, value?: string];

const repeatable = new Set(["--mcp"]);

export async function wordsOfServing(
  command: readonly string[],
  { commands }: CommandTable,
): Promise<ServedWords> {
  const { options: known } = await buildCommand(commands.get("run")!);
  const [first, ...rest] = wordsOf(command);
  const written = first === undefined || first === "run" ? rest : [first, ...rest];
  const args = [...wordsOfOriginal("run", written)];
  const types = known.map(({ long, short, required }) => {
    const type = required ? "string" as const : "boolean" as const;
    return [long!.slice(2), { type, ...(short && { short: short.slice(1) }) }];
  });
  const configs: string[] = [];
  const options: ServedOption[] = [];
  try {
    const spec = { args, options: Object.fromEntries(types), allowPositionals: true };
    for (const token of parseArgs({ ...spec, tokens: true }).tokens) {
      if (token.kind === "positional") configs.push(token.value);
      else if (token.kind === "option" && token.name === "config") configs.push(token.value!);
      else if (token.kind === "option") {
        options.push(token.value === undefined ? [token.rawName] : [token.rawName, token.value]);
      }
    }
  } catch (error) {
    throw unreadable(command, messageOf(error));
  }
  return { configs, options };
}

/** In a project's file, which people share, paths become relative, and climax is started by its name if possible. */
export function commandFor(scope: Scope, command: ServerCommand): ServerCommand {
  if (scope === "user") return command;
  const own = servingCommand();
  const folder = io().cwd();
  const words = wordsOf(command).map((word) => {
    return contains(folder, word) ? `.${sep}${relative(folder, word)}` : word;
  });
  return [...(climax(true) === "climax" ? ["climax"] as const : own), ...words];
}

export function joinCommand(before: ServedWords, added: ServedWords): ServerCommand {
  const isKept = ([flag, value]: ServedOption) => {
    const same = added.options.filter(([other]) => other === flag);
    return repeatable.has(flag) ? !same.some(([, other]) => other === value) : same.length === 0;
  };
  const configs = new Set([...before.configs, ...added.configs]);
  const options = [...before.options.filter(isKept), ...added.options];
  return [...servingCommand(), ...configs, ...options.flat().filter((word) => word !== undefined)];
}

function wordsOf(command: readonly string[]): readonly string[] {
  const own = servingCommand();
  if (own.every((word, at) => word === command[at])) return command.slice(own.length);
  const at = command.findIndex((word, index) => {
    return ownName.test(word) && !ownName.test(command[index + 1] ?? "");
  });
  if (at === -1) throw unreadable(command, "no word names climax");
  return command.slice(at + 1);
}

function unreadable(command: readonly string[], reason: string): ClimaxError {
  const line = command.map((each) => shellWord(each)).join(" ");
  const message = `The client starts '${line}', which is not understood: ${reason}`;
  const hint = "--replace writes a new entry in its place";
  return new FileError("Nothing was written", { message, hint });
}
