/** Formats the outcome of a run as the text that an agent reads. */

import type {
  Captured,
  CreatedName,
  Ending,
  Invocation,
  LineTaking,
  RunOutcome,
  StartFailure,
} from "../../exec/invocation.ts";
import { setsLoader } from "../../exec/child_environment.ts";
import { ownFolder } from "../../process/folders.ts";
import { settleReturns, stripControlSequences } from "../../text/control_sequences.ts";
import { spellOut } from "../../text/escape.ts";
import { excerpt } from "../../text/excerpt.ts";
import { ownProperty } from "../../text/own_property.ts";
import { plural, thousands } from "../../text/plural.ts";
import { Buffer } from "node:buffer";
import type { CallResult, WholeOutput } from "../../tool/result.ts";
import { type ArgValues, lineSteps, type Tool } from "../../tool/tool.ts";
import type { CommandSource } from "./source.ts";

export interface FormatOptions {
  /** True to leave control sequences and progress bars in, as scripts and stored outputs need. @default false */
  readonly isExact?: boolean | undefined;
}

/** Replaces the standard error of a program that may quote files in it which the agent must not read. */
const hiddenNote =
  "The program failed, and what it says is not shown: it may quote files outside " +
  "of the project. A file of the project may be one that cannot be parsed";

export function formatOutcome(
  outcome: RunOutcome,
  invocation: Invocation,
  options: FormatOptions = {},
): string {
  const { ending } = outcome;
  if (ending.kind === "not started") {
    return describeFailure(ending.failure, ending.detail, invocation);
  }

  const stdout = readable(outcome.stdout, settleProgress, options);
  const notes = endingNote(ending, invocation);
  const stderr = [
    stderrText(outcome, invocation, options),
    notes.line,
    sandboxNote(outcome, invocation),
    ...(outcome.created ?? []).map(noteOfCreated),
    options.isExact && stdout !== "" ? "" : leftOutNote(outcome.leftOut ?? []),
  ]
    .filter((text) => text !== "").join("\n");
  const parts = [stdout, stderr === "" ? "" : `[stderr]\n${stderr}`].filter((part) => part !== "");
  const meaning = meaningOf(outcome, invocation);
  if (meaning !== undefined && parts.length === 0) return meaning;
  parts.push(meaning === undefined ? notes.status : `[${meaning}]`);
  if (outcome.note && notes.status === "" && !options.isExact) parts.push(`[${outcome.note}]`);
  return parts.filter((part) => part !== "").join("\n\n") || (options.isExact ? "" : "(no output)");
}

/** A program that fails with such a word may lack a right in its sandbox, so the result then names the sandbox. */
const refusedWords =
  /denied|permi(?:t|ssion)|read-?only|\bE(?:ACCES|PERM|ROFS|NOSPC|AI_AGAIN|NOTFOUND|NET\w+|HOST\w+|CONN\w+|AFNOSUPPORT)\b|no space|network|resolv|unreachable|connect|time(?:d )?out|offline|proxy|certificate|\bssh\b|authenti|credential|password|token|socket|namespace/i;

