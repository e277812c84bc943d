/** `climax call`: makes one call from the command line and prints the text that an agent would get. */

import type { Command } from "@commander-js/extra-typings";
import { io } from "../../io.ts";
import { call } from "../../call/call.ts";
import { prepareCall } from "../../call/prepare.ts";
import { refusalText } from "../../call/refusal.ts";
import type { CallContext } from "../../call/context.ts";
import type { CallRequest } from "../../call/pipeline.ts";
import type { ToolTable } from "../../catalog/tool_table.ts";
import { ExitCode, UsageError } from "../../errors.ts";
import { onEndSignals } from "../../process/end_signals.ts";
import { auditOptions } from "../../process/environment.ts";
import { stripControlSequences } from "../../text/control_sequences.ts";
import { textOf } from "../../tool/result.ts";
import type { CommandArguments, Example } from "../command.ts";
import { callIn, type CallWords, type ChosenConfigs, sessionOf } from "../config_words.ts";
import type { SessionOptions } from "../../session/session.ts";
import { callsOf, longOptions, toolOptions, withOptions } from "../options.ts";
import { optionsToPairs, readArguments } from "../call_arguments.ts";
import { print, printJson, sayHint } from "../output.ts";
import { plainText } from "../../terminal.ts";
import { printTool } from "../tool_words.ts";
import { showWaiting } from "../progress_line.ts";
import { approvalsOpener } from "../approvals.ts";
import { canAsk, terminalAsk } from "../ask.ts";
import { configNotLoaded, configsWith, possibleNames } from "../tool_lookup.ts";
import { shellLine, shellWord } from "../../text/shell_word.ts";
import { runTool } from "../../sources/scripts/script_tools.ts";
import { nearHint } from "../../text/similar_names.ts";
import type { PlanPreview } from "../../tool/runner.ts";
import { climax } from "../../process/own_command.ts";

export function define(command: Command) {
  return withOptions(
    command
      .description("Call a tool and print exactly what an agent would get")
      .argument("<tool>", "name of the tool; configs may come before it, separated by --")
      .argument(
        "[arguments...]",
        "name=value or --name value, or @FILE with a JSON object (@- for stdin)",
      )
      // Options that climax does not know are arguments of the tool
      .allowUnknownOption()
      .option("--args <json>", "the arguments as a JSON object, or @FILE")
      .option("--dry-run", "print what would be run, and run nothing")
      .option("--json", "print the dry run, or the whole result, as JSON"),
    ...[...toolOptions, "scripts", "audit", "killTimeout", "maxOutput", "maxResultTokens"] as const,
  );
}

export const examples: readonly Example[] = [
  ["call git_log max_count=3", "call a tool of a bundled config, or of one of your own"],
  ["call git log --max-count 3", "the same"],
  ["call git docker -- git_log max_count=3", "call a tool of one of these configs"],
  ["call my_tool text='two words' --config ./my.yaml --dry-run", "show what would be run"],
  [`call git_log --args '{"max_count": 3}'`, "give the arguments as an agent does"],
];

export async function run(...[first, words, options, behind]: CommandArguments<typeof define>) {
  const called = callIn([first, ...words], behind);
  await using closing = new AsyncDisposableStack();
  const approvals = canAsk() || options.dryRun ? undefined : approvalsOpener(closing);
  const { session, chosen, found } = await openFor(called, { ...options, approvals });
  closing.use(session);
  const { name = called.tool, taken = 0 } = found ?? {};
  if (found === undefined) refuseNearName(called, session.index);
  const given = optionsToPairs(
    called.given.slice(taken),
    session.index.resolve(name),
    longOptions(define),
  );
  const args = await readArguments(given, options.args);
  const request: CallRequest = { tool: name, args, refusesUnknown: true };
  const code = options.dryRun
    ? await show(session, request, options)
    : await runCall(session, request, options);
  const hint = found === undefined ? await configNotLoaded(name, chosen.configs) : undefined;
  if (hint !== undefined) sayHint(hint);
  return code;
}

