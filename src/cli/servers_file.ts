/** Finds the file of MCP servers when the command line names none. */

import { systemPath } from "../io.ts";
import { ClimaxError, ExitCode } from "../errors.ts";
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
