/** `climax call`: makes one call from the command line and prints the text that an agent would get. */

import { Command, Option } from "@commander-js/extra-typings";
import { io } from "../../io.ts";
import { call } from "../../call/call.ts";
import { prepareCall } from "../../call/prepare.ts";
import type { CallContext } from "../../call/context.ts";
import type { CallRequest } from "../../call/prepared_call.ts";
import type { ToolTable } from "../../catalog/tool_table.ts";
import { ExitCode, UsageError } from "../../errors.ts";
import { say, setLogLevel } from "../../log.ts";
import { onEndSignals } from "../../process/end_signals.ts";
import { auditFile } from "../../process/environment.ts";
import { stripControlSequences } from "../../text/control_sequences.ts";
import { textOf } from "../../tool/result.ts";
import type { CommandArguments, Example } from "../command.ts";
import { label } from "../colour.ts";
import {
  callIn,
  type CallWords,
  type ChosenConfigs,
  configOption,
  orAll,
  orAllWithout,
} from "../config_words.ts";
import {
  callsOf,
  keepAnsiOption,
  killTimeoutOption,
  maxOutputOption,
  maxResultTokensOption,
} from "../call_options.ts";
import {
  auditOption,
  logLevelOption,
  mcpOption,
  policyOption,
  sandboxOption,
  scriptsOption,
  strictOption,
} from "../options.ts";
import { readArguments } from "../call_arguments.ts";
import { optionsToPairs } from "../option_words.ts";
import { print, printJson } from "../output.ts";
import { plainText } from "../../terminal.ts";
import { planText } from "../plan_text.ts";
import { waiting } from "../progress_line.ts";
import { asTyped } from "../typed_command.ts";
import { terminalAsk } from "../terminal_ask.ts";
import { configNotLoaded, configsWith, possibleNames } from "../tool_lookup.ts";

export function define(command: Command) {
  return command
    .description("Call a tool and print exactly what an agent would get")
    .argument("<tool>", "name of the tool; configs may come before it, separated by --")
    .argument(
      "[arguments...]",
      "name=value or --name value, or @FILE with a JSON object (@- for stdin)",
    )
    // Options that are not climax's are arguments of the tool
    .allowUnknownOption()
    .addOption(configOption())
    .option("--args <json>", "the arguments as a JSON object, or @FILE")
    .option("--dry-run", "print what would be run, and run nothing")
    .addOption(new Option("--json", "print the dry run as JSON"))
    .addOption(mcpOption())
    .addOption(policyOption())
    .addOption(sandboxOption())
    .addOption(scriptsOption())
    .addOption(strictOption())
    .addOption(auditOption())
    .addOption(killTimeoutOption())
    .addOption(maxOutputOption())
    .addOption(maxResultTokensOption())
    .addOption(keepAnsiOption())
    .addOption(logLevelOption());
}

export const examples: readonly Example[] = [
  ["call git_log max_count=3", "call a tool of a bundled config, or of one of your own"],
  ["call git log --max-count 3", "the same"],
  ["call git docker -- git_log max_count=3", "call a tool of one of these configs"],
  ["call my_tool text='two words' --config ./my.yaml --dry-run", "show what would be run"],
  [`call git_log --args '{"max_count": 3}'`, "give the arguments as an agent does"],
];

/** Calls the tool, or prints the plan. */
export async function run(
  ...[first, words, options, behind]: CommandArguments<typeof define>
): Promise<ExitCode> {
  const called = callIn([first, ...words], behind);
  if (options.json && !options.dryRun) throw new UsageError("--json goes with --dry-run");
  setLogLevel(options.logLevel);
  const { session, chosen, found } = await openFor(called, options);
  await using _closed = session;
  const { name = called.tool, taken = 0 } = found ?? {};
  if (found === undefined) refuseNearName(called, session.index);
  const given = optionsToPairs(
    called.given.slice(taken),
    session.index.resolve(name),
    ownOptions(),
  );
  const args = await readArguments(given, options.args);
  const request: CallRequest = { tool: name, args, refusesUnknown: true };
  const code = options.dryRun
    ? await show(session, request, options)
    : await runCall(session, request, options);
  const hint = found === undefined ? await configNotLoaded(name, chosen.configs) : undefined;
  if (hint !== undefined) say(`  ${label("hint", "stderr")} ${asTyped(hint)}`);
  return code;
}

