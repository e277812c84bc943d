/**
 * The command line: arguments → command → exit code. The only place that prints an error. The
 * words of the command line stand in `program.ts`, what they do in `commands/`.
 */

import { sealedContents } from "./build_info.ts";
import { ClimaxError, ExitCode, formatProblem, messageOf, UsageError } from "./errors.ts";
import { optionalVariable } from "./environment.ts";
import { log, setLogFile } from "./log.ts";

/** Runs the program with `args`; never throws, and answers with its exit code. */
export async function main(args: readonly string[]): Promise<ExitCode> {
  try {
    openLogFile();
    const sealed = sealedContents();
    if (sealed === undefined) {
      const { runProgram } = await import("./program.ts");
      return await runProgram(args, write);
    }
    const { sealedCommand } = await import("./commands/sealed.ts");
    return await sealedCommand(sealed, args);
  } catch (error) {
    return report(error);
  }
}

/** Says what went wrong on stderr, and which exit code that is. */
function report(error: unknown): ExitCode {
  if (error instanceof Deno.errors.BrokenPipe) return ExitCode.ok;
  if (error instanceof ClimaxError) {
    const usage = error instanceof UsageError;
    const problems = error.problems.map(formatProblem);
    write(
      usage ? `error: ${problems.join("\n")}` : [...problems, `error: ${error.message}`].join("\n"),
    );
    return error.exitCode;
  }
  write(`error: climax broke: ${messageOf(error)}`);
  log("debug", error instanceof Error ? error.stack ?? "" : "");
  write("  hint: --log-level debug shows where; please report it");
  return ExitCode.broke;
}

function write(text: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`${text}\n`));
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
