/** Finds scripts for the commands of scripts, runs one from its file, and says what a kept one may do. */

import { join } from "node:path";
import { call } from "../call/call.ts";
import { type ClimaxError, FileError, type Problem, UsageError } from "../errors.ts";
import { readTextFile, requireText } from "../files/text_file.ts";
import { onEndSignals } from "../process/end_signals.ts";
import type { Session, SessionOptions } from "../session/session.ts";
import {
  findCalls,
  hasMark,
  isScriptName,
  type KeptFile,
  nameOf,
  nameRule,
  personalScripts,
  projectScripts,
  readScript,
} from "../sources/scripts/kept_files.ts";
import { isScript, runTool } from "../sources/scripts/script_tools.ts";
import { textOf } from "../tool/result.ts";
import { showWaiting } from "./progress_line.ts";
import { terminalAsk } from "./ask.ts";
import type { ToolTable } from "../catalog/tool_table.ts";
import type { ScriptHeader } from "../sources/scripts/kept_tools.ts";
import { visible } from "../text/escape.ts";
import { effectOf, exceeds } from "../tool/annotations.ts";
import { printText } from "./output.ts";

interface ScriptFileRun {
  readonly session: Omit<SessionOptions, "scripts">;
  readonly input?: unknown;
  readonly isDryRun?: boolean | undefined;
}

/** Runs the script at `path`, as its tool or as `script_run` would. @throws {ClimaxError} */
export async function runScriptFile(
  path: string,
  { session: options, input, isDryRun = false }: ScriptFileRun,
): Promise<{ readonly text: string; readonly isError: boolean }> {
  const code = await requireText(path, "The script was not run");
  const isKept = hasMark(code);
  // It must be one of the file's own, and not a tool with its name
  if (isKept) await readKept(path);
  const { openSession } = await import("../session/session.ts");
  const { Outputs } = await import("../jobs/outputs.ts");
  // A long output enters a script whole
  const outputs = new Outputs();
  const texts = isKept ? [{ file: path, text: code }] : [];
  const givenScripts = { texts, isDryRun };
  await using session = await openSession({
    ...options,
    // Its calls that change something are only listed, and made after a yes
    policy: options.policy ?? (isDryRun ? "open" : undefined),
    scripts: !isKept,
    givenScripts,
    outputs,
  });
  const tool = isKept ? nameOf(path) : runTool;
  const found = session.index.get(tool);
  if (found === undefined || !isScript(found)) {
    const message = found === undefined
      ? `The policy does not allow '${tool}'`
      : `A tool has the name '${tool}' already`;
    const hint = found === undefined ? "Name it in the policy, under 'tools'" : "Rename the file";
    throw new FileError("The script was not run", { message, hint });
  }
  const stop = new AbortController();
  const unlisten = onEndSignals(() => stop.abort());
  const args = isKept ? input ?? {} : {
    code,
    ...(input === undefined ? {} : { input }),
    ...(isDryRun ? { dry_run: true } : {}),
  };
  const running = call(session, { tool, args }, {
    signal: stop.signal,
    client: "climax script",
    ask: terminalAsk(stop.signal),
    // The person who started it reads its result
    failureLevel: "info",
  });
  await showWaiting(path, () => running);
  unlisten();
  const result = await running;
  outputs.close();
  return { text: textOf(result), isError: result.isError };
}

/** The path that `word` means: a file, or the name of a script here or among the person's own. */
export async function scriptPath(word: string): Promise<string> {
  if (/[\\/]|\.m?js$/.test(word)) return word;
  if (!isScriptName(word)) throw notAName(word);
  const personal = personalScripts();
  const folders = [projectScripts, ...(personal === undefined ? [] : [personal])];
  for (const folder of folders) {
    const path = join(folder, `${word}.js`);
    if (await readScript(path) !== undefined) return path;
  }
  const problem = { message: `No script '${word}' is in ${projectScripts} of this folder` };
  const hint = `Name its file, or write one: climax script new ${word}`;
  throw new FileError("There is no such script", { ...problem, hint });
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

/** The header of `text`. @throws {ClimaxError} with every problem of it */
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

/** Opens the catalogue that scripts are checked against, without any kept script. */
export async function openToolsFor(options: SessionOptions): Promise<Session> {
  const { openSession } = await import("../session/session.ts");
  return await openSession({ ...options, preparesCalls: false, givenScripts: { texts: [] } });
}

/** Prints what a script may do, and returns what is wrong with it among the tools of `index`. */
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