const absentWords = /no such file|not found|ENOENT|cannot (?:open|find)/i;
const fullPath = /(?:^|[\s'"`(:=])[/~]/;

function sandboxNote(outcome: RunOutcome, invocation: Invocation): string {
  const { sandbox } = outcome.prepared ?? invocation;
  if (sandbox === undefined || outcome.stderr.bytes === 0) return "";
  if (outcome.ending.kind !== "exited" || !isFailure(outcome, invocation)) return "";
  const lines = `${outcome.stderr.text}\n${outcome.stdout.text}`.split("\n");
  const isCause = (line: string) => {
    return refusedWords.test(line) || absentWords.test(line) && fullPath.test(line);
  };
  if (!lines.some(isCause)) return "";
  const { write, network } = sandbox;
  const places = write.length === 0 ? "nowhere but /tmp" : `only in ${write.join(", ")} and /tmp`;
  const reach = network === "none" ? "has no network, " : "";
  return `It ran in a sandbox: it writes ${places}, ${reach}and sees no keys and credentials`;
}

function noteOfCreated({ path, renamedTo }: CreatedName): string {
  const rest = renamedTo === undefined
    ? "a person has to look at it"
    : `it was renamed to '${renamedTo}', as programs outside of the sandbox obey such files`;
  return `The program created '${path}': ${rest}`;
}

function leftOutNote(paths: readonly string[]): string {
  if (paths.length === 0) return "";
  const shown = paths.slice(0, 5).map((path) => `'${spellOut(excerpt(path, 100))}'`).join(", ");
  const more = paths.length > 5 ? ` and ${paths.length - 5} more` : "";
  return `Left out, as no tool may read it or take it in: ${shown}${more}`;
}

function stderrText(outcome: RunOutcome, { hidesStderr }: Invocation, options: FormatOptions) {
  if (!hidesStderr) return readable(outcome.stderr, settleReturns, options);
  const { ending, stdout } = outcome;
  return ending.kind === "exited" && ending.code !== 0 && stdout.bytes === 0 ? hiddenNote : "";
}

/** If an output has no visible character, this many of its characters are quoted. */
const maxQuoted = 100;

function readable(
  { text, bytes, binary }: Captured,
  settle: (text: string) => string,
  { isExact = false }: FormatOptions,
): string {
  if (binary !== undefined) {
    const { mediaType } = binary;
    const kind = mediaType === undefined ? "" : ` (${mediaType})`;
    return `[${thousands(bytes)} bytes of binary output${kind}]`;
  }
  if (isExact || bytes === 0) return text;
  const shown = stripControlSequences(settle(text)).replace(/\r?\n$/, "");
  if (shown.trim() !== "" || /^\r?\n$/.test(text)) return shown;
  const quoted = JSON.stringify(text.slice(0, maxQuoted)) + (text.length > maxQuoted ? " …" : "");
  return `[${plural(bytes, "byte")}, nothing visible: ${quoted}]`;
}

function settleProgress(text: string): string {
  if (!/[\r\b]/.test(text)) return text;
  return text.split("\n").map((line) => {
    const end = line.endsWith("\r") ? "\r" : "";
    const states = line.slice(0, line.length - end.length).split("\r");
    const isProgress = states.length > 1 &&
      states.every((state) => state === "" || /\d ?%/.test(state));
    return isProgress || line.includes("\b") ? settleReturns(states.join("\r")) + end : line;
  }).join("\n");
}

export function isFailure(outcome: RunOutcome, invocation: Invocation): boolean {
  const { ending } = outcome;
  if (ending.kind === "exited" && ending.code === 0) return false;
  return meaningOf(outcome, invocation) === undefined;
}

function meaningOf({ ending, stdout, stderr }: RunOutcome, { exitCodes, hidesStderr }: Invocation) {
  if (ending.kind !== "exited") return undefined;
  if (stdout.bytes === 0 && (stderr.bytes > 0 || hidesStderr)) return undefined;
  return ownProperty(exitCodes, String(ending.code));
}

function endingNote(ending: Exclude<Ending, { kind: "not started" }>, { timeoutMs }: Invocation) {
  switch (ending.kind) {
    case "exited":
      return { line: "", status: ending.code === 0 ? "" : `[exit code: ${ending.code}]` };
    case "signalled":
      return { line: "", status: `[signal: ${ending.signal}]` };
    case "timed out":
      return { line: `Command timed out after ${timeoutMs / 1000}s`, status: "[exit code: -1]" };
    case "cancelled":
      return { line: "Command was cancelled", status: "[exit code: -1]" };
  }
}

function describeFailure(failure: StartFailure, detail: string, { argv, cwd, env }: Invocation) {
  const program = argv[0];
  switch (failure) {
    case "command not found":
      return `Command not found: ${program}`;
    case "not executable":
      return `Command is not executable: ${program}`;
    case "no program of this system":
      return `Command cannot be started: ${program} is not a program for this machine, and not a script ` +
        "with a first line that names its interpreter, such as #!/bin/sh";
    case "not permitted":
      return `Permission denied: this server may not run '${program}'\n` +
        `Start it with --allow-run${setsLoader(env) ? "" : `=${program}`} to allow it`;
    case "working directory not found":
      return cwd === undefined
        ? `Working directory not found: ${ownFolder()}\n` +
          "This server was started there, and it was removed or replaced: start the server again"
        : `Working directory not found: ${cwd}`;
    case "working directory is no directory":
      return `Working directory is not a directory that can be entered: ${cwd}`;
    case "command line too long":
      return "Command line too long: the arguments are larger than the system passes to a program";
    case "out of file descriptors":
      return "Command could not be started: this server is out of file descriptors, try again later";
    case "no sandbox":
    case "refused":
      return `Command was not started: ${detail}`;
    case "other":
      return `Command could not be started: ${detail}`;
  }
}

/** An image in a result has at most this many bytes, which is 1 MiB. */
export const maxImageBytes = 1024 * 1024;

interface ResultOptions extends FormatOptions {
  readonly output: CommandSource["output"];
  readonly mask: (text: string) => string;
}

export function resultOfRun(
  outcome: RunOutcome,
  invocation: Invocation,
  { output, mask, ...options }: ResultOptions,
): CallResult {
  const isError = isFailure(outcome, invocation);
  const image = output === "image" ? imageOf(outcome) : undefined;
  const shown = image ? { ...outcome, stdout: { text: "", bytes: 0 } } : outcome;
  const text = mask(formatOutcome(shown, invocation, options));
  const words = { type: "text", text } as const;
  if (image === undefined) return { content: [words], isError };
  return { content: text === "(no output)" ? [image] : [image, words], isError };
}

function imageOf({ stdout: { binary } }: RunOutcome) {
  const { mediaType, data } = binary ?? {};
  if (data === undefined || data.length > maxImageBytes) return undefined;
  if (!mediaType || !/^image\/(?:png|jpeg|gif|webp)$/.test(mediaType)) return undefined;
  return { type: "image", data: data.toBase64(), mimeType: mediaType } as const;
}

export function lineTakings({ args }: Pick<Tool, "args">, values: ArgValues): LineTaking[] {
  return lineSteps.flatMap((step) => {
    const arg = args.find(({ role }) => role.kind === "lines" && role.step === step);
    const value = arg && values.get(arg.name);
    return value === undefined || value === false
      ? []
      : [[step, Number(value), value === arg!.default] as const];
  });
}

/** Takes the lines that a call asks for from an output of `count` lines; `undefined` if no line is left out. */
export function takeLines(
  { text, bytes, isCut = false, binary }: Captured,
  takings: readonly LineTaking[],
  count = 0,
): { readonly stdout: Captured; readonly whole: Partial<WholeOutput> } | undefined {
  if (takings.length === 0 || text === "" || binary !== undefined) return undefined;
  const lines = text.replace(/\n$/, "").split("\n");
  const isPrefix = takings.every(([step]) => step === "first" || step === "rows");
  let [rest, of, heading] = [lines, Math.max(count, lines.length), 0];
  for (const [step, most] of takings) {
    if (step === "count") {
      const groups = Map.groupBy(rest, (line) => line).entries();
      rest = sortBy([...groups.map(([line, { length }]) => `${length} ${line}`)], parseInt);
      of = rest.length;
    }
    if (step === "top") rest = sortBy(rest, numberIn);
    if (step === "rows" && /^[\p{L}_"]/u.test(rest[0]!)) heading = 1;
    if (step !== "count") rest = rest.slice(0, heading + Math.max(0, most));
  }
  const isWhole = rest.length === of && (isPrefix || !isCut);
  if (isPrefix && isWhole) return undefined;
  const isRows = heading === 1 && lines.every((line) => line.split('"').length % 2 === 1);
  const all = plural(of - heading, isRows ? "row" : "line");
  const words = `${rest.length - heading} of ${isCut && !isPrefix ? "more than " : ""}${all}`;
  const taken = `${rest.join("\n")}\n`;
  return {
    stdout: { text: taken, bytes: taken.length },
    whole: {
      isShown: isWhole,
      isSource: !isPrefix || takings.some(([, , isDefault]) => !isDefault),
      lines: of - rest.length,
      bytes: bytes - Buffer.byteLength(taken),
      ...(isWhole ? {} : { extent: { words, next: isPrefix ? rest.length + 1 : 1 } }),
    },
  };
}

/** Sorts lines by the number in each, largest first, and equal ones by text, so that each run gives the same order. */
function sortBy(lines: readonly string[], number: (line: string) => number): string[] {
  return lines.map((line) => [number(line), line] as const)
    .toSorted(([one, a], [other, b]) => other - one || (a < b ? -1 : 1))
    .map(([, line]) => line);
}

/** Returns the number by which a line is sorted, such as the 12 of `file:12`, or the size in `12K  file`. */
function numberIn(line: string): number {
  const [start, end] = [line.slice(0, 60), line.slice(-20).trimEnd()];
  const found = /:(\d+)$/.exec(end) ?? /^\s*(\d+(?:\.\d+)?)([KMGTP]?)B?\s/.exec(start) ??
    /(?<!\d)(\d+)$/.exec(end);
  return found === null ? -1 : Number(found[1]) * 1024 ** ("KMGTP".indexOf(found[2] || "-") + 1);
}
