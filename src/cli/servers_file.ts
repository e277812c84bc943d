/** Finds the file of MCP servers when the command line names none. */

import { systemPath } from "../io.ts";
import { ClimaxError, ExitCode } from "../errors.ts";

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
