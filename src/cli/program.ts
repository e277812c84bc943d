/**
 * The words of the command line: every command with its arguments and options. What a command does
 * stands in `commands/`, one file each, imported when it is asked for.
 */

import { Argument, Command, CommanderError, Option } from "commander";
import {
  auditOption,
  callsOf,
  configOption,
  counting,
  graceOption,
  keepAnsiOption,
  logLevelOption,
  maxOutputOption,
  policyOption,
  strictOption,
} from "./options.ts";
import { bundledConfigs } from "../sources/command/bundled.ts";
import { isConfigPath } from "../sources/command/locate.ts";
import { ExitCode, UsageError } from "../errors.ts";
import { setLogLevel } from "../log.ts";
import { nearNames } from "../text/near_names.ts";
import { version } from "../process/version.ts";

/**
 * Runs the command that `args` name; `complain` takes words for stderr, without a line feed.
 *
 * @throws {ClimaxError} when the command line or a file it names is wrong
 */
export async function runProgram(
  args: readonly string[],
  complain: (text: string) => void,
): Promise<ExitCode> {
  let exitCode: ExitCode = ExitCode.ok;
  const program = buildProgram((code) => exitCode = code, complain);
  if (args.length === 0) {
    program.outputHelp({ error: true });
    return ExitCode.usage;
  }
  if (args.length === 1 && ["-V", "--version"].includes(args[0]!)) {
    const { versionCommand } = await import("./commands/version.ts");
    return await versionCommand();
  }
  refuseMistypedCommand(program, args[0]!);
  try {
    await program.parseAsync([...args], { from: "user" });
  } catch (error) {
    // Commander has said what is wrong, or printed what was asked for
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? ExitCode.ok : ExitCode.usage;
  }
  return exitCode;
}

/** Without this, `climax serach` would be taken for the config of that name. */
function refuseMistypedCommand(program: Command, word: string): void {
  if (word.startsWith("-") || isConfigPath(word) || bundledConfigs.has(word)) return;
  const commands = program.commands.map((command) => command.name());
  if (commands.includes(word) || nearNames(word, bundledConfigs.keys()).length > 0) return;
  const near = nearNames(word, commands);
  if (near.length > 0) {
    throw new UsageError(`Unknown command '${word}'`, `Did you mean: ${near.join(", ")}`);
  }
}

const configsHelp = "names of bundled configs, or paths of YAML files";

