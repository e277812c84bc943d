/**
 * The command line: arguments → command → exit code. The only place that prints an error. The
 * words of the command line stand in `program.ts`, what they do in `commands/`.
 */

import { sealedContents } from "../process/build_info.ts";
import type { RunCommandOptions } from "./commands/run.ts";
import { bundledConfigs } from "../sources/command/bundled.ts";
import { isConfigPath } from "../sources/command/locate.ts";
import { ClimaxError, ExitCode, formatProblem, messageOf, UsageError } from "../errors.ts";
import { optionalVariable } from "../process/environment.ts";
import { log, say, setLogFile } from "../log.ts";

/** Runs the program with `args`; never throws, and answers with its exit code. */
export async function main(args: readonly string[]): Promise<ExitCode> {
  try {
    openLogFile();
    const sealed = sealedContents();
    if (sealed === undefined) {
      const plain = plainRun(args);
      if (plain !== undefined) {
        const { runCommand } = await import("./commands/run.ts");
        return await runCommand(plain);
      }
      const { runProgram } = await import("./program.ts");
      return await runProgram(args, say);
    }
    const { sealedCommand } = await import("./commands/sealed.ts");
    return await sealedCommand(sealed, args);
  } catch (error) {
    return report(error);
  }
}

/**
 * The commonest command line, configs and perhaps `--classic`, which a client starts a server with
 * each time: it is read here, since what reads all the others takes a tenth of a start to load.
 * Anything that needs a second look is left to it.
 */
function plainRun(args: readonly string[]): RunCommandOptions | undefined {
  const words = args.filter((word) => word !== "--classic");
  const configs = words[0] === "run" ? words.slice(1) : words;
  const isConfig = (word: string) => {
    return !word.startsWith("-") && (bundledConfigs.has(word) || isConfigPath(word));
  };
  if (configs.length === 0 || !configs.every(isConfig)) return undefined;
  return { configs, classic: words.length < args.length };
}

/** Says what went wrong on stderr, and which exit code that is. */
function report(error: unknown): ExitCode {
  if (error instanceof Deno.errors.BrokenPipe) return ExitCode.ok;
  if (error instanceof ClimaxError) {
    const usage = error instanceof UsageError;
    const problems = error.problems.map(formatProblem);
    say(
      usage ? `error: ${problems.join("\n")}` : [...problems, `error: ${error.message}`].join("\n"),
    );
    return error.exitCode;
  }
  say(`error: climax broke: ${messageOf(error)}`);
  log("debug", error instanceof Error ? error.stack ?? "" : "");
  say("  hint: --log-level debug shows where; please report it");
  return ExitCode.broke;
}

function openLogFile(): void {
  const path = optionalVariable("CLIMAX_LOG_FILE");
  if (path === undefined || path === "") return;
  try {
    setLogFile(path);
  } catch (error) {
    const message = `CLIMAX_LOG_FILE: '${path}' cannot be opened: ${messageOf(error)}`;
    throw new ClimaxError("There is no log file", ExitCode.file, [{ message }]);
  }
}
