/** Formats messages with their labels and colours. */

import { say } from "../log.ts";
import { formatProblem, type Problem } from "../errors.ts";
import { type Colour, paint, type Stream } from "../terminal.ts";
import type { Effect } from "../tool/tool.ts";

const colours = {
  error: "red",
  problem: "red",
  warning: "yellow",
  ok: "green",
  note: "cyan",
  hint: "cyan",
} as const satisfies Record<string, Colour>;

export function label(word: keyof typeof colours, stream: Stream): string {
  return paint(`${word}:`, colours[word], stream);
}

/** Formats a problem like {@linkcode formatProblem}, with a coloured label before the hint. */
export function problemText({ hint, ...problem }: Problem, stream: Stream): string {
  const text = formatProblem(problem);
  return hint === undefined ? text : `${text}\n  ${label("hint", stream)} ${hint}`;
}

/** Prints a hint on stderr: what a person may do about a problem. */
export function sayHint(text: string): void {
  say(`  ${label("hint", "stderr")} ${text}`);
}

export const effectColours: Readonly<Record<Effect, Colour>> = {
  read: "green",
  write: "yellow",
  destructive: "red",
};
