/** `climax call`: one call from the command line, with the text an agent would get. */

import { call } from "../../call/call.ts";
import { auditFile } from "../../process/environment.ts";
import type { CallSettings } from "../../call/context.ts";
import { type CallRequest, prepareCall } from "../../call/prepare.ts";
import { bundledConfigs } from "../../sources/command/bundled.ts";
import { onEndSignals } from "../../process/end_signals.ts";
import { ClimaxError, ExitCode, messageOf, UsageError } from "../../errors.ts";
import { openSession } from "../../session.ts";
import { textOf } from "../../tool/result.ts";
import type { Shown } from "../../tool/runner.ts";
import { print } from "../output.ts";

/** Settings of `climax call`. */
export interface CallCommandOptions {
  readonly tool: string;
  /** `name=value` pairs, or one `@FILE`. */
  readonly words: readonly string[];
  /** A JSON object, or `@FILE`. */
  readonly args?: string;
  /** Default: all bundled ones. */
  readonly config?: readonly string[];
  readonly dryRun?: boolean;
  readonly policy?: string;
  readonly strict?: boolean;
  readonly audit?: string;
  readonly calls: Partial<CallSettings>;
}

/** Calls the tool, or says what would be run. */
export async function callCommand(options: CallCommandOptions): Promise<ExitCode> {
  const { configs, words } = splitWords(options);
  const args = await readArgs(words, options.args);
  const session = await openSession({ ...options, configs, audit: options.audit ?? auditFile() });
  const request: CallRequest = { tool: options.tool, args };
  if (options.dryRun) {
    const prepared = await prepareCall(session, request);
    await print(prepared.ok ? describe(prepared.plan.shown) : prepared.text);
    return prepared.ok ? ExitCode.ok : ExitCode.no;
  }

  const stop = new AbortController();
  const unlisten = onEndSignals(() => stop.abort());
  const result = await call(session, request, { signal: stop.signal, client: "climax call" });
  unlisten();
  await session.close();
  await print(textOf(result));
  return result.isError ? ExitCode.no : ExitCode.ok;
}

/** `--config` takes every word up to the next option, so arguments behind it are given back. */
function splitWords({ config, words }: CallCommandOptions): { configs: string[]; words: string[] } {
  if (config === undefined) return { configs: [...bundledConfigs.keys()], words: [...words] };
  const isArgument = (word: string) => /^(?:[\w-]+=|@)/.test(word);
  const taken = config.filter(isArgument);
  return { configs: config.filter((word) => !isArgument(word)), words: [...words, ...taken] };
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
  if (source === undefined) return Object.fromEntries(pairs.map(splitPair));
  const text = source.startsWith("@") ? await readSource(source.slice(1)) : source;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`The arguments are not JSON: ${messageOf(error)}`);
  }
}

function splitPair(pair: string): [string, string] {
  const equals = pair.indexOf("=");
  if (equals > 0) return [pair.slice(0, equals), pair.slice(equals + 1)];
  throw new UsageError(`Expected name=value, found '${pair}'`);
}

async function readSource(path: string): Promise<string> {
  try {
    if (path === "-") return await new Response(Deno.stdin.readable).text();
    return await Deno.readTextFile(path);
  } catch (error) {
    const problem = { file: path, message: `File cannot be read: ${messageOf(error)}` };
    throw new ClimaxError("There are no arguments", ExitCode.file, [problem]);
  }
}

/** What would be run, as JSON. */
function describe({ record, details }: Shown): string {
  return JSON.stringify({ ...record, ...details }, null, 2);
}
