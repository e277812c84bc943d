/** Finds kept scripts for commands, reports which tools a script may call, and accepts scripts. */

import { join } from "node:path";
import { type ClimaxError, FileError, type Problem, UsageError } from "../errors.ts";
import { readTextFile } from "../files/text_file.ts";
import type { Session, SessionOptions } from "../session/session.ts";
import { systemPath } from "../io.ts";
import {
  findCalls,
  findKeptFiles,
  isScriptName,
  type KeptFile,
  nameRule,
  personalScripts,
  projectScripts,
  readScript,
} from "../sources/scripts/kept_files.ts";
import { isScript } from "../sources/scripts/script_tools.ts";
import type { ToolTable } from "../catalog/tool_table.ts";
import { statOf } from "../process/folders.ts";
import type { ScriptHeader } from "../sources/scripts/kept_tools.ts";
import { linesToAccept, visible } from "../text/escape.ts";
import { accept, readAccepted } from "../trust/accepted.ts";
import { canAsk, confirmAtTerminal, notAccepted } from "./ask.ts";
import { orAll } from "./config_words.ts";
import { effectOf, exceeds } from "../tool/annotations.ts";
import { printProblem, printText } from "./output.ts";
import { climax } from "../process/own_command.ts";

/** Returns true for a word of a command line that names a script by its ending, and not a config. */
export function isScriptWord(word: string): boolean {
  return /\.m?js$/.test(word);
}

/** Returns the path of the script `word`: a file, or a name in the project's or the person's own folder of scripts. */
export async function scriptPath(word: string): Promise<string> {
  const isFile = isScriptWord(word) && statOf(word)?.isFile;
  if (/[\\/]/.test(word) || isFile) return word;
  const name = word.replace(/\.m?js$/, "");
  if (!isScriptName(name)) throw notAName(name);
  for (const folder of [projectScripts, personalScripts()]) {
    const path = folder && join(folder, `${name}.js`);
    if (path !== undefined && await readScript(path) !== undefined) return path;
  }
  const message = `No script '${name}' is in ${projectScripts} of this folder`;
  const hint = `Name its file, or write one: ${climax()} new ${name}.js`;
  throw new FileError("There is no such script", { message, hint });
}

export function notAName(word: string): UsageError {
  return new UsageError(`A script cannot be called '${visible(word)}'`, `Its name is ${nameRule}`);
}

interface HeadedScript {
  readonly script: KeptFile;
  readonly header: ScriptHeader;
}

/** Reads the kept script at `path`. @throws {ClimaxError} with every problem of its header */
export async function readKept(path: string): Promise<HeadedScript> {
  const script = await readScript(path);
  if (script === undefined) {
    const file = await readTextFile(path);
    const hint = "It begins with /* climax script, lines of YAML, and */: docs/scripts.md";
    const headless = { file: path, message: "The file does not begin with a header", hint };
    throw unusable([file.ok ? headless : file.problem]);
  }
  if ("message" in script) throw unusable([script]);
  return { script, header: await headerOf(path, script.text) };
}

async function headerOf(path: string, text: string): Promise<ScriptHeader> {
  const [{ readHeader }, { valueArgs }] = await Promise.all([
    import("../sources/scripts/kept_tools.ts"),
    import("../sources/command/read_config.ts"),
  ]);
  const read = await readHeader(path, text, valueArgs);
  if (!read.ok) throw unusable(read.problems);
  return read.header;
}

function unusable(problems: readonly Problem[]): ClimaxError {
  return new FileError("The script cannot be used", ...problems);
}

/** Opens a session with the tools that scripts may call, and so without kept scripts. */
export async function openToolsFor(options: SessionOptions): Promise<Session> {
  const { openSession } = await import("../session/session.ts");
  return await openSession({ ...options, preparesCalls: false, givenScripts: { texts: [] } });
}

/** Prints which tools of `index` a script may call, and returns problems such as calls of unknown tools. */
export async function printReport(
  { script: { name, file, text }, header }: HeadedScript,
  index: ToolTable,
): Promise<Problem[]> {
  const { effect, description, args } = header;
  const { names, hasOthers } = findCalls(text);
  const known = names.flatMap((each) => index.get(each) ?? []).filter((tool) => !isScript(tool));
  const missing = names.filter((each) => !known.some((tool) => tool.name === each));
  const shown = [
    ...known.map((tool) => `${tool.name} (${effectOf(tool)})`),
    ...missing.map((each) => `${visible(each)} (not served)`),
    ...(hasOthers ? ["names that it computes"] : []),
  ];
  await printText(`${file}: ${visible(description)}`);
  const lines = [
    `arguments  ${args.map((arg) => arg.name).join(", ") || "none"}`,
    `effect     ${effect}: a call with a worse one is refused when it is made`,
    `calls      ${shown.join(", ") || "none"}`,
    "           (read from its text; what holds a script is its effect, and the policy of each call)",
  ];
  for (const line of lines) await printText(`  ${line}`);
  const worse = known.filter((tool) => exceeds(effectOf(tool), effect));
  return [
    ...(index.get(name) === undefined ? [] : [{
      file,
      message: `A tool has the name '${name}' already`,
      hint: "Rename the file",
    }]),
    ...worse.map((tool) => ({
      file,
      message: `'${tool.name}' is ${effectOf(tool)}, and the header says 'effect: ${effect}'`,
      hint: `Write 'effect: ${effectOf(tool)}', or leave the call out`,
    })),
    ...missing.map((each) => ({
      file,
      message: `No tool '${visible(each)}' is served by these configs under this policy`,
      hint: "Name the config that has it in front of --",
    })),
  ];
}

/** Shows the kept script at `path` and its tools, and accepts it after a yes; returns false after a no. */
export async function trustScript(path: string, yes: boolean): Promise<boolean> {
  const headed = await readKept(path);
  const { script: { file, text, name, sha256 } } = headed;
  const { isAcceptedScript } = await import("../sources/scripts/kept_tools.ts");
  if (isAcceptedScript(headed.script, await readAccepted())) {
    await printText(`${file}: accepted already, as it is`);
    return true;
  }
  for (const line of linesToAccept(text)) await printText(`  | ${line}`);
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

/** Returns the paths of the project's scripts that the person has not accepted with their present text. */
export async function waitingScripts(): Promise<readonly string[]> {
  const { isAcceptedScript } = await import("../sources/scripts/kept_tools.ts");
  const known = await readAccepted();
  const { files, warnings } = await findKeptFiles(systemPath(projectScripts));
  for (const warning of warnings) await printProblem(warning);
  return files.filter((file) => !isAcceptedScript(file, known)).map(({ file }) => file);
}