/** Opens a session with the configs that may have the tool, or with all when none of these has it. */
async function openFor(
  { tool, given, configs }: CallWords,
  { config, mcp, policy, sandbox, scripts, strict, audit = auditFile(), ...calls }: CallOptions,
) {
  const names = possibleNames(tool, given);
  const { openSession } = await import("../../session/session.ts");
  const open = async (chosen: ChosenConfigs) => {
    const session = await openSession({
      ...chosen,
      mcp,
      policy,
      sandbox,
      scripts,
      strict,
      audit,
      calls: callsOf(calls),
    });
    const { index } = session;
    const found = names.find(({ name, taken }) => {
      return (taken === 0 ? index.resolve(name) : index.get(name)) !== undefined;
    });
    return { session, chosen, found };
  };
  // A policy may name the tools of any config
  if (configs.length > 0 || config !== undefined || mcp !== undefined || policy !== undefined) {
    return await open(await orAllWithout(mcp, configs, config));
  }
  const few = await open(await configsWith(names.map(({ name }) => name)));
  if (few.found !== undefined) return few;
  await few.session.close();
  return await open(await orAll());
}

type CallOptions = CommandArguments<typeof define>[2];

/** Suggests a tool for several words that are none: `git lgo`. */
function refuseNearName({ tool, given }: CallWords, index: ToolTable): void {
  const joined = possibleNames(tool, given)[0]!.name;
  const near = joined === tool ? [] : index.near(joined);
  if (near.length === 0) return;
  const message = `Unknown tool: ${joined.replaceAll("_", " ")}`;
  throw new UsageError(message, `Did you mean: ${near.join(", ")}`);
}

/** The options of this command. */
function ownOptions(): string[] {
  return define(new Command()).options.flatMap(({ long }) => long ?? []);
}

/** Prints what would be run, or the refusal. */
async function show(
  session: CallContext,
  request: CallRequest,
  options: Shown,
): Promise<ExitCode> {
  const prepared = await prepareCall(session, request);
  if (!prepared.ok) {
    await print(terminalText(prepared.text, options), options.keepAnsi);
    return ExitCode.failure;
  }
  const { preview } = prepared.plan;
  if (options.json) await printJson({ ...preview.record, ...preview.details });
  else await print(plainText(planText(preview), "stdout"));
  return ExitCode.ok;
}

/** Makes the call and prints its result; on a terminal, a line says that it runs. */
async function runCall(
  session: CallContext,
  request: CallRequest,
  options: Shown,
): Promise<ExitCode> {
  const stop = new AbortController();
  const unlisten = onEndSignals(() => stop.abort());
  const started = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  let isRunning = false;
  const ask = terminalAsk();
  let tell = (_words: string) => {};
  const result = call(session, request, {
    signal: stop.signal,
    client: "climax call",
    ask: ask && ((question) => {
      if (isRunning) asked.resolve();
      return ask(question);
    }),
    // The person who typed the call reads its result, so a failure needs no warning
    failureLevel: "info",
    mayStart() {
      isRunning = true;
      started.resolve();
      return undefined;
    },
    onProgress: ({ message }) => {
      if (message !== undefined) tell(`${request.tool}: ${message}`);
    },
  });
  await Promise.race([started.promise, result]);
  // A question during the run has the terminal for itself
  const ended = Promise.race([result, asked.promise]);
  await waiting(request.tool, async (change) => {
    tell = change;
    await ended;
  });
  const answer = await result;
  unlisten();
  await print(terminalText(textOf(answer), options), options.keepAnsi);
  return answer.isError ? ExitCode.failure : ExitCode.ok;
}

interface Shown {
  readonly keepAnsi?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** Makes `text` fit for a terminal: unless the person asked for control sequences, no cursor moves. */
function terminalText(text: string, { keepAnsi = false }: Shown): string {
  return keepAnsi || !io().stdout.isTerminal() ? text : stripControlSequences(text);
}
