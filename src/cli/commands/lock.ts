/** `climax lock`: records path, version and hash of the programs of tools, for `--locked`. */

import { shared } from "../options.ts";
import { systemPath } from "../../io.ts";
import { replaceFile, requireWrite } from "../../files/write_file.ts";
import { ExitCode, FileError } from "../../errors.ts";
import { note } from "../../log.ts";
import { plural } from "../../text/plural.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { configsHelp, someConfigs } from "../config_words.ts";
import { defaultLockName } from "../../setup/file_names.ts";
import { printText } from "../output.ts";

export function define(command: Command) {
  return command
    .description(
      "Record path, version and hash of the programs that configs run, and hashes of kept scripts",
    )
    .argument("[config...]", configsHelp)
    .addOption(shared.config())
    .option("-o, --output <file>", "file to write; an existing one is replaced", defaultLockName);
}

export const examples: readonly Example[] = [
  ["lock git ./my.yaml", "ask their programs for their versions, and write climax.lock.json"],
  ["lock git -o git.lock.json", "name the file, for: climax run git --lock git.lock.json"],
];

export async function run(...[named, { config, output }]: CommandArguments<typeof define>) {
  const configs = someConfigs(named, config);
  const { loadTools } = await import("../../session/load.ts");
  const { formatLock, lockTools } = await import("../../setup/lock.ts");
  const { tools, problems } = await loadTools({ configs, thorough: true });
  if (problems.length > 0) {
    throw new FileError(`Nothing was locked: ${plural(problems.length, "problem")}`, ...problems);
  }
  await refuseLink(output);
  const { lock, missing } = await lockTools(tools);
  await requireWrite(output, "Nothing was locked", () => replaceFile(output, formatLock(lock)));
  for (const [path, { version }] of Object.entries(lock.programs)) {
    await printText(`${path}: ${version ?? "version unknown"}`);
  }
  for (const program of missing) {
    note(`Program '${program}' is not on PATH: its tools are not locked`);
  }
  const { length: scripts } = Object.keys(lock.scripts ?? {});
  const kept = scripts === 0 ? "" : `, ${plural(scripts, "script")}`;
  await printText(`${output}: ${plural(Object.keys(lock.tools).length, "tool")}${kept}`);
  return missing.length === 0 ? ExitCode.ok : ExitCode.failure;
}

/** In another person's folder, the default file may be a link to any other file. */
async function refuseLink(output: string): Promise<void> {
  if (output !== defaultLockName) return;
  const isLink = await Deno.lstat(systemPath(output)).then(
    ({ isSymlink }) => isSymlink,
    () => false,
  );
  if (!isLink) return;
  const hint = "Remove the link, or name the file: --output FILE";
  const problem = { file: output, message: "The file is a link, which is not followed", hint };
  throw new FileError("Nothing was locked", problem);
}
