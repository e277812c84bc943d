/** `climax connect`: adds climax to an MCP client's configuration, or removes it. */

import { io } from "../../io.ts";
import { sep } from "node:path";
import { Argument, type Command } from "@commander-js/extra-typings";
import {
  clientNames,
  clients,
  type McpClientProgram,
  type Scope,
  scopes,
} from "../../setup/clients.ts";
import { ExitCode, UsageError } from "../../errors.ts";
import { say } from "../../log.ts";
import { climax, isFleeting } from "../../process/own_command.ts";
import {
  choiceOption,
  oneOf,
  resultsOption,
  resultTokensOption,
  sharedOptions,
  withOptions,
} from "../options.ts";
import { requireAnswer } from "../ask.ts";
import type { CommandArguments, Example } from "../command.ts";
import { configsHelp, requireSource, withDefaultConfigs } from "../config_words.ts";
import type { ClientPlaceName } from "../connect_client.ts";
import { optionOf } from "../http_options.ts";
import { label, print, printJson, printTable, sayHint } from "../output.ts";
import {
  accessWords,
  agentsCommand,
  checkStart,
  commandFor,
  commandOfServing,
  wordsOfServing,
} from "../connect_command.ts";
import { codeSet, configSets, filesAsking } from "../../sources/command/bundled.ts";
import { shortPath } from "../../process/folders.ts";

export function define(command: Command) {
  return withOptions(
    command
      .description(
        "Write climax into the configuration of an MCP client; without a client, list them; without a config, propose @code",
      )
      .addArgument(
        new Argument("[client]", "the client").choices(clientNames)
          .argParser(oneOf("The client", clientNames)),
      )
      .argument("[config...]", configsHelp)
      .addOption(choiceOption("--scope <scope>", "for you, or for this folder's project", scopes))
      .addOption(resultsOption("compact"))
      .addOption(resultTokensOption())
      .addOption(sharedOptions().policy)
      .option(
        "--no-policy",
        "name no policy: only tools that say they write ask (default: --policy ask, with @code work)",
      )
      .option("--print", "print the entry as a file of its own, and write nothing")
      .option("--replace", "replace what climax serves there instead of adding to it")
      .option("--adopt", "move the client's other servers behind climax; --remove moves them back")
      .option("--agents", `serve the groups of a project as sub-agents, as ${climax()} mcp does`)
      .option("--remove", "remove climax, and put back what --adopt moved"),
    ...["config", "mcp", "classic", "sandbox", "audit", "yes", "json"] as const,
  );
}

export const examples: readonly Example[] = [
  ["connect", "list the clients on this system, and what they start"],
  ["connect cursor", "propose @code, the work in this folder, and ask"],
  ["connect cursor git docker", "show what would change, ask, and write it"],
  ["connect claude-code git --scope project --policy readonly", "for a folder's project"],
  ["connect cursor npm", "add another config to what climax serves there"],
  ["connect cursor git --adopt", "serve git, and the servers that Cursor starts itself so far"],
  ["connect cursor --agents", "serve a project's groups, in an entry of its own"],
  ["connect codex --remove", "remove it"],
];

