/** `climax connect`: climax in an MCP client's own configuration, put in or taken out. */

import { dirname, isAbsolute, resolve } from "node:path";
import { Argument, type Command, Option } from "@commander-js/extra-typings";
import {
  type Client,
  clients,
  type Scope,
  scopes,
  type ServerCommand,
} from "../../author/clients.ts";
import type { ResultFormat } from "../../catalog/compact.ts";
import { ClimaxError, ExitCode, UsageError } from "../../errors.ts";
import { say } from "../../log.ts";
import { isPolicyName } from "../../policy/locate.ts";
import { servingCommand } from "../../process/own_command.ts";
import { isConfigPath } from "../../sources/command/locate.ts";
import { canAsk, confirm } from "../ask.ts";
import { coloured, harmless, label } from "../colour.ts";
import type { Example, Words } from "../commands.ts";
import { configOption, configsHelp, somethingToLoad } from "../config_words.ts";
import {
  auditOption,
  classicOption,
  jsonOption,
  mcpOption,
  oneOf,
  policyOption,
  resultsOption,
} from "../options.ts";
import { print, printJson, printTable } from "../output.ts";

const names = clients.map(({ name }) => name);

/** The words of `climax connect`. */
export function grammar(command: Command) {
  return command
    .description("Write climax into the configuration of an MCP client; without one, list them")
    .addArgument(
      new Argument("[client]", "the client").choices(names).argParser(oneOf("The client", names)),
    )
    .argument("[config...]", configsHelp)
    .addOption(configOption())
    .addOption(
      new Option("--scope <scope>", "for you, or for this folder's project")
        .choices(scopes).argParser(oneOf("--scope", scopes)),
    )
    .addOption(classicOption())
    .addOption(resultsOption())
    .addOption(mcpOption())
    .addOption(policyOption())
    .addOption(auditOption())
    .option("--print", "print what would stand in a file of its own, and write nothing")
    .option("--remove", "take climax out again")
    .option("--yes", "write without asking")
    .addOption(jsonOption());
}

export const examples: readonly Example[] = [
  ["connect", "list the clients on this system, and what they start"],
  ["connect cursor git docker", "show what would change, ask, and write it"],
  ["connect claude-code git --scope project --policy read-only.yaml", "for a folder's project"],
  ["connect codex --remove", "take it out again"],
];

/** Lists, prints, puts in, or takes out. */
export async function action(
  ...[name, named, options]: Words<typeof grammar>
): Promise<ExitCode> {
  if (name === undefined) return await list(options.json ?? false);
  const client = clients.find((each) => each.name === name)!;
  const { scope = client.user === undefined ? "project" : "user", yes = false } = options;
  if (options.remove) {
    if (named.length > 0 || options.config !== undefined) {
      throw new UsageError("--remove takes no configs");
    }
    return await change(client, scope, yes, undefined);
  }
  const configs = somethingToLoad(options.mcp, named, options.config);
  const command = commandFor(configs, options);
  if (options.print) {
    const { snippet } = await import("../../author/connect.ts");
    await print(snippet(client, command).trimEnd());
    const { placeOf } = await import("../../author/client_look.ts");
    const path = await placeOf(client, scope, Deno.cwd());
    // Without a home nobody knows
    if (path !== undefined) say(`  ${label("hint", "stderr")} It belongs into ${path}`);
    return ExitCode.ok;
  }
  await checkStart(configs, options);
  return await change(client, scope, yes, command);
}

/** What a server may be given besides configs. */
interface ServerFlags {
  readonly classic?: true | undefined;
  readonly results?: ResultFormat | undefined;
  readonly mcp?: readonly string[] | undefined;
  readonly policy?: string | undefined;
  readonly audit?: string | undefined;
}

/** The command line, files by their whole paths: who knows where a client starts it. */
function commandFor(
  configs: readonly string[],
  { classic, results, mcp = [], policy, audit }: ServerFlags,
): ServerCommand {
  return [
    ...servingCommand(),
    ...configs.map((config) => isConfigPath(config) ? resolve(config) : config),
    ...(classic ? ["--classic"] : []),
    ...(results === undefined ? [] : ["--results", results]),
    ...mcp.flatMap((file) => ["--mcp", resolve(file)]),
    ...(policy === undefined ? [] : ["--policy", isPolicyName(policy) ? policy : resolve(policy)]),
    ...(audit === undefined ? [] : ["--audit", resolve(audit)]),
  ];
}

/** Refuses what would not start; servers behind it are not started for that. */
async function checkStart(
  configs: readonly string[],
  { mcp = [], policy, audit }: ServerFlags,
): Promise<void> {
  const { loadTools } = await import("../../loading.ts");
  const { readUpstreamConfig } = await import("../../sources/upstream/config.ts");
  const { readPolicy } = await import("../../policy/load.ts");
  // What tools a policy names is known only with the tools of servers
  const isWhole = mcp.length === 0;
  const { problems, close } = await loadTools({ configs, ...(isWhole && { policy }) });
  await close();
  const read = await Promise.all([
    ...mcp.map((file) => readUpstreamConfig(file)),
    ...(policy === undefined || isWhole ? [] : [readPolicy(policy)]),
  ]);
  const all = [...problems, ...read.flatMap((each) => each.ok ? [] : each.problems)];
  const folder = audit === undefined ? undefined : dirname(resolve(audit));
  if (folder !== undefined && !await Deno.stat(folder).then((it) => it.isDirectory, () => false)) {
    all.push({ file: audit!, message: `Its folder is not there: '${folder}'`, hint: "Make it" });
  }
  if (all.length > 0) throw new ClimaxError("Nothing was written", ExitCode.file, all);
}

