/** Runs the program of a planned call, and makes a result of its output. */

import type { Captured, Ending, Invocation, RunOutcome } from "../../exec/invocation.ts";
import { type OutputStream, run, type RunOptions } from "../../exec/run.ts";
import { maskUrlCredentials } from "../../text/url_credentials.ts";
import { type CallResult, type RunRecord, type WholeOutput, withNotes } from "../../tool/result.ts";
import type { PlanOptions, ProgressEvent } from "../../tool/runner.ts";
import type { Tool } from "../../tool/tool.ts";
import { formatOutcome, isFailure, maxImageBytes, resultOfRun, takeLines } from "./output.ts";
import { commandSourceOf, describeSandbox } from "./source.ts";
import { Buffer } from "node:buffer";
import { defaultOutputBounds, StoredOutput } from "../../jobs/stored_output.ts";
import { countLineFeeds } from "../../text/lines.ts";
import { type CancelTimer, systemClock } from "../../async/clock.ts";
import { settleReturns, stripControlSequences } from "../../text/control_sequences.ts";
import { excerpt } from "../../text/excerpt.ts";
import { present } from "../../text/own_property.ts";

export interface RunPlanOptions extends Pick<RunOptions, "graceMs" | "keepBytes" | "clock"> {
  readonly spool?: OpenStoredOutput;
}

/**
 * Runs a program. With `retry_with`, a call that finds nothing runs again with wider arguments, as an empty answer may
 * mislead an agent.
 */
export async function runPlan(
  tool: Tool,
  invocation: Invocation,
  options: RunPlanOptions & PlanOptions,
  wider: Invocation | undefined,
): Promise<CallResult> {
  const result = await runOnce(tool, invocation, options);
  if (wider === undefined || !foundNothing(result)) return result;
  const more = await runOnce(tool, wider, options);
  if (more.isError || foundNothing(more)) return result;
  const args = Object.entries(commandSourceOf(tool).retryWith ?? {});
  const names = args.filter(([, value]) => value === true).map(([name]) => name);
  return withNotes(more, `[found only with ${names.join(", ")}]`);
}

function foundNothing({ isError = false, record }: CallResult): boolean {
  return !isError && (record?.exit_code ?? 0) !== 0 && record?.stdout_bytes === 0;
}

async function runOnce(
  tool: Tool,
  invocation: Invocation,
  options: RunPlanOptions & PlanOptions,
): Promise<CallResult> {
  const { onProgress, spool, owner } = options;
  const { output, masksUrlCredentials = false } = commandSourceOf(tool);
  const mask = masksUrlCredentials ? maskUrlCredentials : (text: string) => text;
  const { clock } = options;
  const progress = onProgress &&
    progressReporter(onProgress, { mask, clock, keepBytes: tool.keepBytes });
  const structure = typeof output === "object" ? output : undefined;
  const { takings = [] } = invocation;
  const needsWhole = structure?.select !== undefined || takings.length > 0;
  // If a policy bounds the output of a tool, the rest is not stored, as an agent could read it in the store
  const mayKeep = tool.keepBytes === undefined;
  const streams = new StoredStreams({ spool, owner, needsWhole, mayKeep });
  const outcome = await run(invocation, {
    ...options,
    storeRest: streams.storeRest,
    // An image that is cut in the middle cannot be shown, so images have a larger bound than texts
    keepBytes: tool.keepBytes ?? (output === "image" ? maxImageBytes : options.keepBytes),
    onOutput: progress?.onOutput,
  });
  progress?.stop();
  const format = (of: RunOutcome) => mask(formatOutcome(of, invocation, { isExact: true }));
  const runRecord = recordOf(outcome, invocation);
  const wholeOutputs = outcome.ending.kind === "not started"
    ? undefined
    : streams.fullText(outcome, format);
  if (structure === undefined) {
    const taken = isFailure(outcome, invocation)
      ? undefined
      : takeLines(streams.stdout(outcome.stdout), takings, streams.lines("stdout"));
    const shown = { ...outcome, ...(taken && { stdout: taken.stdout }) };
    const result = resultOfRun(shown, invocation, { mask, output });
    const at = result.content.length - 1;
    const isImage = result.content[0]?.type === "image" && wholeOutputs?.isShown;
    const whole = isImage ? undefined : wholeOutputs && { ...wholeOutputs, ...taken?.whole };
    return { ...result, ...uncutAt(at, whole), record: runRecord };
  }
  const { parseStructured } = await import("./structured.ts");
  const { isSelected, ...result } = await parseStructured(outcome, invocation, {
    mask,
    structure,
    schema: tool.output,
    masksUrlCredentials,
    waiter: options,
    whole: () => streams.stdout(outcome.stdout),
  });
  const record = result.isError && !isFailure(outcome, invocation)
    ? { ...runRecord, fits: false as const }
    : runRecord;
  if (!isSelected) return { ...result, ...uncutAt(0, wholeOutputs), record };
  const { items = "$", columns } = structure.select ?? {};
  if (items === "$" && columns === undefined) {
    wholeOutputs?.discard();
    return { ...result, record };
  }
  const path = structure.format === "csv" ? {} : { path: items };
  const source = wholeOutputs && { ...wholeOutputs, isShown: false, isSource: true, ...path };
  return { ...result, ...uncutAt(0, source), record };
}

