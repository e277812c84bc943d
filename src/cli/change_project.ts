/** Edits the project's file: shows the change, asks, and writes it. */

import { dirname } from "node:path";
import { ClimaxError, ExitCode } from "../errors.ts";
import { writeWhole } from "../files/write_file.ts";
import { emptyProject, readProject } from "../setup/init_file.ts";
import { type ProjectText, serversOf } from "../setup/project_servers.ts";
import { schemaUrl } from "../setup/schema_files.ts";
import { readUpstreamConfig } from "../sources/upstream/config.ts";
import { confirm } from "./ask.ts";
import { printDiff } from "./change_client_file.ts";
import { printText } from "./output.ts";
import { defaultProjectFile } from "./project_file.ts";

/**
 * Writes what `edit` makes of the file at `path`, by default the project's, which is begun when it is missing.
 *
 * @throws {ClimaxError} when the file cannot be read, or would be wrong then
 */
export async function changeProject(
  path: string | undefined,
  yes: boolean,
  edit: (at: ProjectText) => string,
): Promise<ExitCode> {
  const file = path ?? await defaultProjectFile();
  const { text: before } = await readProject(file);
  const text = edit({ file, text: before ?? emptyProject(await schemaUrl("project")) });
  // Without servers it is not to be served yet
  const isEmpty = serversOf({ file, text }).length === 0;
  const read = isEmpty ? undefined : await readUpstreamConfig({ file, text });
  if (read?.ok === false) {
    throw new ClimaxError("Nothing was written", ExitCode.file, read.problems);
  }
  await printDiff(file, before ?? "", text);
  if (!yes && !await confirm("Write the file?")) {
    await printText("Nothing was written");
    return ExitCode.failure;
  }
  await writeWhole(file, text, { root: dirname(file) });
  await printText(`${file} is written`);
  return ExitCode.ok;
}
