/** `climax script run`: runs a script from a file, as an agent's would run, and may record its answers. */

import type { Command } from "@commander-js/extra-typings";
import { io } from "../../io.ts";
import { ExitCode, UsageError } from "../../errors.ts";
import { writeWhole } from "../../files/write_file.ts";
import { note, setLogLevel } from "../../log.ts";
import { auditFile } from "../../process/environment.ts";
import { stripControlSequences } from "../../text/control_sequences.ts";
import type { CommandArguments, Example } from "../command.ts";
import { configOption, inFrontOfDashes, orAllWithout } from "../config_words.ts";
import {
  auditOption,
  logLevelOption,
  mcpOption,
  policyOption,
  sandboxOption,
  strictOption,
} from "../options.ts";
import { scriptPath } from "../kept_script.ts";
import { print } from "../output.ts";
import { inputOf, runScriptFile } from "../script_file.ts";

export function define(command: Command) {
  return command
    .description("Run a script from a file, as script_run runs that of an agent (docs/scripts.md)")
    .argument(
      "<words...>",
      "a script, by name or as a file with the body of an async function, after configs and --",
    )
    .addOption(configOption())
    .option("--input <json>", "the value that the script has as `input`")
    .option("--dry-run", "list the calls that change something, and make them after a yes")
    .option("--record <file>", "write what it was answered, for climax script test")
    .addOption(mcpOption())
    .addOption(policyOption())
    .addOption(sandboxOption())
    .addOption(strictOption())
    .addOption(auditOption())
    .addOption(logLevelOption());
}

export const examples: readonly Example[] = [
  ["script run git -- files.js", "run it with the tools of git"],
  ["script run notes.js --record notes.recording.json", "record the answers, for a test"],
];

/** Runs the script and prints its result. */
export async function run(
  ...[words, options, behind]: CommandArguments<typeof define>
): Promise<ExitCode> {
  const { config, mcp, policy, sandbox, strict, audit = auditFile(), record, dryRun } = options;
  setLogLevel(options.logLevel);
  const { configs, others: [file, another] } = inFrontOfDashes(words, behind);
  if (file === undefined || another !== undefined) {
    const hint = "Configs and options come before --, such as: climax script run git -- files.js";
    throw new UsageError(`One script is run at a time, found ${another ?? "none"}`, hint);
  }
  if (dryRun && record !== undefined) {
    throw new UsageError("--record does not go with --dry-run: it makes no calls to record");
  }
  const input = await inputOf(options.input);
  const path = await scriptPath(file);
  const { Recorder } = await import("../../sources/scripts/recording.ts");
  const tape = record === undefined ? undefined : new Recorder();
  const { text, isError } = await runScriptFile(path, {
    session: {
      ...await orAllWithout(mcp, configs, config),
      mcp,
      policy,
      sandbox,
      strict,
      audit,
      calls: { maxResultTokens: 0 },
    },
    tape,
    input,
    isDryRun: dryRun,
  });
  await print(io().stdout.isTerminal() ? stripControlSequences(text) : text);
  if (tape !== undefined && !isError) {
    // It has what the programs printed
    const json = JSON.stringify(tape.end(text, input), null, 2);
    await writeWhole(record!, `${json}\n`, { mode: 0o600 });
    note(`recorded in ${record}: what the calls returned is in it`);
  }
  return isError ? ExitCode.failure : ExitCode.ok;
}
