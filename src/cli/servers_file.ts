/** Finds MCP servers by name, and their file when the command line names none. */

import { ClimaxError, ExitCode, UsageError } from "../errors.ts";
import { systemPath } from "../io.ts";
import type { ServerSpec } from "../sources/upstream/spec.ts";
import { nearNames } from "../text/similar_names.ts";

/** Names that are looked for in the current folder; the first that exists is used. */
const names = ["tamamo-x.config.json", ".mcp.json"];

/** The path of the file. @throws {ClimaxError} when there is none */
export async function serversFile(): Promise<string> {
  for (const name of names) {
    const isThere = await Deno.stat(systemPath(name)).then(({ isFile }) => isFile, () => false);
    if (isThere) return name;
  }
  throw new ClimaxError("There is no config of MCP servers here", ExitCode.file, [{
    message: `Neither of these files is in the current folder: ${names.join(", ")}`,
    hint: "Write one with climax init, or name one: --mcp FILE",
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
