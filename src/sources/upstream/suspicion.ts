/**
 * Texts of a server that look as if they were meant to steer the model: a short list of patterns, said
 * to a person and hidden from nobody. It finds the careless, not the clever.
 */

import { quote } from "../../text/excerpt.ts";
import { codeOf, hiddenCharacters, showHidden } from "../../text/escape.ts";
import { counted } from "../../text/plural.ts";
import type { Listing } from "./cache.ts";

const patterns: readonly (readonly [what: string, pattern: RegExp])[] = [
  [
    "tells the model to ignore its instructions",
    /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|all|other|system)\b.{0,30}\b(?:instructions?|prompts?|rules?|messages?|tools?)\b/i,
  ],
  [
    "looks like a system prompt",
    /<\/?\s*(?:system|important|instructions?|assistant|admin|secret|hidden)\b[^>]{0,40}>|\[\/?(?:INST|SYSTEM)\]|<\|[a-z_]{2,30}\|>|^[ \t]*(?:system|assistant)[ \t]*:/im,
  ],
  [
    "asks to hide something from the user",
    /\b(?:do not|don't|never|without)\b.{0,30}\b(?:tell|telling|inform|mention|mentioning|reveal|show|notify|notifying)\b.{0,30}\b(?:user|person|human|anyone)\b/i,
  ],
  [
    "asks for files or secrets that are not arguments",
    /(?:~\/|\.ssh|id_rsa|\.aws\/|\.env\b|mcp\.json|\/etc\/passwd).{0,80}\b(?:pass|send|include|content|read)\b|\b(?:read|send|include|pass)\b.{0,80}(?:~\/\.|\.ssh|id_rsa|\.aws\/|mcp\.json|\/etc\/passwd)/i,
  ],
  [
    "gives orders about other tools",
    /\b(?:before|instead of|whenever)\b.{0,20}\b(?:using|calling|use|call)\b.{0,20}\b(?:any|every|all|other)\b.{0,10}\btools?\b/i,
  ],
];

/** Sentences on what is suspicious in `listing`, each with the place and the words. */
export function hiddenInstructions(
  listing: Pick<Listing, "definitions" | "description">,
): string[] {
  const budget = { left: maxScanned };
  const own = findingsIn([listing.description], "its description", budget);
  const tools = listing.definitions.flatMap((definition) => {
    const { name, title, description, inputSchema, outputSchema, annotations } = definition;
    const texts = textsIn([name, title, description, inputSchema, outputSchema, annotations]);
    return findingsIn(texts, `tool '${name}'`, budget);
  });
  return [...own, ...tools].map(showHidden);
}

/** What is found in `texts`, each sentence once; what was not looked at is one of them. */
function findingsIn(texts: readonly string[], place: string, budget: { left: number }): string[] {
  let unseen = 0;
  const found = texts.flatMap((text) => {
    const length = Math.min(text.length, maxLength, budget.left);
    budget.left -= length;
    unseen += text.length - length;
    return findings(text.slice(0, length), place);
  });
  if (unseen > 0) {
    found.push(`${place} has ${counted(unseen, "character")} that were not looked at`);
  }
  return [...new Set(found)];
}

function findings(text: string, place: string): string[] {
  const found = patterns.flatMap(([what, pattern]) => {
    const words = pattern.exec(text)?.[0];
    return words === undefined ? [] : [`${place} ${what}: ${quote(words)}`];
  });
  const odd = new Set<string>();
  for (const character of hiddenCharacters(text)) {
    odd.add(codeOf(character));
    if (odd.size === maxNamed) break;
  }
  if (odd.size > 0) {
    found.push(`${place} has invisible characters: ${[...odd].join(", ")}`);
  }
  return found;
}

/** Characters of one text that are looked through, and of all texts of a server. */
const maxLength = 20_000;
const maxScanned = 1024 * 1024;

/** Characters that are not seen, and that are named. */
const maxNamed = 5;

function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || depth > 50) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    return Array.isArray(value) ? textsIn(inner, depth + 1) : [key, ...textsIn(inner, depth + 1)];
  });
}