function uncutAt(
  at: number,
  wholeOutputs: WholeOutput | undefined,
): Pick<CallResult, "wholeOutputs"> {
  return wholeOutputs === undefined ? {} : { wholeOutputs: new Map([[at, wholeOutputs]]) };
}

function recordOf(outcome: RunOutcome, invocation: Invocation): RunRecord {
  const { ending, stdout, stderr, created, leftOut, prepared } = outcome;
  return {
    ending: describeEnding(ending),
    ...(ending.kind === "exited" ? { exit_code: ending.code } : {}),
    stdout_bytes: stdout.bytes,
    stderr_bytes: stderr.bytes,
    ...present({ set_aside: created?.map(({ path }) => path), left_out: leftOut }),
    ...(prepared === undefined ? {} : recordOfChange(invocation, prepared)),
  };
}

/** Returns what a sandbox or container adds to a command line, without the words of the call, which may be secret. */
function recordOfChange({ argv, cwd, sandbox }: Invocation, prepared: Invocation) {
  const words = prepared.argv.filter((word) => !argv.includes(word));
  const held = prepared.sandbox === sandbox ? undefined : prepared.sandbox;
  return present({
    words: words.length === 0 ? undefined : words,
    cwd: prepared.cwd === cwd ? undefined : prepared.cwd,
    sandbox: held && describeSandbox(held),
  });
}

function describeEnding(ending: Ending): string {
  if (ending.kind === "signalled") return `signal ${ending.signal}`;
  return ending.kind === "not started" ? `not started: ${ending.failure}` : ending.kind;
}

type OpenStoredOutput = ((owner?: string) => StoredOutput | undefined) | undefined;

interface StoredStreamsOptions {
  readonly spool: OpenStoredOutput;
  readonly owner: string | undefined;
  readonly needsWhole: boolean;
  readonly mayKeep: boolean;
}

class StoredStreams {
  #isInMemory = false;
  readonly #stored = new Map<OutputStream, StoredOutput>();
  readonly #longer = new Map<OutputStream, StoredOutput>();

  constructor(readonly options: StoredStreamsOptions) {}

  readonly storeRest = (stream: OutputStream): StoredOutput => {
    const { spool, owner, mayKeep } = this.options;
    const kept = mayKeep ? spool?.(owner) ?? this.#inMemory(stream) : undefined;
    if (kept !== undefined) this.#stored.set(stream, kept);
    const longer = kept ?? new StoredOutput({ most: 0 });
    this.#longer.set(stream, longer);
    return longer;
  };

