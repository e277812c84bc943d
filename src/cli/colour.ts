/**
 * Colours labels such as `error:` and the heads of tables on a terminal; the words alone say the same.
 * There is no colour when the stream is not a terminal, `NO_COLOR` has a value (https://no-color.org), or
 * `TERM` is `dumb`. `FORCE_COLOR` is not read: it is set for other programs, and a file must not get escape
 * sequences.
 */

import { styleText } from "node:util";
import { io } from "../io.ts";
import { formatProblem, type Problem } from "../errors.ts";
import { optionalVariable } from "../process/environment.ts";
import { harmless } from "../text/escape.ts";
import { asTyped } from "./typed_command.ts";

/** An output stream. */
export type Stream = "stdout" | "stderr";

/** Colours and weights of text. */
export type Colour = "red" | "green" | "yellow" | "cyan" | "bold" | "dim";

/** True when texts on `stream` are coloured. */
function hasColour(stream: Stream): boolean {
  return io()[stream].isTerminal() && !io().noColor && optionalVariable("TERM") !== "dumb";
}

/** Colours `text` when `stream` is coloured. */
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

/** A word that introduces a message. */
export type Label = keyof typeof colours;

/** The word and its colon. */
export function label(word: Label, stream: Stream): string {
  return coloured(`${word}:`, colours[word], stream);
}

/** Formats a problem as {@linkcode formatProblem} does, with control characters escaped for a terminal. */
export function problemText({ hint, ...problem }: Problem, stream: Stream): string {
  const text = harmless(formatProblem(problem));
  return hint === undefined
    ? text
    : `${text}\n  ${label("hint", stream)} ${harmless(asTyped(hint))}`;
}
