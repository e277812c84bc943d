/**
 * Describes the terminal of a stream: its width, and whether texts are coloured. `--color` decides, or else `NO_COLOR`
 * (https://no-color.org), then `FORCE_COLOR` (https://force-color.org), then a terminal other than `dumb`.
 */

import { styleText } from "node:util";
import { io } from "./io.ts";
import { harmless } from "./text/escape.ts";
import { wrap } from "./text/wrap.ts";

export type Stream = "stdout" | "stderr";

export const colourModes = ["auto", "always", "never"] as const;

export type ColourMode = typeof colourModes[number];

export type Colour = "red" | "green" | "yellow" | "cyan" | "bold" | "dim";

let mode: ColourMode = "auto";

export function setColourMode(to: ColourMode): void {
  mode = to;
}

export function hasColour(stream: Stream): boolean {
  if (mode !== "auto") return mode === "always";
  if (io().noColor) return false;
  const forced = variable("FORCE_COLOR");
  if (forced) return forced !== "0" && forced !== "false";
  return io()[stream].isTerminal() && variable("TERM") !== "dumb";
}

export function paint(text: string, colour: Colour, stream: Stream): string {
  if (text === "" || !hasColour(stream)) return text;
  return styleText(colour, text, { validateStream: false });
}

/** Returns the columns of the terminal at `stream`; `Infinity` without a terminal, or if the number is unknown. */
export function columnsOf(stream: Stream): number {
  if (!io()[stream].isTerminal()) return Infinity;
  try {
    return io().consoleSize().columns || Infinity;
  } catch {
    return Infinity;
  }
}

// deno-lint-ignore no-control-regex
const ownCodes = /(\x1b\[(?:1|2|22|31|32|33|36|39)m)/;

/** Removes characters from `text` that could harm a terminal. */
export function plainText(text: string, stream: Stream): string {
  if (!hasColour(stream)) return harmless(text);
  return text.split(ownCodes).map((part, at) => at % 2 === 0 ? harmless(part) : part).join("");
}

/** Wraps lines at words for a terminal. A line indented by four columns or more is a command to copy: it stays whole. */
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

export function drawStatus(text: string): void {
  if (text === "" && status === "") return;
  // The text is cut to the width of the terminal, because only the last row of a longer text could be erased
  status = [...plainText(text, "stderr")].slice(0, columnsOf("stderr") - 1).join("");
  io().stderr.writeSync(new TextEncoder().encode(eraseLine + status));
}

export function aboveStatus(text: string): string {
  return status === "" ? text : eraseLine + text + status;
}

export function hideStatus(): void {
  if (status !== "") drawStatus("");
}

const eraseLine = "\r\x1b[K";

function variable(name: string): string | undefined {
  const { state } = Deno.permissions.querySync({ name: "env", variable: name });
  return state === "granted" ? io().env.get(name) : undefined;
}
