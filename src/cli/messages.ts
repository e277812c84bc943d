/** Words messages: labels, their colours, and commands as this person typed them. */

import { say } from "../log.ts";
import { formatProblem, type Problem } from "../errors.ts";
import { type Colour, paint, type Stream } from "../terminal.ts";
import type { Effect } from "../tool/tool.ts";
import { launcherFile, launcherOfProcess } from "../process/own_command.ts";
import { shellWord } from "../text/shell_word.ts";

const colours = {
  error: "red",
  problem: "red",
  warning: "yellow",
  ok: "green",
  note: "cyan",
  hint: "cyan",
} as const satisfies Record<string, Colour>;

/** The word and its colon. */
export function label(word: keyof typeof colours, stream: Stream): string {
  return paint(`${word}:`, colours[word], stream);
}

/** Formats a problem as {@linkcode formatProblem} does, with a label of its hint. */
export function problemText({ hint, ...problem }: Problem, stream: Stream): string {
  const text = formatProblem(problem);
  return hint === undefined ? text : `${text}\n  ${label("hint", stream)} ${asTyped(hint)}`;
}

/** Prints on stderr what a person may do about it. */
export function sayHint(text: string): void {
  say(`  ${label("hint", "stderr")} ${asTyped(text)}`);
}

export const effectColours: Readonly<Record<Effect, Colour>> = {
  read: "green",
  write: "yellow",
  destructive: "red",
};

/** The first words of commands. In front of any other word, `climax` is the name of the product. */
const firstWords =
  "add|approve|build|call|completions|connect|doctor|enrich|eval|generate|help|init|list|login|logout|mcp|new|" +
  "policy|remove|run|schema|script|search|show|skill|stats|token|trust|try|ui|validate|version";

/** A command also begins where a colour begins. */
const commands = new RegExp(
  `(?:(?<![\\w./-])|(?<=\\x1b\\[\\d+m))climax(?=\\s+(?:--\\w|(?:${firstWords}|CONFIG|COMMAND)\\b))`,
  "g",
);

/** Returns `text` with the launcher as it was typed (`./climax call …`), if that started this program. */
export function asTyped(text: string): string {
  return text.replace(commands, commandName);
}

/** Returns the first word of a command line for this person. */
export function commandName(): string {
  return shellWord(launcherOfProcess() ?? "climax");
}

/** Returns the script with commands that work in any folder. */
export function fromAnywhere(script: string): string {
  const typed = launcherOfProcess();
  if (typed === undefined || typed === "climax") return script;
  return script.replaceAll("climax completions", () => `${shellWord(launcherFile())} completions`);
}