  #inMemory(stream: OutputStream): StoredOutput | undefined {
    if (!this.options.needsWhole || stream !== "stdout") return undefined;
    this.#isInMemory = true;
    return new StoredOutput({ most: defaultOutputBounds.bytes });
  }

  lines(stream: OutputStream): number | undefined {
    return this.#longer.get(stream)?.lines;
  }

  stdout(captured: Captured): Captured {
    const spool = this.#stored.get("stdout");
    return spool === undefined ? captured : { ...captured, text: spool.read(), isCut: spool.isCut };
  }

  fullText(outcome: RunOutcome, format: (outcome: RunOutcome) => string): WholeOutput {
    const streams = [outcome.stdout, outcome.stderr];
    const loss = {
      isBinary: streams.some(({ binary }) => binary !== undefined),
      isLossy: () => streams.some((stream) => stream.isLossy),
    };
    if (this.#longer.size === 0) {
      const read = () => format(outcome);
      return { ...loss, isShown: true, lines: 0, bytes: 0, read, discard: () => {} };
    }
    const missing = [...this.#longer].map(([stream, { lines }]) => {
      const { text, bytes } = outcome[stream];
      return { lines: lines - countLineFeeds(text), bytes: bytes - Buffer.byteLength(text) };
    });
    const lines = sumOf(missing, (each) => each.lines);
    const bytes = sumOf(missing, (each) => each.bytes);
    const kept = [...this.#stored];
    if (kept.length === 0) return { ...loss, lines, bytes, discard: () => {} };
    const spools = kept.map(([, spool]) => spool);
    const rest = withTexts(outcome, kept.map(([stream]) => [stream, ""]));
    const isCut = spools.some((spool) => spool.isCut);
    const stored = { bytes: sumOf(spools, (spool) => spool.bytes), isCut };
    return {
      ...loss,
      isLossy: () => loss.isLossy() || spools.some((spool) => spool.isLossy),
      lines,
      bytes,
      ...(this.#isInMemory ? {} : { stored }),
      read: () => format(withTexts(rest, kept.map(([stream, spool]) => [stream, spool.read()]))),
      discard: () => spools.forEach((spool) => spool.discard()),
    };
  }
}

function sumOf<T>(items: readonly T[], number: (item: T) => number): number {
  return items.reduce((sum, each) => sum + number(each), 0);
}

function withTexts(
  outcome: RunOutcome,
  texts: readonly (readonly [stream: OutputStream, text: string])[],
): RunOutcome {
  const streams = texts.map(([stream, text]) => [stream, { ...outcome[stream], text }] as const);
  return { ...outcome, ...Object.fromEntries(streams) };
}

/** Progress reports are this many milliseconds apart: at most five a second. */
const intervalMs = 200;

const messageLength = 199;

/** While a program runs, this many of the last bytes of its output can be read, for reports of progress. */
const tailBytes = 16 * 1024;

interface ReporterOptions extends Pick<RunOptions, "clock" | "keepBytes"> {
  /** Masks secrets in a line. This comes before the line is cut, since a part of a secret is not recognised. */
  readonly mask?: (text: string) => string;
}

/** Reports progress to the client by the last line that the program has written. */
export function progressReporter(
  send: (report: ProgressEvent) => void,
  { mask = (text) => text, clock = systemClock, keepBytes = tailBytes }: ReporterOptions,
) {
  const most = Math.min(keepBytes, tailBytes);
  let tail = Buffer.alloc(0);
  let [bytes, sentBytes, sentAt] = [0, 0, -Infinity];
  let cancel: CancelTimer | undefined;
  const read = (settle: (text: string) => string) => {
    // A secret is only recognised as a whole, so the first line is left out if its beginning may be missing
    const start = bytes > tail.length ? tail.indexOf("\n") + 1 || Infinity : 0;
    return mask(stripControlSequences(settle(tail.subarray(start).toString("utf8"))));
  };
  const stop = () => {
    cancel?.();
    cancel = undefined;
  };
  const report = () => {
    stop();
    if (bytes === sentBytes) return;
    sentAt = clock.now();
    sentBytes = bytes;
    // A progress bar ends each update with a carriage return, which therefore ends a line here
    const lines = read((text) => text).split(/[\r\n]/).slice(0, -1);
    const line = lines.findLast((each) => each.trim() !== "");
    const message = line === undefined ? {} : { message: excerpt(line.trim(), messageLength) };
    send({ progress: bytes, tail: () => read(settleReturns), ...message });
  };
  const onOutput = (chunk: Uint8Array) => {
    bytes += chunk.length;
    tail = Buffer.concat([tail, chunk.subarray(-most)]).subarray(-most);
    const wait = sentAt + intervalMs - clock.now();
    if (wait <= 0) report();
    else cancel ??= clock.after(wait, report);
  };
  return { onOutput, stop };
}
