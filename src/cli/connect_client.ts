/** Puts climax into the file of an MCP client, moves the client's servers behind climax, and undoes both. */

import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { io, systemPath } from "../io.ts";
import { realPathOf } from "../process/folders.ts";
import { ExitCode, UsageError } from "../errors.ts";
import { writeWhole } from "../files/write_file.ts";
import {
  type AdoptedServers,
  pathToAdopt,
  planAdoption,
  readAdopted,
  variablesOfAdopted,
  withAdopted,
} from "../setup/adopt.ts";
import {
  backupOf,
  type BackupStep,
  type ClientFile,
  clientPlaceOf,
  isInstalled,
  readClientFile,
  readProjectFile,
  removeWithFolders,
} from "../setup/client_file.ts";
import type { EntryName, McpClientProgram, Scope, ServerCommand } from "../setup/clients.ts";
import { type ClientText, commandOfConnected, withEntry, withoutEntry } from "../setup/connect.ts";
import { dialectOf, otherKeys } from "../sources/upstream/foreign/dialects.ts";
import { parseClientFile, readSettingsOf } from "../sources/upstream/foreign/settings.ts";
import { plural } from "../text/plural.ts";
import { changeFile } from "./change_file.ts";
import type { CommandTable } from "./command.ts";
import { printNote, printText, sayHint } from "./output.ts";
import { accessWords, commandFor, joinCommand, wordsOfServing } from "./connect_command.ts";
import { climax } from "../process/own_command.ts";

export interface ClientPlaceName {
  readonly client: McpClientProgram;
  readonly scope: Scope;
  readonly entry: EntryName;
}

interface Connection {
  readonly configs: readonly string[];
  readonly fresh: ServerCommand;
  readonly added: ServerCommand;
  readonly table: CommandTable;
  readonly yes: boolean;
  readonly replace?: boolean | undefined;
  readonly dropsPolicy?: boolean | undefined;
  readonly adopt?: boolean | undefined;
}

export async function connect(place: ClientPlaceName, connection: Connection): Promise<ExitCode> {
  const { client, scope } = place;
  const { file, at } = await clientText(place);
  const path = pathToAdopt(client, scope);
  const before = path === undefined ? undefined : await readAdopted(path);
  const settings = connection.adopt ? await settingsOf(place, at) : undefined;
  const plan = connection.adopt ? planAdoption(at, before, settings?.say) : undefined;
  const adoption = plan?.names.length === 0 ? undefined : plan;
  if (plan !== undefined) {
    for (const [name, reason] of plan.left) {
      await printNote(`'${name}' stays where it is: ${reason}`);
    }
    for (const [name, note] of plan.notes) await printNote(`'${name}': ${note}`);
    for (const key of settings?.others ?? []) await printNote(`climax does not use '${key}'`);
    await printText(
      adoption === undefined
        ? `${client.title} has no server that could be moved`
        : `Moved behind climax: ${adoption.names.join(", ")}`,
    );
    const { configs, added } = connection;
    const isNamed = configs.length > 0 || added.includes("--mcp");
    if (adoption === undefined && !isNamed) return ExitCode.failure;
  }
  const mcp = adoption === undefined ? [] : ["--mcp", resolve(systemPath(path!))];
  const command = commandFor(scope, await commandOf(place, at, connection, mcp));
  await refuseOwnFile(place, command, connection.table);
  const adopted = adoption?.adopted ?? before;
  const variables = adopted === undefined ? [] : variablesOfAdopted(adopted);
  const next = withEntry({ ...at, text: adoption?.text ?? at.text }, command, variables);
  if (next === file.text) {
    await printText(`${file.path} is unchanged`);
    return ExitCode.ok;
  }
  if (scope === "user" && !isInstalled(client)) {
    await printNote(`${client.title} does not seem to be on this system`);
  }
  if (place.entry === "climax") {
    const access = await accessWords(await wordsOfServing(command, connection.table));
    await printText(access.split("\n"));
  }
  const change = { file, next, backup: backupStep(at, before) };
  const isWritten = await changeFile(change, connection.yes, async () => {
    const root = scope === "project" ? { root: "." } : {};
    // The backup and the adopted servers may contain credentials, so git must ignore them
    const isCopied = adoption !== undefined || file.text !== undefined;
    if (scope === "project" && isCopied) await writeWhole(ignoreFile(path!), "*\n", root);
    if (adoption === undefined) return;
    await writeWhole(path!, `${JSON.stringify(adoption.adopted, null, 2)}\n`, {
      mode: privateMode,
      ...root,
    });
  });
  if (!isWritten) return ExitCode.failure;
  if (adoption !== undefined) await tellAdopted(place, path!);
  await printText(`Restart ${client.title} to load climax`);
  if (!command.join(" ").includes("--audit off")) sayHint(`${climax()} log shows what it calls`);
  if (scope === "project" && isAbsolute(command[0])) {
    const [program] = command;
    await printNote(
      `The entry names '${program}', which is on this computer: for others, put climax on PATH and connect again`,
    );
  }
  const then = client.then?.[scope];
  if (then !== undefined) await printNote(then);
  return ExitCode.ok;
}

