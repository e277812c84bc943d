/** `climax call`: one call from the command line, with the text an agent would get. */

import type { Command } from "@commander-js/extra-typings";
import { call } from "../../call/call.ts";
import { type CallRequest, prepareCall } from "../../call/prepare.ts";
import { readTextFile } from "../../document/text_file.ts";
import { ClimaxError, ExitCode, messageOf, UsageError } from "../../errors.ts";
import { setLogLevel } from "../../log.ts";
import { onEndSignals } from "../../process/end_signals.ts";
import { auditFile } from "../../process/environment.ts";
import { textOf } from "../../tool/result.ts";
import type { Shown } from "../../tool/runner.ts";
import type { Example, Words } from "../commands.ts";
import {
  auditOption,
  callsOf,
  configOption,
  graceOption,
  keepAnsiOption,
  logLevelOption,
  maxOutputOption,
  mcpOption,
  orBundledWithout,
  policyOption,
  strictOption,
} from "../options.ts";
import { print } from "../output.ts";

/** The words of `climax call`. */
export function grammar(command: Command) {
  return command
    .description("Call a tool and print exactly what an agent would get")
    .argument("<tool>", "name of the tool")
    .argument("[arguments...]", "name=value pairs, or @FILE with a JSON object (@- for stdin)")
    .addOption(configOption())
    .option("--args <json>", "the arguments as a JSON object, or @FILE")
    .option("--dry-run", "print what would be run, and run nothing")
    .addOption(mcpOption())
    .addOption(policyOption())
    .addOption(strictOption())
    .addOption(auditOption())
    .addOption(graceOption())
    .addOption(maxOutputOption())
    .addOption(keepAnsiOption())
    .addOption(logLevelOption());
}

export const examples: readonly Example[] = [
  ["call git_log max_count=3", "call a tool of a bundled config"],
  ["call my_tool text='two words' --config ./my.yaml --dry-run", "show what would be run"],
  [`call git_log --args '{"max_count": 3}'`, "give the arguments as an agent does"],
];

/** Calls the tool, or says what would be run. */
export async function action(
  ...[tool, words, options]: Words<typeof grammar>
): Promise<ExitCode> {
  const { config, mcp, policy, strict, audit = auditFile(), logLevel } = options;
  setLogLevel(logLevel);
  const args = await readArgs(words, options.args);
  const { openSession } = await import("../../session.ts");
  await using session = await openSession({
    configs: orBundledWithout(mcp, config),
    mcp,
    policy,
    strict,
    audit,
    calls: callsOf(options),
  });
  const request: CallRequest = { tool, args, refusesUnknown: true };
  if (options.dryRun) {
    const prepared = await prepareCall(session, request);
    await print(prepared.ok ? describe(prepared.plan.shown) : prepared.text);
    return prepared.ok ? ExitCode.ok : ExitCode.no;
  }

  const stop = new AbortController();
  const unlisten = onEndSignals(() => stop.abort());
  const result = await call(session, request, { signal: stop.signal, client: "climax call" });
  unlisten();
  await print(textOf(result));
  return result.isError ? ExitCode.no : ExitCode.ok;
}

async function readArgs(words: readonly string[], json: string | undefined): Promise<unknown> {
  const files = words.filter((word) => word.startsWith("@"));
  const [source, ...others] = [...(json === undefined ? [] : [json]), ...files];
  const pairs = words.filter((word) => !word.startsWith("@"));
  if (others.length > 0 || (source !== undefined && pairs.length > 0)) {
    throw new UsageError(
      "Arguments are given as name=value pairs, --args JSON or @FILE, not mixed",
    );
  }
  if (source === undefined) return joinPairs(pairs.map(splitPair));
  const text = source.startsWith("@") ? await readSource(source.slice(1)) : source;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`The arguments are not JSON: ${messageOf(error)}`);
  }
}

/** Arguments by name; a name that is given more than once has a list. */
function joinPairs(pairs: readonly [string, string][]): Record<string, string | string[]> {
  const values = Map.groupBy(pairs, ([name]) => name);
  return Object.fromEntries(
    [...values].map(([name, [first, ...others]]) => {
      return [name, others.length === 0 ? first![1] : [first!, ...others].map(([, text]) => text)];
    }),
  );
}

function splitPair(pair: string): [string, string] {
  const equals = pair.indexOf("=");
  if (equals > 0) return [pair.slice(0, equals), pair.slice(equals + 1)];
  throw new UsageError(`Expected name=value, found '${pair}'`);
}

async function readSource(path: string): Promise<string> {
  if (path === "-") return await new Response(Deno.stdin.readable).text();
  const read = await readTextFile(path);
  if (read.ok) return read.text;
  throw new ClimaxError("The arguments were not read", ExitCode.file, [read.problem]);
}

/** What would be run, as JSON. */
function describe({ record, details }: Shown): string {
  return JSON.stringify({ ...record, ...details }, null, 2);
}