export async function describe(
  ...[first, words, options, behind]: CommandArguments<typeof define>
) {
  const called = callIn([first, ...words], behind);
  const { session, chosen, found } = await openFor(called, {
    ...options,
    // The tool script_run exists only with `--scripts`; to show its help, scripts are turned on
    ...(called.tool === runTool && { scripts: true }),
  });
  await using _closing = session;
  if (found === undefined) refuseNearName(called, session.index);
  const name = found?.name ?? called.tool;
  const tool = session.index.resolve(name);
  if (tool !== undefined) {
    await printTool(tool);
    return ExitCode.ok;
  }
  const absence = await configNotLoaded(name, chosen.configs);
  const [withheld, remedy] = (await session.explainWithheld?.(name))?.split("\n") ?? [];
  if (withheld !== undefined && absence === undefined) throw new UsageError(withheld, remedy);
  const near = nearHint(name, session.index.tools.map((each) => each.name));
  const hint = absence ?? near ?? `${climax()} search ${shellWord(name)}`;
  throw new UsageError(`No command or tool is called '${name}'`, hint);
}

/** Opens a session with the configs that may have the tool, or with all configs if none of these has it. */
async function openFor(
  { tool, given, configs }: CallWords,
  options: CallOptions & Pick<SessionOptions, "approvals">,
) {
  const names = possibleNames(tool, given);
  const { openSession } = await import("../../session/session.ts");
  const { config, mcp, policy, sandbox, scripts, strict, audit, approvals } = options;
  const open = async (chosen: ChosenConfigs & Pick<SessionOptions, "mcp">) => {
    const session = await openSession({
      ...{ mcp, policy, sandbox, scripts, strict, approvals, calls: callsOf(options) },
      ...chosen,
      ...auditOptions(audit),
    });
    const { index } = session;
    const found = names.find(({ name, taken }) => {
      return (taken === 0 ? index.resolve(name) : index.get(name)) !== undefined;
    });
    return { session, chosen, found };
  };
  if (configs.length > 0 || (config ?? mcp ?? policy) !== undefined || tool.includes("__")) {
    return await open(await sessionOf(options, configs));
  }
  const few = await open(await configsWith(names.map(({ name }) => name)));
  if (few.found !== undefined) return few;
  await few.session.close();
  return await open(await sessionOf(options, []));
}

type CallOptions = CommandArguments<typeof define>[2];

function refuseNearName({ tool, given }: CallWords, index: ToolTable): void {
  const joined = possibleNames(tool, given)[0]!.name;
  const near = joined === tool ? [] : index.near(joined);
  if (near.length === 0) return;
  const message = `Unknown tool: ${joined.replaceAll("_", " ")}`;
  throw new UsageError(message, `Did you mean: ${near.join(", ")}`);
}

async function show(session: CallContext, request: CallRequest, options: CallOptions) {
  const prepared = await prepareCall(session, request);
  if (!prepared.ok) {
    await print(terminalText(refusalText(prepared)));
    return ExitCode.failure;
  }
  const { preview } = prepared.plan;
  if (options.json) await printJson({ ...preview.record, ...preview.details });
  else await print(plainText(planText(preview), "stdout"));
  return ExitCode.ok;
}

async function runCall(session: CallContext, request: CallRequest, options: CallOptions) {
  const stop = new AbortController();
  const unlisten = onEndSignals(() => stop.abort());
  const answer = await showWaiting(request.tool, (tell) =>
    call(session, request, {
      signal: stop.signal,
      client: "climax call",
      ask: terminalAsk(stop.signal),
      // The person who typed the call reads its result, so a failure needs no warning
      failureLevel: "info",
      onProgress({ message }) {
        if (message !== undefined) tell(`${request.tool}: ${message}`);
      },
    }));
  unlisten();
  if (options.json) await printJson(answer);
  else await print(terminalText(textOf(answer)));
  return answer.isError ? ExitCode.failure : ExitCode.ok;
}

/** Removes control sequences, which would move the cursor, if stdout is a terminal. */
function terminalText(text: string): string {
  return io().stdout.isTerminal() ? stripControlSequences(text) : text;
}

function planText({ record, details = {}, line }: PlanPreview): string {
  const { argv, ...others } = record;
  const command = shellLine(argv) ?? line;
  const { cwd, timeout, env, stdin_bytes: bytes, ...rest } = { ...others, ...details };
  const lines = [
    ...(cwd === undefined ? [] : [`directory: ${cwd}`]),
    ...(bytes === undefined ? [] : [`input: ${bytes} bytes`]),
    ...(timeout === undefined ? [] : [`timeout: ${timeout} s`]),
    ...(Array.isArray(env) ? [`variables: ${env.length}, which --json names`] : []),
    ...Object.entries(rest).map(([name, value]) => {
      return `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`;
    }),
  ];
  return [`$ ${command}`, ...lines.map((line) => `  ${line}`)].join("\n");
}
