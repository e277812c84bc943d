/** `climax script run`: runs a script from a file, as an agent's would run. */

import { io } from "../../io.ts";
import { ExitCode, UsageError } from "../../errors.ts";
import { auditFile } from "../../process/environment.ts";
import { stripControlSequences } from "../../text/control_sequences.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { inFrontOfDashes, sessionOf, withToolOptions } from "../config_words.ts";
import { shared } from "../options.ts";
import { runScriptFile, scriptPath } from "../script_file.ts";
import { parseOption } from "../call_arguments.ts";
import { print } from "../output.ts";

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
    .option("--input <json>", "the value that the script has as `input`")
    .option("--dry-run", "list the calls that change something, and make them after a yes")
    .addOption(shared.audit())
    .addOption(shared.logLevel());
}

export const examples: readonly Example[] = [
  ["script run git -- files.js", "run it with the tools of git"],
  ["script run git --dry-run -- files.js", "list the calls that change something"],
];

export async function run(...[words, options, behind]: CommandArguments<typeof define>) {
  const { audit = auditFile(), dryRun } = options;
  const { configs, others: [file, another] } = inFrontOfDashes(words, behind);
  if (file === undefined || another !== undefined) {
    const hint = "Configs and options come before --, such as: climax script run git -- files.js";
    throw new UsageError(`One script is run at a time, found ${another ?? "none"}`, hint);
  }
  const example = `--input '{"count": 12}'`;
  const input = options.input === undefined
    ? undefined
    : await parseOption(options.input, "--input is", example);
  const path = await scriptPath(file);
  const { text, isError } = await runScriptFile(path, {
    session: { ...await sessionOf(options, configs), audit, calls: { maxResultTokens: 0 } },
    input,
    isDryRun: dryRun,
  });
  await print(io().stdout.isTerminal() ? stripControlSequences(text) : text);
  return isError ? ExitCode.failure : ExitCode.ok;
}
