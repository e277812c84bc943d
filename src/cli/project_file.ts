/** Finds files that a command line does not name: the project's, of MCP servers, of examples. */

import { systemPath } from "../io.ts";
import { log } from "../log.ts";
import { ClimaxError, ExitCode, UsageError } from "../errors.ts";
import type { ServerSpec } from "../sources/upstream/spec.ts";
import { nearHint } from "../text/similar_names.ts";

/** The name of a new file. */
const projectFileName = "climax.json";

/** The documented name, which is preferred where such a file exists. */
const documentedFileName = "tamamo-x.config.json";

/** The path of the project's file, even if there is none yet. */
export async function defaultProjectFile(): Promise<string> {
  const [isDocumented, isShort] = await Promise.all(
    [documentedFileName, projectFileName].map(isThere),
  );
  if (isDocumented && isShort) {
    log(
      "warning",
      `${documentedFileName} is read, and ${projectFileName} beside it is not: keep one`,
    );
  }
  return isDocumented ? documentedFileName : projectFileName;
}

async function isThere(name: string): Promise<boolean> {
  return await Deno.stat(systemPath(name)).then(({ isFile }) => isFile, () => false);
}

/** The file of other clients. */
const clientFile = ".mcp.json";

/** The path of the project's file, or of that of clients beside it. @throws {ClimaxError} when there is none */
export async function serversFile(): Promise<string> {
  for (const name of [await defaultProjectFile(), clientFile]) {
    if (await isThere(name)) return name;
  }
  const names = [projectFileName, documentedFileName, clientFile].join(", ");
  throw new ClimaxError("There is no config of MCP servers here", ExitCode.file, [{
    message: `None of these files is in the current folder: ${names}`,
    hint: "Write one with climax init or climax add, or name one: --mcp FILE",
  }]);
}

/** @throws {UsageError} when one of `names` is not one of `known` */
export function refuseUnknownServers(names: readonly string[], known: readonly string[]): void {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const hint = nearHint(unknown, known) ?? `Servers: ${known.join(", ")}`;
  throw new UsageError(`Unknown server \'${unknown}\'`, hint);
}

/** The server `name` of `files`, or of the file of the current folder. @throws {ClimaxError} */
export async function findServer(
  name: string,
  files: readonly string[] | undefined,
): Promise<ServerSpec> {
  const { readUpstreamConfig } = await import("../sources/upstream/config.ts");
  const servers: ServerSpec[] = [];
  for (const file of files ?? [await serversFile()]) {
    const read = await readUpstreamConfig(file);
    if (!read.ok) throw new ClimaxError("No server was asked", ExitCode.file, read.problems);
    servers.push(...read.config.servers);
  }
  refuseUnknownServers([name], servers.map((server) => server.name));
  return servers.find((server) => server.name === name)!;
}

/** The file of `climax enrich` in the current directory. */
export const examplesFile = "climax.examples.yaml";

/** The path of the file in the current directory; `undefined` when it is missing or may not be read. */
export async function examplesHere(): Promise<string | undefined> {
  try {
    await Deno.stat(systemPath(examplesFile));
    return examplesFile;
  } catch {
    return undefined;
  }
}
