/**
 * Colour for what people read on a terminal: labels such as `error:`, and the heads of tables. It adds
 * nothing that the words do not say. Where a stream is no terminal, where `NO_COLOR` has a value
 * (https://no-color.org), and on a terminal that calls itself `dumb`, there is none. `FORCE_COLOR` is not
 * read: it is set for other programs, and what ends in a file has no escapes in it.
 */

import { styleText } from "node:util";
import { formatProblem, type Problem } from "../errors.ts";
import { optionalVariable } from "../process/environment.ts";
import { harmless } from "../text/escape.ts";

/** Where a text goes. */
export type Stream = "stdout" | "stderr";

/** Colours and weights of text. */
export type Colour = "red" | "green" | "yellow" | "cyan" | "bold" | "dim";

/** Whether texts on `stream` have colours. */
function hasColour(stream: Stream): boolean {
  return Deno[stream].isTerminal() && !Deno.noColor && optionalVariable("TERM") !== "dumb";
}

/** `text` in `colour`, if texts on `stream` have any. */
export function coloured(text: string, colour: Colour, stream: Stream): string {
  if (text === "" || !hasColour(stream)) return text;
  return styleText(colour, text, { validateStream: false });
}

const colours = {
  error: "red",
  problem: "red",
  warning: "yellow",
  ok: "green",
  note: "cyan",
  hint: "cyan",
} as const satisfies Record<string, Colour>;

/** A word that says what kind of sentence follows. */
export type Label = keyof typeof colours;

/** The word and its colon. */
export function label(word: Label, stream: Stream): string {
  return coloured(`${word}:`, colours[word], stream);
}

/** Formats a problem as {@linkcode formatProblem} does, with control characters escaped for a terminal. */
export function problemText({ hint, ...problem }: Problem, stream: Stream): string {
  const text = harmless(formatProblem(problem));
  return hint === undefined ? text : `${text}\n  ${label("hint", stream)} ${harmless(hint)}`;
}
