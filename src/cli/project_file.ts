/** Finds files that the command line does not name: the project's file, a file of MCP servers, the file of examples. */

import { systemPath } from "../io.ts";
import { log, note, say } from "../log.ts";
import { FileError, formatProblem, UsageError } from "../errors.ts";
import type { ServerSpec } from "../sources/upstream/spec.ts";
import { sha256 } from "../text/hash.ts";
import { accept, isAccepted, readAccepted, type Thing, trustFile } from "../trust/accepted.ts";
import { readTextFile, requireText } from "../files/text_file.ts";
import { plural } from "../text/plural.ts";
import { nearHint } from "../text/similar_names.ts";
import { canAsk, confirmAtTerminal } from "./ask.ts";
import { climax } from "../process/own_command.ts";

const projectFileName = "climax.json";

/** The name of the project's file in tamamo-x, which is preferred where such a file exists. */
const documentedFileName = "tamamo-x.config.json";

export async function defaultProjectFile(): Promise<string> {
  const [isDocumented, isShort] = await Promise.all(
    [documentedFileName, projectFileName].map(isThere),
  );
  if (isDocumented && isShort) {
    const message =
      `${documentedFileName} is read, and ${projectFileName} beside it is not: keep one`;
    log("warning", message);
  }
  return isDocumented ? documentedFileName : projectFileName;
}

async function isThere(name: string): Promise<boolean> {
  return await Deno.stat(systemPath(name)).then(({ isFile }) => isFile, () => false);
}

/** MCP clients such as Claude Code read a project's servers from this file. */
const clientFile = ".mcp.json";

/** Returns the path of the project's file, or of `.mcp.json`. @throws {FileError} if both are missing */
export async function serversFile(): Promise<string> {
  for (const name of [await defaultProjectFile(), clientFile]) {
    if (await isThere(name)) return name;
  }
  const names = [projectFileName, documentedFileName, clientFile].join(", ");
  throw new FileError("There is no config of MCP servers here", {
    message: `None of these files is in the current folder: ${names}`,
    hint: `Write one with ${climax()} init or ${climax()} add, or name one: --mcp FILE`,
  });
}

/**
 * Returns the project's file for a command line that names no tools. The file is used only if the person has accepted
 * each server in it, because another person may have written both the file and its lock file.
 */
export async function useProjectFile(): Promise<readonly string[] | undefined> {
  const file = await defaultProjectFile();
  if (!await isThere(file)) return undefined;
  const { readUpstreamConfig } = await import("../sources/upstream/config.ts");
  const text = await requireText(file, "Nothing was loaded");
  const read = await readUpstreamConfig({ file, text });
  if (!read.ok) {
    note(`${file} is not used: ${climax()} validate --mcp ${file} says why`);
    return undefined;
  }
  const { servers, rest } = read.config;
  const hasServers = servers.length > 0;
  const keys = Object.keys(rest.written).join(", ");
  const words = hasServers ? plural(servers.length, "MCP server") : keys;
  if (words === "") return undefined;
  const waiting = await serversToAccept(file, servers);
  const waits = waiting.length > 0 || !hasServers && !rest.isUsed;
  note(
    waits
      ? `${file} is not used: ${words} to look at with ${climax()} trust --all`
      : `Also ${file}: ${words}`,
  );
  return waits ? undefined : [file];
}

/**
 * Returns the servers that the person has not accepted in their present form, which must not be started without a yes.
 */
export async function serversToAccept(file: string, servers: readonly ServerSpec[]) {
  const { isAcceptedServer, readServersLock } = await import("../sources/upstream/lock.ts");
  const [read, known] = await Promise.all([readServersLock(file), readAccepted()]);
  const lock = read.ok ? read.lock : undefined;
  return servers.filter((spec) => !isAcceptedServer({ spec, lock }, known));
}

export async function confirmStart(servers: readonly ServerSpec[]): Promise<boolean> {
  const { describeServer } = await import("../sources/upstream/review.ts");
  say(`${plural(servers.length, "server")} to start or reach, as follows:`);
  for (const server of servers) say(`  ${describeServer(server)}`);
  if (canAsk() && await confirmAtTerminal("Do that now?")) return true;
  say("Nothing was started, and nothing accepted");
  return false;
}

export async function acceptOwnRest(file: string, text: string, before: string | undefined) {
  if (trustFile() === undefined) return;
  const { readUpstreamConfig } = await import("../sources/upstream/config.ts");
  const [old, now] = await Promise.all([before ?? "{}", text].map((text) => {
    return readUpstreamConfig({ file, text });
  }));
  const isOwn = before === undefined || old!.ok && old!.config.rest.isUsed;
  if (isOwn && now!.ok && !now!.config.rest.isUsed) await accept(now!.config.rest);
}

/** Checks names of servers. @throws {UsageError} if a name is not in `known`; its hint has the names that are near */
export function refuseUnknownServers(names: readonly string[], known: readonly string[]): void {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const hint = nearHint(unknown, known) ??
    (known.length === 0 ? `${climax()} add puts one there` : `Servers: ${known.join(", ")}`);
  throw new UsageError(`Unknown server '${unknown}'`, hint);
}

/** Finds an MCP server by name, in `files` or the file of the current folder. @throws {ClimaxError} if it is missing */
export async function findServer(
  name: string,
  files: readonly string[] | undefined,
): Promise<ServerSpec> {
  const { readUpstreamConfig } = await import("../sources/upstream/config.ts");
  const servers: ServerSpec[] = [];
  for (const file of files ?? [await serversFile()]) {
    const read = await readUpstreamConfig(file);
    if (!read.ok) throw new FileError("No server was asked", ...read.problems);
    servers.push(...read.config.servers);
    for (const each of read.config.rest.isUsed ? read.warnings : []) {
      log("warning", formatProblem(each));
    }
  }
  refuseUnknownServers([name], servers.map((server) => server.name));
  return servers.find((server) => server.name === name)!;
}

/** `climax enrich` writes requests that tools answer to this file of the current directory. */
export const examplesFile = "climax.examples.yaml";

/** Returns the path of {@linkcode examplesFile}; `undefined` if it is missing, may not be read or is not accepted. */
export async function examplesHere(): Promise<string | undefined> {
  if (!await isThere(examplesFile)) return undefined;
  const read = await readTextFile(examplesFile);
  if (read.ok && await isAccepted(examplesAs(read.text))) return examplesFile;
  note(`${examplesFile} is not used: ${climax()} enrich completes and accepts it`);
  return undefined;
}

export async function acceptExamples(): Promise<void> {
  const text = await requireText(examplesFile, "Nothing was accepted");
  if (trustFile() !== undefined) await accept(examplesAs(text));
}

function examplesAs(text: string): Thing {
  return { kind: "config", path: examplesFile, sha256: sha256(text) };
}
