/** `climax trust`: shows the tools of MCP servers, or a config of the project, and accepts them. */

import type { Command } from "@commander-js/extra-typings";
import type { ServerSpec } from "../../sources/upstream/spec.ts";
import { ClimaxError, ExitCode, messageOf, UsageError } from "../../errors.ts";
import { plural } from "../../text/plural.ts";
import { canAsk, confirm } from "../ask.ts";
import type { CommandArguments, Example } from "../command.ts";
import { label } from "../colour.ts";
import { mcpOption, repeated } from "../options.ts";
import { print } from "../output.ts";
import { readTextFile } from "../../files/text_file.ts";
import { isProjectConfig, ownConfig, projectConfigs } from "../../sources/command/own_configs.ts";
import { showHidden, visible } from "../../text/escape.ts";
import { refuseUnknownServers, serversFile } from "../servers_file.ts";
import { ownProperty } from "../../text/own_property.ts";

export function define(command: Command) {
  return command
    .description(
      "Show what MCP servers say of their tools, and accept it in .tamamo-x/lock.json; or a project's config",
    )
    .argument("[server...]", "names of servers")
    .option("--all", "every server")
    .option(
      "--project <config>",
      `a config in ${projectConfigs} of this folder, by name: it may then hide others (repeatable)`,
      repeated,
    )
    .addOption(mcpOption())
    .option("--yes", "accept without asking");
}

export const examples: readonly Example[] = [
  ["trust --all", "look at every server of the project for the first time"],
  ["trust github --yes", "accept what one server has changed"],
  [
    "trust --project git",
    `read and accept ${projectConfigs}/git.yaml, which hides the bundled one`,
  ],
];

/** Shows and accepts; 0 when everything is accepted in the end. */
export async function run(
  ...[names, options]: CommandArguments<typeof define>
): Promise<ExitCode> {
  const { all = false, yes = false, mcp, project } = options;
  if (project !== undefined) {
    if (names.length > 0 || all || mcp !== undefined) {
      throw new UsageError(
        "--project and servers exclude each other",
        "Accept them one after the other",
      );
    }
    return await trustConfigs(project, yes);
  }
  if (names.length === 0 && !all) {
    throw new UsageError("No server is named", "climax trust SERVER, or climax trust --all");
  }
  const files = mcp ?? [await serversFile()];
  const configs = await Promise.all(files.map(read));
  refuseUnknownServers(names, configs.flatMap(({ servers }) => servers.map(({ name }) => name)));
  let exitCode: ExitCode = ExitCode.ok;
  for (const { file, servers, lock } of configs) {
    const chosen = all ? servers : servers.filter(({ name }) => names.includes(name));
    if (!await trust(file, chosen, lock, yes)) exitCode = ExitCode.failure;
  }
  return exitCode;
}

async function read(file: string) {
  const { readUpstreamConfig } = await import("../../sources/upstream/config.ts");
  const { readLock } = await import("../../sources/upstream/lock.ts");
  const config = await readUpstreamConfig(file);
  if (!config.ok) throw new ClimaxError("No server was asked", ExitCode.file, config.problems);
  const lock = await readLock(file);
  if (!lock.ok) throw new ClimaxError("No server was asked", ExitCode.file, lock.problems);
  return {
    file,
    servers: config.config.servers,
    lock: lock.lock ?? { version: 1 as const, servers: {} },
  };
}

type Lock = Awaited<ReturnType<typeof read>>["lock"];

/** True when all of `servers` are accepted in the end; a server that fails does not affect the others. */
async function trust(
  file: string,
  servers: readonly ServerSpec[],
  lock: Lock,
  yes: boolean,
): Promise<boolean> {
  const { accept, writeLock } = await import("../../sources/upstream/lock.ts");
  const { review } = await import("../../sources/upstream/review.ts");
  if (!yes && canAsk() && !await mayStart(servers)) return false;
  let isWell = true;
  let accepted = lock;
  for (const [name, asked] of await askAll(servers)) {
    if ("failure" in asked) {
      await print(asked.failure);
      isWell = false;
      continue;
    }
    const before = ownProperty(lock.servers, name);
    const { lines, suspicious } = review(before, asked);
    const count = plural(asked.definitions.length, "tool");
    if (before !== undefined && lines.length === 0) {
      await print(`server '${name}': ${count}, as accepted`);
      continue;
    }
    await print(`server '${name}': ${count}, not accepted yet:`);
    for (const line of lines) await print(`  ${line}`);
    for (const line of [...suspicious, ...asked.doubts]) {
      await print(`${label("warning", "stdout")} ${line}`);
    }
    if (!yes && !await isAccepted(name)) {
      isWell = false;
      continue;
    }
    accepted = { ...accepted, servers: { ...accepted.servers, [name]: accept(asked) } };
    await writeLock(file, accepted);
    await print(`server '${name}': accepted`);
  }
  return isWell;
}

/** Asks before it starts them: the file and its lock may come from another person. */
async function mayStart(servers: readonly ServerSpec[]): Promise<boolean> {
  const { shownServer } = await import("../../sources/upstream/review.ts");
  await print(`${plural(servers.length, "server")} to start or reach, as follows:`);
  for (const server of servers) await print(`  ${shownServer(server)}`);
  if (await confirm("Do that now?")) return true;
  await print("Nothing was started, and nothing accepted");
  return false;
}

/** Lists the tools of each server now, without the cache. */
async function askAll(servers: readonly ServerSpec[]) {
  const { askServer } = await import("../../sources/upstream/ask_server.ts");
  return await Promise.all(servers.map(async (spec) => {
    try {
      return [spec.name, await askServer(spec)] as const;
    } catch (error) {
      return [spec.name, { failure: messageOf(error) }] as const;
    }
  }));
}

async function isAccepted(name: string): Promise<boolean> {
  if (canAsk()) return await confirm(`Serve these tools of '${name}'?`);
  await print(`server '${name}': not accepted: there is no terminal to ask at; --yes accepts`);
  return false;
}

/** True when every project config in `names` is accepted in the end. */
async function trustConfigs(names: readonly string[], yes: boolean): Promise<ExitCode> {
  const { acceptConfig, acceptedConfigsFile } = await import(
    "../../sources/command/accepted_configs.ts"
  );
  const list = acceptedConfigsFile();
  if (list === undefined) throw new UsageError("Your home folder is not known", "Set HOME");
  const files = await Promise.all(names.map(projectConfig));
  let exitCode: ExitCode = ExitCode.ok;
  for (const file of files) {
    const read = await readTextFile(file);
    if (!read.ok) throw new ClimaxError("Nothing was accepted", ExitCode.file, [read.problem]);
    await print(`${file}:`);
    for (const line of read.text.split("\n")) await print(`  ${visible(showHidden(line))}`);
    if (!yes && !(canAsk() && await confirm(`Use ${file} in this folder?`))) {
      const why = canAsk() ? "" : ": there is no terminal to ask at; --yes accepts";
      await print(`${file}: not accepted${why}`);
      exitCode = ExitCode.failure;
      continue;
    }
    await acceptConfig(file, list);
    await print(`${file}: accepted`);
  }
  return exitCode;
}

async function projectConfig(name: string): Promise<string> {
  const { files: [first], passedOver } = await ownConfig(name);
  const file = passedOver ?? first;
  if (file !== undefined && isProjectConfig(file)) return file;
  const message = `No config '${name}' is in ${projectConfigs} of this folder`;
  throw new UsageError(message, "Yours and the bundled ones need no acceptance");
}
