/** `climax script accept`: shows scripts of a project, and makes tools of them. */

import { systemPath } from "../../io.ts";
import { ExitCode } from "../../errors.ts";
import { projectScripts } from "../../sources/scripts/kept_folders.ts";
import { accept, readAccepted, requireTrustFile } from "../../trust/accepted.ts";
import { findKeptFiles } from "../../sources/scripts/kept_files.ts";
import { showHidden, visible } from "../../text/escape.ts";
import { canAsk, confirmAtTerminal, notAccepted } from "../ask.ts";
import { asTyped } from "../messages.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { orAll } from "../config_words.ts";
import { openToolsFor, printReport, readKept, scriptPath } from "../script_file.ts";
import { printProblem, printText } from "../output.ts";

export function define(command: Command) {
  return command
    .description("Read the scripts of a project, and make tools of them")
    .argument("[script...]", "names or files; without any, what waits is listed")
    .option("-y, --yes", "accept without asking");
}

export const examples: readonly Example[] = [
  ["script accept", "list the scripts here that are not accepted"],
  ["script accept changes", "read one, with what it may call, and accept it"],
];

/** Lists, or accepts each; 1 when one is not accepted in the end. */
export async function run(...[words, options]: CommandArguments<typeof define>) {
  const { yes = false } = options;
  requireTrustFile();
  if (words.length === 0) return await listWaiting();
  let exitCode: ExitCode = ExitCode.ok;
  for (const word of words) {
    if (!await review(await scriptPath(word), yes)) exitCode = ExitCode.failure;
  }
  return exitCode;
}

async function listWaiting(): Promise<ExitCode> {
  const { isAcceptedScript } = await import("../../sources/scripts/kept_tools.ts");
  const known = await readAccepted();
  const { files, warnings } = await findKeptFiles(systemPath(projectScripts));
  const waiting: string[] = [];
  for (const file of files) {
    if (!isAcceptedScript(file, known)) waiting.push(`${file.file}: new, or changed`);
  }
  for (const line of waiting) await printText(line);
  for (const warning of warnings) await printProblem(warning);
  const isEmpty = waiting.length === 0;
  await printText(isEmpty ? "No script waits" : asTyped("Next: climax script accept NAME"));
  return ExitCode.ok;
}

async function review(
  path: string,
  yes: boolean,
): Promise<boolean> {
  const headed = await readKept(path);
  const { script: { file, text, name, sha256 } } = headed;
  const { isAcceptedScript } = await import("../../sources/scripts/kept_tools.ts");
  if (isAcceptedScript(headed.script, await readAccepted())) {
    await printText(`${file}: accepted already, as it is`);
    return true;
  }
  for (const line of text.split("\n")) await printText(`  | ${visible(showHidden(line))}`);
  await using session = await openToolsFor(await orAll());
  const problems = await printReport(headed, session.index);
  for (const problem of problems) await printProblem(problem);
  if (!yes && !(canAsk() && await confirmAtTerminal(`Make a tool '${name}' of this script?`))) {
    await printText(notAccepted(file));
    return false;
  }
  await accept({ kind: "script", path: file, sha256 });
  await printText(`${file}: accepted`);
  return true;
}