function buildProgram(
  finish: (code: ExitCode) => void,
  complain: (text: string) => void,
): Command {
  const program = new Command("climax")
    .description("Makes command-line programs usable by AI agents, over MCP")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand("help [command]", "print help for a command")
    .exitOverride()
    .configureOutput({
      writeErr: (text) => complain(text.trimEnd()),
      writeOut: (text) => void Deno.stdout.writeSync(new TextEncoder().encode(text)),
      outputError: (text, print) => print(text),
    })
    .addHelpText("after", helpEnd);

  program.command("run", { isDefault: true })
    .description("serve configs to an MCP client over stdin and stdout (`run` may be left out)")
    .argument("<config...>", configsHelp)
    .option("--classic", "show every tool by name instead of climax_search and climax_call")
    .option(
      "--concurrency <number>",
      "programs that run at once (default: 4 per core)",
      counting(1),
    )
    .addOption(policyOption())
    .addOption(strictOption())
    .addOption(auditOption())
    .addOption(graceOption())
    .option("--reap", "end the programs that servers left behind when they were killed")
    .addOption(maxOutputOption())
    .addOption(keepAnsiOption())
    .addOption(logLevelOption())
    .action(async (configs: string[], options) => {
      setLogLevel(options.logLevel);
      const { runCommand } = await import("./commands/run.ts");
      finish(await runCommand({ ...options, configs, calls: callsOf(options) }));
    });

  program.command("validate")
    .description("check configs, and whether the programs they run are on PATH")
    .argument("<config...>", configsHelp)
    .addOption(policyOption())
    .addOption(strictOption())
    .action(async (configs: string[], options) => {
      const { validateCommand } = await import("./commands/validate.ts");
      finish(await validateCommand({ ...options, configs }));
    });

  program.command("list")
    .description("list the tools of configs, or the bundled configs")
    .argument("[config...]", configsHelp)
    .addOption(policyOption())
    .addOption(strictOption())
    .option("--json", "print JSON")
    .action(async (configs: string[], options) => {
      const { listCommand } = await import("./commands/list.ts");
      finish(await listCommand({ ...options, configs }));
    });

  program.command("search")
    .description("search tools as an agent would with climax_search")
    .argument("[query]", "what to look for; without it and without filters, a summary")
    .addOption(configOption())
    .addOption(policyOption())
    .addOption(strictOption())
    .option("--category <name>", "only tools of this category")
    .option("--cli <name>", "only tools of this CLI")
    .option("--limit <number>", "how many results", counting(0))
    .option("--json", "print the JSON that an agent would get")
    .action(async (query: string | undefined, options) => {
      const { searchCommand } = await import("./commands/search.ts");
      finish(await searchCommand({ ...options, query }));
    });

  program.command("call")
    .description("call a tool and print exactly what an agent would get")
    .argument("<tool>", "name of the tool")
    .argument("[arguments...]", "name=value pairs, or @FILE with a JSON object (@- for stdin)")
    .addOption(configOption())
    .option("--args <json>", "the arguments as a JSON object, or @FILE")
    .option("--dry-run", "print what would be run, and run nothing")
    .addOption(policyOption())
    .addOption(strictOption())
    .addOption(auditOption())
    .addOption(graceOption())
    .addOption(maxOutputOption())
    .addOption(keepAnsiOption())
    .addOption(logLevelOption())
    .action(async (tool: string, words: string[], options) => {
      setLogLevel(options.logLevel);
      const { callCommand } = await import("./commands/call.ts");
      finish(await callCommand({ ...options, tool, words, calls: callsOf(options) }));
    });

  program.command("permissions")
    .description("print the Deno permissions that serving these configs takes, and no more")
    .argument("<config...>", configsHelp)
    .addOption(policyOption())
    .addOption(strictOption())
    .option("--resolve", "name programs by their absolute paths")
    .option("--json", "print JSON")
    .action(async (configs: string[], options) => {
      const { permissionsCommand } = await import("./commands/permissions.ts");
      finish(await permissionsCommand({ ...options, configs }));
    });

  program.command("compile")
    .description("build a server for exactly these configs under exactly this policy")
    .argument("<config...>", configsHelp)
    .requiredOption("-o, --output <file>", "where the server is written")
    .addOption(policyOption())
    .addOption(strictOption())
    .option("--classic", "show every tool by name instead of climax_search and climax_call")
    .option("--portable", "make a script that runs where Deno is, instead of a binary")
    .option("--target <target>", "build a binary for another system, as deno compile names it")
    .action(async (configs: string[], options) => {
      const { compileCommand } = await import("./commands/compile.ts");
      finish(await compileCommand({ ...options, configs }));
    });

  program.command("eval")
    .description("measure search with queries of your own")
    .argument("<queries>", "a file with a line of JSON for each query")
    .addOption(configOption())
    .addOption(policyOption())
    .addOption(strictOption())
    .addOption(
      new Option("--limit <number>", "results per query").argParser(counting(1)).default(10),
    )
    .option("--misses <number>", "show this many of the worst queries", counting(0))
    .option("--json", "print JSON")
    .action(async (queries: string, options) => {
      const { evalCommand } = await import("./commands/eval.ts");
      finish(await evalCommand({ ...options, queries }));
    });

  program.command("stats")
    .description("count the tokens that a catalogue costs an agent")
    .addOption(configOption())
    .addOption(policyOption())
    .addOption(strictOption())
    .option("--json", "print JSON")
    .action(async (options) => {
      const { statsCommand } = await import("./commands/stats.ts");
      finish(await statsCommand(options));
    });

  program.command("completions")
    .description("print a script that lets a shell complete climax's words")
    .addArgument(new Argument("<shell>").choices(["bash", "zsh", "fish", "powershell"]))
    .action(async (shell: string) => {
      const { completionsCommand } = await import("./commands/completions.ts");
      finish(await completionsCommand(shell));
    });

  program.command("complete", { hidden: true })
    .argument("[words...]")
    .action(async (words: string[]) => {
      const { completeCommand } = await import("./commands/complete.ts");
      finish(await completeCommand(program, words));
    });

  return program;
}

const helpEnd = `
Bundled configs: ${[...bundledConfigs.keys()].join(", ")}
Exit codes: 0 done, 1 the answer is no, 2 wrong usage, 3 a file is wrong or missing, 4 climax broke
Environment: CLIMAX_LOG_FILE names a file that log lines are appended to, CLIMAX_AUDIT_FILE one
that gets a line of JSON for each call`;
