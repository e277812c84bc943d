/** Runs a script from a file, for the commands of scripts. */

import { join } from "node:path";
import { call } from "../call/call.ts";
import { ClimaxError, ExitCode, UsageError } from "../errors.ts";
import { readTextFile } from "../files/text_file.ts";
import { parseJson } from "../files/parse_json.ts";
import { onEndSignals } from "../process/end_signals.ts";
import type { SessionOptions } from "../session/session.ts";
import type { Tape } from "../sources/scripts/recording.ts";
import { hasMark } from "../sources/scripts/header_mark.ts";
import { nameOf } from "../sources/scripts/kept_files.ts";
import { runTool } from "../sources/scripts/names.ts";
import { isScript } from "../sources/scripts/script_tools.ts";
import { textOf } from "../tool/result.ts";
import { readKept } from "./kept_script.ts";
import { waiting } from "./progress_line.ts";
import { terminalAsk } from "./terminal_ask.ts";

export interface ScriptFileRun {
  readonly session: Omit<SessionOptions, "scripts" | "tape">;
  readonly tape?: Tape | undefined;
  readonly input?: unknown;
  readonly isDryRun?: boolean | undefined;
}

/**
 * Runs the script in the file at `path` and returns its result: a kept one as the tool that it is, another as
 * `script_run` would. @throws {ClimaxError} when there is no script
 */
export async function runScriptFile(
  path: string,
  { session: options, tape, input, isDryRun = false }: ScriptFileRun,
): Promise<{ readonly text: string; readonly isError: boolean }> {
  const code = await readScript(path);
  const isKept = hasMark(code);
  // It must be one of the file's own, and not a tool with its name
  if (isKept) await readKept(path);
  const { openSession } = await import("../session/session.ts");
  const { Outputs } = await import("../jobs/outputs.ts");
  // A long output enters a script whole
  const outputs = new Outputs();
  const texts = isKept ? [{ file: path, text: code }] : [];
  const keptScripts = { texts, isDryRun };
  await using session = await openSession({
    ...options,
    scripts: !isKept,
    keptScripts,
    tape,
    outputs,
  });
  const tool = isKept ? nameOf(path) : runTool;
  const found = session.index.get(tool);
  if (found === undefined || !isScript(found)) {
    const message = found === undefined
      ? `The policy does not allow '${tool}'`
      : `A tool has the name '${tool}' already`;
    const hint = found === undefined ? "Name it in the policy, under 'tools'" : "Rename the file";
    throw new ClimaxError("The script was not run", ExitCode.file, [{ message, hint }]);
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
    ask: terminalAsk(),
    // The person who started it reads its result
    failureLevel: "info",
  });
  await waiting(path, () => running);
  unlisten();
  const result = await running;
  outputs.close();
  return { text: textOf(result), isError: result.isError };
}

async function readScript(path: string): Promise<string> {
  const file = await readTextFile(path);
  if (file.ok) return file.text;
  throw new ClimaxError("The script was not run", ExitCode.file, [file.problem]);
}

/** The value of `--input`. @throws {UsageError} when it is no JSON */
export async function inputOf(json: string | undefined): Promise<unknown> {
  if (json === undefined) return undefined;
  const parsed = await parseJson(json);
  if ("value" in parsed) return parsed.value;
  const { offset, message } = parsed.fault;
  throw new UsageError(
    `--input is not JSON: at character ${offset + 1}, ${message}`,
    `Such as: --input '{"count": 12}'`,
  );
}

/** The recording of a script whose command line names none: `NAME.recording.json` beside `NAME.js`. */
export function recordingBeside(path: string): string {
  return `${path.replace(/\.m?js$/, "")}.recording.json`;
}

/** The file of the answers of a test of the kept script at `path`. */
export function testFile(path: string, test: string): string {
  return join(path.replace(/\.js$/, ".tests"), `${test}.json`);
}
