/** Colours labels such as `error:` and words such as effects; the words alone say the same. */

import { formatProblem, type Problem } from "../errors.ts";
import { type Colour, coloured, type Stream } from "../terminal.ts";
import type { Effect } from "../tool/tool.ts";
import { asTyped } from "./typed_command.ts";

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

/** Formats a problem as {@linkcode formatProblem} does, with a label of its hint. */
export function problemText({ hint, ...problem }: Problem, stream: Stream): string {
  const text = formatProblem(problem);
  return hint === undefined ? text : `${text}\n  ${label("hint", stream)} ${asTyped(hint)}`;
}

/** The colours of effects. */
export const effectColours: Readonly<Record<Effect, Colour>> = {
  read: "green",
  write: "yellow",
  destructive: "red",
};
