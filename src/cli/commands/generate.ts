/** `climax generate`: writes a config for a program from the program's own help. */

import { join, resolve } from "node:path";
import { io, systemPath } from "../../io.ts";
import { defaultDepth, generate } from "../../setup/generate.ts";
import { defaultHelpTimeoutMs, programHelp } from "../../setup/help_source.ts";
import { findProgram } from "../../exec/find_program.ts";
import { createFile, makeFolder, requireWrite } from "../../files/write_file.ts";
import { onEndSignals } from "../../process/end_signals.ts";
import { withSchemaLine } from "../../setup/json_schemas.ts";
import { ClimaxError, ExitCode, FileError, UsageError } from "../../errors.ts";
import { statOf } from "../../process/folders.ts";
import { note } from "../../log.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { listNames } from "../../text/excerpt.ts";
import { plural } from "../../text/plural.ts";
import { listOption, numberOption } from "../options.ts";
import { print } from "../output.ts";
import { showWaiting } from "../progress_line.ts";
import {
  isConfigName,
  isPersonalConfig,
  personalConfigs,
} from "../../sources/command/own_configs.ts";
import { isBundled } from "../../sources/command/bundled.ts";
import { climax } from "../../process/own_command.ts";

export function define(command: Command) {
  return command
    .description("Write a config from a program's own help, printed in an empty folder")
    .argument("<program>", "a program on PATH, or its path")
    .argument("[subcommand...]", "the command to begin with, such as: issue list")
    .option(
      "-o, --output <file>",
      "a new file to write (default: NAME.yaml of your own configs at a terminal, else stdout)",
    )
    .addOption(
      numberOption("--depth <number>", "levels of subcommands below that command", 0)
        .default(defaultDepth),
    )
    .addOption(
      listOption(
        "--include <pattern>",
        "only these commands, such as 'issue *'; or an option that would be left out, such as --config (repeatable)",
      ),
    )
    .addOption(
      numberOption("--timeout <seconds>", "seconds that one request for help may take", 1)
        .default(defaultHelpTimeoutMs / 1000),
    );
}

export const examples: readonly Example[] = [
  ["generate tar", "write tar.yaml among your own configs, found by its name"],
  ["generate gh issue -o gh.yaml", "write tools for gh issue list, gh issue create …"],
  ["generate kubectl --include get --include logs", "print a config with two tools"],
];

export async function run(
  ...[program, subcommands, options, , { commands }]: CommandArguments<typeof define>
) {
  const { timeout } = options;
  const name = program.split(/[\\/]/).at(-1)!.replace(/\.exe$/i, "");
  const isOwn = options.output === undefined && io().stdout.isTerminal() && isConfigName(name) &&
    !commands.has(name) && !isBundled(name);
  const folder = isOwn ? personalConfigs() : undefined;
  const output = folder === undefined ? options.output : join(folder, `${name}.yaml`);
  if (isBundled(name)) note(`'${name}' is bundled with climax: ${climax()} list ${name}`);
  if (output !== undefined && statOf(output) !== undefined) {
    const hint = "Write another file, and copy what you want of it";
    const problem = { file: output, message: "There is a file already", hint };
    throw new FileError("Nothing was written", problem);
  }
  const path = pathOf(program);
  const stop = new AbortController();
  const unlisten = onEndSignals(() => stop.abort());
  let [asked, total] = [0, 0];
  try {
    const { signal } = stop;
    await using help = await programHelp({ path, timeoutMs: timeout * 1000, signal });
    const written = await showWaiting("", (tell) =>
      generate([program, ...subcommands], {
        source: {
          ...help,
          ask(words) {
            tell(`${name}: reading help, ${++asked} of ${plural(total, "command")}`);
            return help.ask(words);
          },
        },
        depth: options.depth,
        include: options.include ?? [],
        command: /[\\/]/.test(program) ? path : program,
        onPlan: (commands) => {
          total += commands.length;
          const called = commands.map((words) => words.join(" "));
          note(`Reading help (--help, in an empty folder): ${listNames(called, 12)}`);
        },
      }));
    if (signal.aborted) {
      throw new ClimaxError("Nothing was written: stopped", ExitCode.failure);
    }
    for (const line of [written.figures, ...written.losses]) note(line);
    for (const hazard of written.hazards) note(`warning: ${hazard}`);
    if (output === undefined) {
      await print(written.text.trimEnd());
      return ExitCode.ok;
    }
    const text = await withSchemaLine("config", output, written.text);
    await requireWrite(output, "Nothing was written", async () => {
      if (isPersonalConfig(output)) await makeFolder(output, {});
      await createFile(output, text);
    });
    if (folder !== undefined) note(`Wrote ${output}`);
    const config = folder === undefined ? output : name;
    note(
      `Look at every "# guess" in it, above all the effects; then: ${climax()} validate ${config}, ${climax()} list ${config}`,
    );
    return ExitCode.ok;
  } finally {
    unlisten();
  }
}

/** Finds a program. @throws {UsageError} if it is missing, or its path has white space, which no config may have */
function pathOf(program: string): string {
  const found = findProgram(program, { env: {} });
  const isPath = /[\\/]/.test(program);
  if (found === undefined) {
    throw isPath
      ? new UsageError(`There is no program at '${program}'`, "It must be executable")
      : new UsageError(`Program '${program}' is not on PATH`, "Install it, or name it by its path");
  }
  const path = resolve(systemPath(found));
  const named = isPath ? path : program;
  if (!/[\s$~]/.test(named)) return path;
  throw new UsageError(
    `A config cannot name '${named}': white space, '$' and '~' have a special meaning`,
  );
}