/** Removes the entry of climax from a client's file, and puts back the servers that `connect` has moved. */
export async function disconnect(place: ClientPlaceName, yes: boolean): Promise<ExitCode> {
  const { client, scope, entry } = place;
  const { file, at } = await clientText(place);
  const backup = await backupOf(file);
  const path = pathToAdopt(client, scope);
  const moved = path === undefined ? undefined : await readAdopted(path);
  const adopted = entry === "climax" ? moved : undefined;
  const next = adopted === undefined ? withoutEntry(at, backup) : withAdopted(at, adopted, backup);
  if (next === undefined) {
    await printText(`climax is not in ${file.path}`);
    return ExitCode.failure;
  }
  const isGone = next === "" && backup !== "";
  const other = entry === "climax" ? "climax-agents" : "climax";
  const isLast = commandOfConnected({ ...at, text: next, name: other }) === undefined;
  const step = isLast ? "remove" : "keep";
  const change = { file, next: isGone ? undefined : next, backup: step } as const;
  if (!await changeFile(change, yes)) return ExitCode.failure;
  if (adopted !== undefined) {
    await removeWithFolders(path!);
    const names = Object.keys(adopted.written);
    await printText(`${plural(names.length, "server")} put back: ${names.join(", ")}`);
  }
  if (scope === "project" && isLast && moved === adopted) {
    await removeWithFolders(ignoreFile(path!)).catch(() => {});
  }
  return ExitCode.ok;
}

export async function clientText({ client, scope, entry }: ClientPlaceName) {
  const file = await fileFor(client, scope);
  return { file, at: { client, file: file.path, text: file.text ?? "", name: entry } };
}

async function settingsOf({ client, scope }: ClientPlaceName, { file, text }: ClientText) {
  const parsed = await parseClientFile(file, text);
  const own = "value" in parsed ? { path: file, value: parsed.value } : undefined;
  const folder = scope === "project" ? io().cwd() : undefined;
  const say = await readSettingsOf(dialectOf(client.name), folder, own);
  return { say, others: otherKeys(file, own?.value, client.key) };
}

/**
 * Refuses to let climax load servers from the file of the client that starts climax: climax would start itself.
 * @throws {UsageError}
 */
export async function refuseOwnFile(
  { client, scope }: ClientPlaceName,
  command: ServerCommand,
  table: CommandTable,
): Promise<void> {
  const path = clientPlaceOf(client, scope, io().cwd());
  const { options } = await wordsOfServing(command, table);
  const real = (file: string) => realPathOf(file) ?? resolve(systemPath(file));
  const own = options.find(([flag, file]) => {
    return flag === "--mcp" && path !== undefined && real(file!) === real(path);
  });
  if (own === undefined) return;
  throw new UsageError(
    `climax would start itself: '${own[1]}' is the file of ${client.title} that starts it`,
    `${connectLine(client, scope)} --adopt moves its servers behind climax`,
  );
}

function connectLine({ name }: McpClientProgram, scope: Scope): string {
  return `${climax()} connect ${name}${scope === "user" ? "" : ` --scope ${scope}`}`;
}

const privateMode = 0o600;
async function fileFor(client: McpClientProgram, scope: Scope): Promise<ClientFile> {
  const folder = io().cwd();
  const path = clientPlaceOf(client, scope, folder);
  if (path !== undefined) {
    if (scope === "project") {
      // git could commit a backup beside the file, so it lies in the folder of adopted servers, which git ignores
      const backup = join(folder, dirname(pathToAdopt(client, scope)!), basename(path));
      return { ...await readProjectFile(path, folder), backup };
    }
    const file = await readClientFile(path);
    // A client may store credentials in its file at any time, so a new file is readable by its owner only
    return { ...file, mode: file.mode ?? privateMode };
  }
  if (scope === "user" && client.user !== undefined) {
    throw new UsageError("Your home folder is not known", "Set HOME");
  }
  const other = scope === "user" ? "project" : "user";
  throw new UsageError(`${client.title} has no servers of a ${scope}`, `--scope ${other}`);
}

async function commandOf(
  { entry }: ClientPlaceName,
  at: ClientText,
  { fresh, added, replace, dropsPolicy, table }: Connection,
  mcp: readonly string[],
): Promise<ServerCommand> {
  const current = commandOfConnected(at);
  if (current === undefined || replace || entry !== "climax") return [...fresh, ...mcp];
  const before = await wordsOfServing(current, table);
  const more = await wordsOfServing([...added, ...mcp], table);
  const kept = before.options.filter(([flag]) => !dropsPolicy || flag !== "--policy");
  return joinCommand({ ...before, options: kept }, more);
}

function backupStep(at: ClientText, adopted: AdoptedServers | undefined): BackupStep {
  const names = ["climax", "climax-agents"] as const;
  const isIn = names.some((name) => commandOfConnected({ ...at, name }) !== undefined);
  return isIn || adopted !== undefined ? "keep" : "write";
}

function ignoreFile(path: string): string {
  return join(dirname(path), ".gitignore");
}

async function tellAdopted({ client, scope }: ClientPlaceName, path: string): Promise<void> {
  await printText([
    `The servers are in ${path}, with their credentials; climax starts them`,
    `To accept what they say: ${climax()} trust --all --mcp ${path}`,
    `To go back: ${connectLine(client, scope)} --remove`,
  ]);
}