export async function run(...[name, named, options, , table]: CommandArguments<typeof define>) {
  if (name === undefined) {
    const { json = false, ...others } = options;
    const [option] = Object.keys(others);
    if (option === undefined) return await list(json);
    const flag = optionOf(option);
    throw new UsageError(`${flag} needs a client`, `${climax()} connect CLIENT ${flag}`);
  }
  if (isFleeting(io().mainModule) && options.remove !== true) {
    say(`${label("warning", "stderr")} npx starts programs of the folder that a client opens`);
    sayHint(`npm install -g climax-mcp, then ${climax()} connect ${name} …`);
  }
  const client = clients.find((each) => each.name === name)!;
  const { scope = client.user === undefined ? "project" : "user", yes = false } = options;
  const { remove, adopt, agents, replace, config } = options;
  if ((remove || agents) && (named.length > 0 || config !== undefined)) {
    throw new UsageError(`--${remove ? "remove" : "agents"} takes no configs`);
  }
  if (adopt && (remove || agents || options.print)) {
    throw new UsageError("--adopt excludes --remove, --agents and --print");
  }
  const entry = agents ? "climax-agents" : "climax";
  const place = { client, scope, entry } as const;
  if (remove) {
    requireAnswer(yes, "--yes writes without asking; --print only shows the entry");
    const { disconnect } = await import("../connect_client.ts");
    return await disconnect(place, yes);
  }
  const connection = await connectionOf(place, named, options);
  // Files that are only shown with `--print` need not exist yet
  const { connect, refuseOwnFile } = await import("../connect_client.ts");
  if (!agents) await refuseOwnFile(place, connection.fresh, table);
  if (!agents) await checkStart(connection.configs, options.print ? {} : options);
  if (options.print) {
    const { snippet } = await import("../../setup/connect.ts");
    await print(snippet(client, connection.fresh, entry).trimEnd());
    const { clientPlaceOf } = await import("../../setup/client_file.ts");
    const path = await clientPlaceOf(client, scope, io().cwd());
    if (path !== undefined) sayHint(`Add it to ${path}`);
    if (!agents) say(await accessWords(await wordsOfServing(connection.fresh, table)));
    return ExitCode.ok;
  }
  requireAnswer(yes, "--yes writes without asking; --print only shows the entry");
  const dropsPolicy = options.policy === false;
  return await connect(place, { ...connection, table, yes, replace, dropsPolicy, adopt });
}

async function connectionOf(
  { client, scope, entry }: ClientPlaceName,
  named: readonly string[],
  options: ConnectOptions,
) {
  if (entry === "climax-agents") {
    const { defaultProjectFile } = await import("../project_file.ts");
    const { openProject } = await import("../project.ts");
    const [file = await defaultProjectFile(), another] = options.mcp ?? [];
    if (another !== undefined) throw new UsageError("--agents serves one project, not two");
    await openProject(file);
    const fresh = commandFor(scope, agentsCommand(client, file, options));
    return { configs: [], fresh, added: fresh };
  }
  const asked = [...named, ...options.config ?? []];
  const isJoined = asked.length === 0 && !options.print &&
    (options.adopt || !options.replace && await isConnected(client, scope));
  const usual = withDefaultConfigs(asked);
  const isProposed = !isJoined && usual.length === 0 && options.mcp === undefined;
  if (isProposed) say(proposal());
  const configs = isJoined ? [] : isProposed ? [codeSet] : requireSource(options.mcp, asked);
  const fresh = commandFor(scope, commandOfServing(client, configs, options));
  const added = commandFor(scope, commandOfServing(undefined, configs, options));
  return { configs, fresh, added };
}

function proposal(): string {
  const more = filesAsking().entries().map(([config, file]) => `${config} (${file})`).toArray();
  return `Proposed for the work in a folder: ${codeSet}, which is\n` +
    `  ${configSets.get(codeSet)!.join(", ")}\n` +
    `  and what a folder has files for, here ${more.join(", ") || "nothing"}`;
}

type ConnectOptions = CommandArguments<typeof define>[2];

async function isConnected(client: McpClientProgram, scope: Scope): Promise<boolean> {
  const { clientText } = await import("../connect_client.ts");
  const { commandOfConnected } = await import("../../setup/connect.ts");
  const { at } = await clientText({ client, scope, entry: "climax" });
  return commandOfConnected(at) !== undefined;
}

async function list(json: boolean): Promise<ExitCode> {
  const { findClients } = await import("../../setup/client_file.ts");
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
    sayHint(`${climax()} connect CLIENT CONFIG, of: ${clientNames.join(", ")}`);
    return ExitCode.ok;
  }
  const here = `${io().cwd()}${sep}`;
  const rows = places.map(({ client, scope, path, command, problem }) => {
    const state = problem !== undefined ? "cannot be read" : command === undefined ? "no" : "yes";
    const file = path.startsWith(here) ? path.slice(here.length) : shortPath(path);
    return [client.name, scope, state, file];
  });
  const below = places.map(({ command, problem }) => [problem ?? command?.join(" ") ?? []].flat());
  await printTable(["CLIENT", "SCOPE", "CLIMAX", "FILE"], rows, below);
  return ExitCode.ok;
}
