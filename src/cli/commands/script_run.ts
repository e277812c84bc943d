/** Defines `climax script run`, which runs a script from a file as if an agent had sent it. */

import { io } from "../../io.ts";
import { ExitCode, FileError, UsageError } from "../../errors.ts";
import { auditOptions } from "../../process/environment.ts";
import { stripControlSequences } from "../../text/control_sequences.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { inFrontOfDashes, sessionOf, withToolOptions } from "../config_words.ts";
import { shared } from "../options.ts";
import { readKept, scriptPath } from "../script_file.ts";
import { call } from "../../call/call.ts";
import { requireText } from "../../files/text_file.ts";
import { onEndSignals } from "../../process/end_signals.ts";
import type { SessionOptions } from "../../session/session.ts";
import { hasMark, nameOf } from "../../sources/scripts/kept_files.ts";
import { isScript, runTool } from "../../sources/scripts/script_tools.ts";
import { textOf } from "../../tool/result.ts";
import { terminalAsk } from "../ask.ts";
import { showWaiting } from "../progress_line.ts";
import { parseOption } from "../call_arguments.ts";
import { print } from "../output.ts";
import { climax } from "../../process/own_command.ts";

export function define(command: Command) {
  return withToolOptions(
    command
      .description(
        "Run a script from a file, as script_run runs that of an agent (docs/scripts.md)",
      )
      .argument(
        "<words...>",
        "a script, by name or as a file with the body of an async function, after configs and --",
      ),
  )
    .option("--args <json>", "the value that the script has as `input`")
    .option("--dry-run", "list the calls that change something, and make them after a yes")
    .addOption(shared.audit());
}

export const examples: readonly Example[] = [
  ["script run git -- files.js", "run it with the tools of git"],
  ["script run git --dry-run -- files.js", "list the calls that change something"],
];

export async function run(...[words, options, behind]: CommandArguments<typeof define>) {
  const { dryRun } = options;
  const { configs, others: [file, another] } = inFrontOfDashes(words, behind);
  if (file === undefined || another !== undefined) {
    const hint =
      `Configs and options come before --, such as: ${climax()} script run git -- files.js`;
    throw new UsageError(`One script is run at a time, found ${another ?? "none"}`, hint);
  }
  const example = `--args '{"count": 12}'`;
  const input = options.args === undefined
    ? undefined
    : await parseOption(options.args, "--args is", example);
  const path = await scriptPath(file);
  const logs = auditOptions(options.audit);
  const session = { ...await sessionOf(options, configs), ...logs, calls: { maxResultTokens: 0 } };
  const { text, isError } = await runScriptFile(path, session, { input, isDryRun: dryRun });
  await print(io().stdout.isTerminal() ? stripControlSequences(text) : text);
  return isError ? ExitCode.failure : ExitCode.ok;
}

/** Runs the script at `path` as the tool of its header, or without one like `script_run`. @throws {ClimaxError} */
async function runScriptFile(
  path: string,
  options: Omit<SessionOptions, "scripts">,
  { input, isDryRun = false }: { readonly input: unknown; readonly isDryRun: boolean | undefined },
): Promise<{ readonly text: string; readonly isError: boolean }> {
  const code = await requireText(path, "The script was not run");
  const isKept = hasMark(code);
  // A broken header must end the run here: otherwise another tool with the script's name might be called
  if (isKept) await readKept(path);
  const { openSession } = await import("../../session/session.ts");
  const { Outputs } = await import("../../jobs/outputs.ts");
  // A script reads long outputs whole, so stored outputs are needed
  const outputs = new Outputs();
  const texts = isKept ? [{ file: path, text: code }] : [];
  const givenScripts = { texts, isDryRun };
  await using session = await openSession({
    ...options,
    // A dry run makes no call that changes something, so without a given policy it may use every tool
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
    // The person who started the script reads its result, so a failure needs no warning in the log
    failureLevel: "info",
  });
  await showWaiting(path, () => running);
  unlisten();
  const result = await running;
  outputs.close();
  return { text: textOf(result), isError: result.isError };
}
