/**
 * Excludes commands that no agent can use: those that wait for a person, and those that do not end. The report
 * names them, and `--include` with the command's name keeps one.
 */

import { firstSentence } from "../text/sentence.ts";
import type { CommandNode } from "./_tree.ts";

/** A command that is not made a tool, and the reason. */
export interface ExcludedCommand {
  readonly words: readonly string[];
  readonly reason: string;
}

const servingNames =
  /^(?:serve|server|[\w-]+-server|lsp|lsp-[\w-]+|language-server|watch|port-forward|proxy|dev)$/i;

const interactiveNames = /^(?:repl|shell|console|tui|attach|interactive)$/i;

/** Verbs, and a server close behind them that nothing is done to or with. */
const serves =
  /\b(?:starts?|runs?|launch(?:es)?|hosts?|serves?) (?:(?!on\b|of\b|for\b|from\b|in\b|at\b|with\b|against\b|to\b)[\w-]+ ){0,3}(?:web)?server\b|\blanguage server\b|\bforwards?\b[^.]{0,80}\bstandard input and output\b|\buntil (?:it is )?(?:interrupted|stopped|cancell?ed)\b/i;

const talks =
  /\binteractive (?:shell|session|prompt|console|terminal|repl)\b|\bread-eval-print\b|\bREPL\b|\b(?:in|with|from) (?:your|the|an|a) (?:default |text |web )?(?:editor|browser)\b/i;

/** The reason to exclude `node`; `undefined` when it may be a tool. */
export function commandExclusion({ words, summary, help }: CommandNode): string | undefined {
  const name = words.at(-1)!;
  const text = `${firstSentence(summary)}\n${firstSentence(help.description)}`;
  if (help.isInteractiveAlone && help.positionals.length === 0) return "waits for a person";
  // `psql` is an interactive terminal, and takes a command
  if (words.length === 1) return undefined;
  // A daemon leaves its command
  const serving = serves.test(text) && !/\bdaemon\b/i.test(text);
  if (servingNames.test(name) || serving) return "does not end";
  if (interactiveNames.test(name) || talks.test(text)) {
    return "waits for a person";
  }
  return undefined;
}
