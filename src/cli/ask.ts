/**
 * Questions to the person at the terminal, on stderr, since stdout is for what was asked for. A terminal
 * that moves no cursor, or does not know how wide it is, is asked line by line.
 */

import process from "node:process";
import { say } from "../log.ts";
import { optionalVariable } from "../process/environment.ts";
import { harmless } from "../text/escape.ts";

/** Returns whether a person at a terminal can be asked. */
export function canAsk(): boolean {
  return Deno.stdin.isTerminal() && Deno.stderr.isTerminal();
}

/** Yes or no; no when the person goes away. */
export async function confirm(message: string): Promise<boolean> {
  if (isPlain()) return /^y(?:es)?$/i.test(await askLine(`${message} [y/N]`) ?? "");
  const { confirm, isCancel } = await import("@clack/prompts");
  const answer = await confirm({ message, initialValue: false, output: process.stderr });
  return !isCancel(answer) && answer;
}

/** One of `choices`; nothing when the person goes away. */
export async function choose<Choice extends string>(
  message: string,
  choices: readonly Choice[],
): Promise<Choice | undefined> {
  if (isPlain()) {
    const answer = await askLine(`${message} [${choices.join(", ")}]`);
    return choices.find((choice) => choice === answer?.toLowerCase());
  }
  const { isCancel, select } = await import("@clack/prompts");
  const options = choices.map((value) => ({ value: value as string, label: value as string }));
  const answer = await select({ message, options, output: process.stderr });
  return isCancel(answer) ? undefined : answer as Choice;
}

/** A line of text; nothing when the person goes away. */
export async function askText(message: string, otherwise = ""): Promise<string | undefined> {
  if (isPlain()) {
    const answer = await askLine(otherwise === "" ? message : `${message} [${otherwise}]`);
    return answer === "" ? otherwise : answer;
  }
  const { isCancel, text } = await import("@clack/prompts");
  const answer = await text({ message, initialValue: otherwise, output: process.stderr });
  return isCancel(answer) ? undefined : answer;
}

function isPlain(): boolean {
  return optionalVariable("TERM") === "dumb" || Deno.consoleSize().columns === 0;
}

async function askLine(message: string): Promise<string | undefined> {
  say(harmless(message));
  return (await readLine())?.trim();
}

/** The next line, or nothing at the end of the input. */
export async function readLine(): Promise<string | undefined> {
  const buffer = new Uint8Array(1024);
  const read = await Deno.stdin.read(buffer);
  return read === null ? undefined : new TextDecoder().decode(buffer.subarray(0, read));
}
