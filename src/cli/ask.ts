/** Asks the person at the terminal: questions are on stderr, and answers are typed as lines. */

import process from "node:process";
import { abortable } from "../async/deadline.ts";
import { io, optionalVariable } from "../io.ts";
import { UsageError } from "../errors.ts";
import { say } from "../log.ts";
import { printText } from "./output.ts";
import { withoutLine } from "./progress_line.ts";
import { setInterrupted } from "../process/end_signals.ts";
import { harmless } from "../text/escape.ts";
import type { Ask, Question } from "../tool/runner.ts";

export function canAsk(): boolean {
  return io().stdin.isTerminal() && io().stderr.isTerminal();
}

export function requireAnswer(yes: boolean, hint = "--yes writes without asking"): void {
  if (yes || canAsk()) return;
  throw new UsageError("Not a terminal, so nothing was written", hint);
}

export function notAccepted(subject: string): string {
  const why = canAsk() ? "" : ": not a terminal to ask at; --yes accepts without asking";
  return `${subject}: not accepted${why}`;
}

export async function confirmAtTerminal(message: string): Promise<boolean> {
  return isYes(await askLine(`${message} [y/N]`) ?? "");
}

export async function confirmWrite(message: string, yes: boolean): Promise<boolean> {
  if (yes || await confirmAtTerminal(message)) return true;
  await printText("Nothing was written");
  return false;
}

/** Returns a function that asks for a secret without showing it; `undefined` if no terminal can hide what is typed. */
export function askWithoutEcho(): ((question: string) => Promise<string | undefined>) | undefined {
  if (!canAsk() || optionalVariable("TERM") === "dumb" || io().consoleSize().columns === 0) {
    return undefined;
  }
  return async (message) => {
    const { isCancel, password } = await import("@clack/prompts");
    const answer = await password({ message, mask: "", output: process.stderr });
    if (!isCancel(answer)) return answer;
    // A terminal in raw mode sends no signal for Ctrl-C, so the interruption is noted here
    setInterrupted(true);
    return undefined;
  };
}

function isYes(answer: string): boolean {
  return /^y(?:es)?$/i.test(answer);
}

/** Asks for one of `choices`; Enter means the first, and the end of the input gives `undefined`. */
export async function choose<Choice extends string>(
  message: string,
  choices: readonly Choice[],
): Promise<Choice | undefined> {
  const typed = (await askLine(`${message} [${choices.join(", ")}]`))?.toLowerCase();
  if (typed === undefined) return undefined;
  const meant = choices.filter((choice) => choice.startsWith(typed));
  const chosen = choices.find((choice) => choice === typed) ?? meant[0];
  if (chosen === typed || typed === "" || meant.length === 1) return chosen;
  say(`'${harmless(typed)}' is not one of them, or the beginning of several`);
  return await choose(message, choices);
}

async function askLine(message: string): Promise<string | undefined> {
  say(message);
  return (await readLine())?.trim();
}

/** Prints `message` and reads a line; returns `undefined` when `signal` aborts and at the end of the input. */
export async function askLineUntil(
  message: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  say(message);
  const reader = io().stdin.readable.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", cancel, { once: true });
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return text.trim() || undefined;
    text += decoder.decode(value, { stream: true });
    if (text.includes("\n") || text.length > maxLineLength) return text.split("\n", 1)[0];
  }
}

/** A typed line is read up to about this many characters. */
const maxLineLength = 100_000;

async function readLine(): Promise<string | undefined> {
  const buffer = new Uint8Array(1024);
  const read = await io().stdin.read(buffer);
  return read === null ? undefined : new TextDecoder().decode(buffer.subarray(0, read));
}

/** Returns a function that asks the person about a call until `signal` aborts; `undefined` without a terminal. */
export function terminalAsk(signal: AbortSignal): Ask | undefined {
  return canAsk() ? (question) => askAtTerminal(question, signal) : undefined;
}

async function askAtTerminal(question: Question, signal: AbortSignal): ReturnType<Ask> {
  const name = question.mode === "form" ? yesOrNoProperty(question.requestedSchema) : undefined;
  if (name === undefined) {
    return { action: "unasked", reason: "the terminal can only ask for yes or no" };
  }
  const answer = await withoutLine(() => {
    return abortable(askLine(`${question.message}\nRun it? [y/N]`), signal);
  });
  if (answer === undefined || answer === "aborted") return { action: "cancel" };
  return isYes(answer) ? { action: "accept", content: { [name]: true } } : { action: "decline" };
}

/** Returns the name of the only required property of a question's schema if the property is a boolean. */
function yesOrNoProperty(
  { properties = {}, required = Object.keys(properties as object) }: Readonly<
    Record<string, unknown>
  >,
): string | undefined {
  const [name, ...others] = required as string[];
  const property = (properties as Record<string, { type?: unknown } | undefined>)[name ?? ""];
  return others.length === 0 && property?.type === "boolean" ? name : undefined;
}
