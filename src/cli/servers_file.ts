/** Finds MCP servers by name, and their file when the command line names none. */

import { ClimaxError, ExitCode, UsageError } from "../errors.ts";
import { systemPath } from "../io.ts";
import type { ServerSpec } from "../sources/upstream/spec.ts";
import { nearNames } from "../text/similar_names.ts";
import { defaultProjectFile, documentedFileName, projectFileName } from "./project_file.ts";

/** The file of other clients. */
const clientFile = ".mcp.json";

/** The path of the project's file, or of that of clients beside it. @throws {ClimaxError} when there is none */
export async function serversFile(): Promise<string> {
  for (const name of [await defaultProjectFile(), clientFile]) {
    const isThere = await Deno.stat(systemPath(name)).then(({ isFile }) => isFile, () => false);
    if (isThere) return name;
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
  const near = nearNames(unknown, known);
  throw new UsageError(
    `Unknown server '${unknown}'`,
    near.length > 0 ? `Did you mean: ${near.join(", ")}` : `Servers: ${known.join(", ")}`,
  );
}

/** The server `name` of `files`, or of the file of the current folder. @throws {ClimaxError} */
export async function namedServer(
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
