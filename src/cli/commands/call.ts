/** `climax call`: makes one call from the command line and prints the text that an agent would get. */

import type { Command } from "@commander-js/extra-typings";
import { io } from "../../io.ts";
import { call } from "../../call/call.ts";
import { prepareCall } from "../../call/prepare.ts";
import type { CallRequest } from "../../call/prepared_call.ts";
import { ExitCode } from "../../errors.ts";
import { setLogLevel } from "../../log.ts";
import { onEndSignals } from "../../process/end_signals.ts";
import { auditFile } from "../../process/environment.ts";
import { stripControlSequences } from "../../text/control_sequences.ts";
import { textOf } from "../../tool/result.ts";
import type { PlanPreview } from "../../tool/runner.ts";
import type { CommandArguments, Example } from "../command.ts";
import { callIn, configOption, orBundledWithout } from "../config_words.ts";
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
  strictOption,
} from "../options.ts";
import { readArguments } from "../call_arguments.ts";
import { terminalAsk } from "../terminal_ask.ts";
import { print } from "../output.ts";

export function define(command: Command) {
  return command
    .description("Call a tool and print exactly what an agent would get")
    .argument("<tool>", "name of the tool; configs may come before it, separated by --")
    .argument("[arguments...]", "name=value pairs, or @FILE with a JSON object (@- for stdin)")
    .addOption(configOption())
    .option("--args <json>", "the arguments as a JSON object, or @FILE")
    .option("--dry-run", "print what would be run, and run nothing")
    .addOption(mcpOption())
    .addOption(policyOption())
    .addOption(sandboxOption())
    .addOption(strictOption())
    .addOption(auditOption())
    .addOption(killTimeoutOption())
    .addOption(maxOutputOption())
    .addOption(maxResultTokensOption())
    .addOption(keepAnsiOption())
    .addOption(logLevelOption());
}

export const examples: readonly Example[] = [
  ["call git_log max_count=3", "call a tool of a bundled config"],
  ["call git docker -- git_log max_count=3", "call a tool of one of these configs"],
  ["call my_tool text='two words' --config ./my.yaml --dry-run", "show what would be run"],
  [`call git_log --args '{"max_count": 3}'`, "give the arguments as an agent does"],
];

/** Calls the tool, or prints the plan. */
export async function run(
  ...[first, words, options, behind]: CommandArguments<typeof define>
): Promise<ExitCode> {
  const { tool, given, configs } = callIn([first, ...words], behind);
  const { config, mcp, policy, strict, audit = auditFile(), logLevel } = options;
  setLogLevel(logLevel);
  const args = await readArguments(given, options.args);
  const { openSession } = await import("../../session/session.ts");
  await using session = await openSession({
    configs: orBundledWithout(mcp, configs, config),
    mcp,
    policy,
    sandbox: options.sandbox,
    strict,
    audit,
    calls: callsOf(options),
  });
  const request: CallRequest = { tool, args, refusesUnknown: true };
  if (options.dryRun) {
    const prepared = await prepareCall(session, request);
    await print(
      terminalText(prepared.ok ? describe(prepared.plan.preview) : prepared.text, options),
    );
    return prepared.ok ? ExitCode.ok : ExitCode.failure;
  }

  const stop = new AbortController();
  const unlisten = onEndSignals(() => stop.abort());
  const { signal } = stop;
  // The person who typed the call reads its result, so a failure needs no warning
  const hooks = {
    signal,
    client: "climax call",
    ask: terminalAsk(),
    failureLevel: "info",
  } as const;
  const result = await call(session, request, hooks);
  unlisten();
  await print(terminalText(textOf(result), options));
  return result.isError ? ExitCode.failure : ExitCode.ok;
}

/** Makes `text` fit for a terminal: unless the person asked for control sequences, no cursor moves. */
function terminalText(text: string, { keepAnsi = false }: { readonly keepAnsi?: boolean }): string {
  return keepAnsi || !io().stdout.isTerminal() ? text : stripControlSequences(text);
}

/** Formats the plan as JSON. */
function describe({ record, details }: PlanPreview): string {
  return JSON.stringify({ ...record, ...details }, null, 2);
}
