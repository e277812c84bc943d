/** `climax script accept`: shows scripts of agents and of a project, and makes tools of them. */

import { join } from "node:path";
import { systemPath } from "../../io.ts";
import { ExitCode, FileError, UsageError } from "../../errors.ts";
import { writeWhole } from "../../files/write_file.ts";
import { projectScripts } from "../../sources/scripts/kept_folders.ts";
import { accept, readAccepted, requireTrustFile } from "../../trust/accepted.ts";
import type { StoredProposal } from "../../sources/scripts/propose.ts";
import { findKeptFiles } from "../../sources/scripts/kept_files.ts";
import { showHidden, visible } from "../../text/escape.ts";
import { sha256 } from "../../text/hash.ts";
import { canAsk, confirmAtTerminal, notAccepted } from "../ask.ts";
import { asTyped } from "../messages.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { orAll } from "../config_words.ts";
import {
  type HeadedScript,
  headerOf,
  openToolsFor,
  printReport,
  readKept,
  scriptPath,
} from "../script_file.ts";
import { printProblem, printText } from "../output.ts";

export function define(command: Command) {
  return command
    .description("Read scripts that agents propose or a project has, and make tools of them")
    .argument("[script...]", "names or files; without any, what waits is listed")
    .option("-y, --yes", "accept without asking")
    .option("--reject", "remove proposals instead");
}

export const examples: readonly Example[] = [
  ["script accept", "list the proposals of agents, and the scripts here that are not accepted"],
  ["script accept changes", "read one, with what it may call, and accept it"],
  ["script accept changes --reject", "remove the proposal of an agent"],
];

/** Lists, or accepts each; 1 when one is not accepted in the end. */
export async function run(...[words, options]: CommandArguments<typeof define>) {
  const { yes = false, reject = false } = options;
  const { inboxFolder, proposalsIn } = await import("../../sources/scripts/propose.ts");
  requireTrustFile();
  const folder = inboxFolder()!;
  const proposals = await proposalsIn(folder);
  if (words.length === 0) return await listWaiting(proposals);
  let exitCode: ExitCode = ExitCode.ok;
  for (const word of words) {
    const proposal = proposalOf(word, proposals);
    if (reject) await remove(word, proposal);
    else if (!await review(word, proposal, yes)) exitCode = ExitCode.failure;
  }
  return exitCode;
}

async function listWaiting(proposals: readonly StoredProposal[]): Promise<ExitCode> {
  const { isAcceptedScript: isAccepted } = await import("../../sources/scripts/kept_tools.ts");
  const known = await readAccepted();
  const { files, warnings } = await findKeptFiles(systemPath(projectScripts));
  const waiting: string[] = [];
  for (const file of files) {
    if (!isAccepted(file, known)) waiting.push(`${file.file}: new, or changed`);
  }
  const proposed = proposals.map(({ id, proposal: { client, time, reason } }) => {
    return `${id}: proposed by ${visible(client)}, ${visible(time)}: ${
      visible(showHidden(reason))
    }`;
  });
  for (const line of [...proposed, ...waiting]) await printText(line);
  for (const warning of warnings) await printProblem(warning);
  const isEmpty = proposed.length + waiting.length === 0;
  await printText(isEmpty ? "No script waits" : asTyped("Next: climax script accept NAME"));
  return ExitCode.ok;
}

/** The proposal that `word` names, by its name or its id. @throws {UsageError} when there are several */
function proposalOf(word: string, proposals: readonly StoredProposal[]) {
  const found = proposals.filter(({ id, proposal }) => id === word || proposal.name === word);
  if (found.length < 2) return found[0];
  const ids = found.map(({ id }) => id).join(", ");
  throw new UsageError(`Several proposals are called '${word}'`, `Name one: ${ids}`);
}

async function remove(word: string, proposal: StoredProposal | undefined): Promise<void> {
  if (proposal === undefined) {
    const hint = "climax script accept lists them; a file here is removed as any file";
    throw new UsageError(`No proposal is called '${word}'`, hint);
  }
  await Deno.remove(systemPath(proposal.path));
  await printText(`${proposal.id}: removed`);
}

async function review(
  word: string,
  proposal: StoredProposal | undefined,
  yes: boolean,
): Promise<boolean> {
  const headed = proposal === undefined
    ? await readKept(await scriptPath(word))
    : await headOfProposal(proposal);
  const { script: { file, text, name } } = headed;
  const { isAcceptedScript: isAccepted } = await import("../../sources/scripts/kept_tools.ts");
  if (proposal === undefined && isAccepted(headed.script, await readAccepted())) {
    await printText(`${file}: accepted already, as it is`);
    return true;
  }
  for (const line of text.split("\n")) await printText(`  | ${visible(showHidden(line))}`);
  await using session = await openToolsFor(await orAll());
  const problems = await printReport(headed, session.index);
  for (const problem of problems) await printProblem(problem);
  const from = proposal === undefined ? "" : `, which '${visible(proposal.proposal.client)}' wrote`;
  if (
    !yes && !(canAsk() && await confirmAtTerminal(`Make a tool '${name}' of this script${from}?`))
  ) {
    await printText(notAccepted(file));
    return false;
  }
  if (proposal !== undefined) await writeWhole(file, text, { root: "." });
  await accept({ kind: "script", path: file, sha256: headed.script.sha256 });
  if (proposal !== undefined) await Deno.remove(systemPath(proposal.path));
  await printText(`${file}: accepted`);
  return true;
}

async function headOfProposal({ proposal: { name, code } }: StoredProposal): Promise<HeadedScript> {
  const file = join(projectScripts, `${name}.js`);
  const isThere = await Deno.lstat(systemPath(file)).then(() => true, () => false);
  if (isThere) {
    const hint = `Name that file itself, or remove it: ${file}`;
    const problem = { file, message: "A file is there already", hint };
    throw new FileError("The proposal was not accepted", problem);
  }
  const header = await headerOf(file, code);
  return { script: { name, file, text: code, sha256: sha256(code) }, header };
}
