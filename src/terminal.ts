/**
 * Describes the terminal that a stream is connected to: its width, and whether texts on it are
 * coloured. `--color` decides; without it `NO_COLOR` (https://no-color.org), then `FORCE_COLOR`
 * (https://force-color.org), and then whether the stream is a terminal other than `dumb`.
 */

import { styleText } from "node:util";
import { io } from "./io.ts";
import { harmless } from "./text/escape.ts";
import { wrap } from "./text/wrap.ts";

/** An output stream that may be a terminal. */
export type Stream = "stdout" | "stderr";

/** `--color` has one of these values. */
export const colourModes = ["auto", "always", "never"] as const;

/** A value of `--color`. */
export type ColourMode = typeof colourModes[number];

/** Colours and weights of text. */
export type Colour = "red" | "green" | "yellow" | "cyan" | "bold" | "dim";

let mode: ColourMode = "auto";

/** Sets the colour mode of this run. */
export function setColourMode(to: ColourMode): void {
  mode = to;
}

/** Returns true when texts on `stream` are coloured. */
export function hasColour(stream: Stream): boolean {
  if (mode !== "auto") return mode === "always";
  if (io().noColor) return false;
  const forced = variable("FORCE_COLOR");
  if (forced) return forced !== "0" && forced !== "false";
  return io()[stream].isTerminal() && variable("TERM") !== "dumb";
}

/** Colours `text` if texts on `stream` are coloured. */
export function paint(text: string, colour: Colour, stream: Stream): string {
  if (text === "" || !hasColour(stream)) return text;
  return styleText(colour, text, { validateStream: false });
}

/** Returns the number of columns of the terminal at `stream`; `Infinity` without a terminal, or if it is unknown. */
export function columnsOf(stream: Stream): number {
  if (!io()[stream].isTerminal()) return Infinity;
  try {
    return io().consoleSize().columns || Infinity;
  } catch {
    return Infinity;
  }
}

/** Matches the sequences that {@linkcode paint} writes. */
// deno-lint-ignore no-control-regex
const ownCodes = /(\x1b\[(?:1|2|22|31|32|33|36|39)m)/;

/** Removes characters that could harm the terminal at `stream`. All text for people is passed through it. */
export function plainText(text: string, stream: Stream): string {
  if (!hasColour(stream)) return harmless(text);
  return text.split(ownCodes).map((part, at) => at % 2 === 0 ? harmless(part) : part).join("");
}

/**
 * Wraps every line of {@linkcode plainText} at words for the terminal of `stream`; continued lines are indented by two
 * more columns. A line that is indented by four or more stays whole: it is a command line to copy.
 */
export function wrapText(text: string, stream: Stream): string {
  const columns = columnsOf(stream);
  const plain = plainText(text, stream);
  if (columns === Infinity) return plain;
  return plain.split("\n").flatMap((line) => {
    const [indent] = /^ */.exec(line)!;
    return indent.length >= 4 ? [line] : wrap(line, columns, { indent: `${indent}  ` });
  }).join("\n");
}

let status = "";

/** Draws one line at the bottom of the terminal of stderr; an empty text erases it. */
export function drawStatus(text: string): void {
  if (text === "" && status === "") return;
  // A line that is wider than the terminal could not be erased
  status = [...plainText(text, "stderr")].slice(0, columnsOf("stderr") - 1).join("");
  io().stderr.writeSync(new TextEncoder().encode(eraseLine + status));
}

/** Puts `text` above the line that {@linkcode drawStatus} has drawn. */
export function aboveStatus(text: string): string {
  return status === "" ? text : eraseLine + text + status;
}

/** Erases the status line until it is drawn again, for output on another stream. */
export function hideStatus(): void {
  if (status !== "") drawStatus("");
}

const eraseLine = "\r\x1b[K";

/** Returns a variable; one that may not be read counts as unset: a colour is no reason to request a permission. */
function variable(name: string): string | undefined {
  const { state } = Deno.permissions.querySync({ name: "env", variable: name });
  return state === "granted" ? io().env.get(name) : undefined;
}