async function fileFor(client: Client, scope: Scope) {
  const { placeOf } = await import("../../author/client_look.ts");
  const { readClientFile, readProjectFile } = await import("../../author/client_file.ts");
  const folder = Deno.cwd();
  const path = await placeOf(client, scope, folder);
  if (path !== undefined) {
    return scope === "project" ? await readProjectFile(path, folder) : await readClientFile(path);
  }
  if (scope === "user" && client.user !== undefined) {
    throw new UsageError("Your home folder is not known", "Set HOME");
  }
  const other = scope === "user" ? "project" : "user";
  throw new UsageError(`${client.title} has no servers of a ${scope}`, `--scope ${other}`);
}

/** Puts `command` in, or takes the entry out where there is none; shown and asked first. */
async function change(
  client: Client,
  scope: Scope,
  yes: boolean,
  command: ServerCommand | undefined,
): Promise<ExitCode> {
  if (!yes && !canAsk()) {
    throw new UsageError(
      "There is nobody to ask",
      "--yes writes it; --print only shows what it is",
    );
  }
  const { backupsOf, writeClientFile } = await import("../../author/client_file.ts");
  const { withEntry, withoutEntry } = await import("../../author/connect.ts");
  const { isInstalled } = await import("../../author/client_look.ts");
  const file = await fileFor(client, scope);
  const at = { client, file: file.path, text: file.text ?? "" };
  const backups = await backupsOf(file.path);
  const next = command === undefined ? withoutEntry(at, backups) : withEntry(at, command);
  if (next === undefined) {
    await print(`climax is not in ${file.path}`);
    return ExitCode.no;
  }
  if (next === file.text) {
    await print(`${file.path} is as it was`);
    return ExitCode.ok;
  }
  const isGone = command === undefined && next === "" && !backups.includes("");
  await showDiff(file.path, at.text, next);
  if (command !== undefined && scope === "user" && !await isInstalled(client)) {
    await print(`${label("note", "stdout")} ${client.title} does not seem to be on this system`);
  }
  if (!yes && !await confirm(isGone ? "Remove the file?" : "Write the file?")) {
    await print("Nothing was written");
    return ExitCode.no;
  }
  const backup = await writeClientFile(file, isGone ? undefined : next);
  if (backup !== undefined) await print(`What was there before is in ${backup}`);
  await print(`${file.path} is ${isGone ? "removed" : "written"}`);
  if (command !== undefined) await print(`${client.title} starts climax when it is started again`);
  return ExitCode.ok;
}

/** What changes and nothing around it, since the file may hold credentials of other servers. */
async function showDiff(path: string, before: string, after: string): Promise<void> {
  const { changeBetween } = await import("../../text/diff.ts");
  const { maskedLine } = await import("../../author/masked_line.ts");
  const { line, gone, come } = changeBetween(before, after);
  await print(`${path}:${line}:`);
  const show = async (mark: string, text: string) => {
    const lines = text.replace(/^\r?\n|\r?\n$/g, "");
    for (const each of lines === "" ? [] : lines.split(/\r?\n/)) {
      const line = harmless(`${mark} ${maskedLine(each)}`.trimEnd());
      await print(coloured(line, mark === "-" ? "red" : "green", "stdout"));
    }
  };
  await show("-", gone);
  await show("+", come);
}

async function list(json: boolean): Promise<ExitCode> {
  const { lookAtClients } = await import("../../author/client_look.ts");
  const places = await lookAtClients(Deno.cwd());
  if (json) {
    const entries = places.map(({ client, scope, path, command = null, problem }) => {
      return { client: client.name, scope, path, command, ...(problem && { problem }) };
    });
    await printJson(entries);
    return ExitCode.ok;
  }
  if (places.length === 0) {
    await print("No client was found on this system");
    say(`  ${label("hint", "stderr")} climax connect CLIENT CONFIG, of: ${names.join(", ")}`);
    return ExitCode.ok;
  }
  const rows = places.map(({ client, scope, path, command, problem }) => {
    const state = problem !== undefined ? "cannot be read" : command === undefined ? "" : "yes";
    return [client.name, scope, state, shortened(path)];
  });
  const below = places.map(({ command, problem }) => {
    return problem !== undefined ? [problem] : command === undefined ? [] : [command.join(" ")];
  });
  await printTable(["CLIENT", "SCOPE", "CLIMAX", "FILE"], rows, below);
  return ExitCode.ok;
}

function shortened(path: string): string {
  return isAbsolute(path) && path.startsWith(`${Deno.cwd()}/`)
    ? path.slice(Deno.cwd().length + 1)
    : path;
}
