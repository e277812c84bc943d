/** `climax connect`: adds climax to an MCP client's configuration, or removes it. */

import { io } from "../../io.ts";
import { harmless } from "../../text/escape.ts";
import { isAbsolute } from "node:path";
import { Argument, type Command, Option } from "@commander-js/extra-typings";
import {
  clients,
  type McpClientProgram,
  type Scope,
  scopes,
  type ServerCommand,
} from "../../setup/clients.ts";
import { ExitCode, UsageError } from "../../errors.ts";
import { say } from "../../log.ts";
import { canAsk, confirm } from "../ask.ts";
import { resultTokensOption } from "../call_options.ts";
import { coloured, label } from "../colour.ts";
import type { CommandArguments, Example } from "../command.ts";
import { configOption, configsHelp, requireSource } from "../config_words.ts";
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
import { checkStart, servedCommand } from "../served_command.ts";
import { asTyped } from "../typed_command.ts";

const names = clients.map(({ name }) => name);

export function define(command: Command) {
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
    .addOption(resultTokensOption())
    .addOption(mcpOption())
    .addOption(policyOption())
    .addOption(auditOption())
    .option("--print", "print the entry as a file of its own, and write nothing")
    .option("--remove", "remove climax")
    .option("--yes", "write without asking")
    .addOption(jsonOption());
}

export const examples: readonly Example[] = [
  ["connect", "list the clients on this system, and what they start"],
  ["connect cursor git docker", "show what would change, ask, and write it"],
  ["connect claude-code git --scope project --policy read-only.yaml", "for a folder's project"],
  ["connect codex --remove", "remove it"],
];

/** Lists clients, prints a snippet, connects, or disconnects. */
export async function run(
  ...[name, named, options]: CommandArguments<typeof define>
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
  const configs = requireSource(options.mcp, named, options.config);
  const command = servedCommand(client, configs, options);
  if (options.print) {
    const { snippet } = await import("../../setup/connect.ts");
    await print(snippet(client, command).trimEnd());
    const { placeOf } = await import("../../setup/client_places.ts");
    const path = await placeOf(client, scope, io().cwd());
    // Without a home folder, the path is unknown
    if (path !== undefined) say(`  ${label("hint", "stderr")} Add it to ${path}`);
    return ExitCode.ok;
  }
  await checkStart(configs, options);
  return await change(client, scope, yes, command);
}

/** File mode: only the owner may read and write. */
const privateMode = 0o600;

async function fileFor(client: McpClientProgram, scope: Scope) {
  const { placeOf } = await import("../../setup/client_places.ts");
  const { readClientFile, readProjectFile } = await import("../../setup/client_file.ts");
  const folder = io().cwd();
  const path = await placeOf(client, scope, folder);
  if (path !== undefined) {
    if (scope === "project") return await readProjectFile(path, folder);
    const file = await readClientFile(path);
    // A client stores credentials there sooner or later, so a new file is private
    return { ...file, mode: file.mode ?? privateMode };
  }
  if (scope === "user" && client.user !== undefined) {
    throw new UsageError("Your home folder is not known", "Set HOME");
  }
  const other = scope === "user" ? "project" : "user";
  throw new UsageError(`${client.title} has no servers of a ${scope}`, `--scope ${other}`);
}

/** Adds an entry for `command`, or without one removes the entry; shows the change and asks first. */
async function change(
  client: McpClientProgram,
  scope: Scope,
  yes: boolean,
  command: ServerCommand | undefined,
): Promise<ExitCode> {
  if (!yes && !canAsk()) {
    throw new UsageError(
      "There is no terminal to ask at",
      "--yes writes it; --print only prints it",
    );
  }
  const { backupsOf, writeClientFile } = await import("../../setup/client_file.ts");
  const { withEntry, withoutEntry } = await import("../../setup/connect.ts");
  const { isInstalled } = await import("../../setup/client_places.ts");
  const file = await fileFor(client, scope);
  const at = { client, file: file.path, text: file.text ?? "" };
  const backups = await backupsOf(file.path);
  const next = command === undefined ? withoutEntry(at, backups) : withEntry(at, command);
  if (next === undefined) {
    await print(`climax is not in ${file.path}`);
    return ExitCode.failure;
  }
  if (next === file.text) {
    await print(`${file.path} is unchanged`);
    return ExitCode.ok;
  }
  const isGone = command === undefined && next === "" && !backups.includes("");
  await showDiff(file.path, at.text, next);
  if (command !== undefined && scope === "user" && !await isInstalled(client)) {
    await print(`${label("note", "stdout")} ${client.title} does not seem to be on this system`);
  }
  if (!yes && !await confirm(isGone ? "Remove the file?" : "Write the file?")) {
    await print("Nothing was written");
    return ExitCode.failure;
  }
  const backup = await writeClientFile(file, isGone ? undefined : next);
  if (backup !== undefined) await print(`What was there before is in ${backup}`);
  await print(`${file.path} is ${isGone ? "removed" : "written"}`);
  if (command !== undefined) {
    await print(`${client.title} starts climax when it is started again`);
    const then = client.then?.[scope];
    if (then !== undefined) await print(`${label("note", "stdout")} ${then}`);
  }
  return ExitCode.ok;
}

/** Shows the changed lines only: the file may hold credentials of other servers. */
async function showDiff(path: string, before: string, after: string): Promise<void> {
  const { changeBetween } = await import("../../text/diff.ts");
  const { maskedLine } = await import("../../setup/masked_line.ts");
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
  const { findClients } = await import("../../setup/client_places.ts");
  const places = await findClients(io().cwd());
  if (json) {
    const entries = places.map(({ client, scope, path, command = null, problem }) => {
      return { client: client.name, scope, path, command, ...(problem && { problem }) };
    });
    await printJson(entries);
    return ExitCode.ok;
  }
  if (places.length === 0) {
    await print("No client was found on this system");
    const hint = asTyped(`climax connect CLIENT CONFIG, of: ${names.join(", ")}`);
    say(`  ${label("hint", "stderr")} ${hint}`);
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
  return isAbsolute(path) && path.startsWith(`${io().cwd()}/`)
    ? path.slice(io().cwd().length + 1)
    : path;
}
