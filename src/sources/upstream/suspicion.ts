/**
 * Texts of a server that look as if they were meant to steer the model: a short list of patterns, said
 * to a person and hidden from nobody. It finds the careless, not the clever.
 */

import { quote } from "../../text/excerpt.ts";
import type { Listing } from "./cache.ts";

const patterns: readonly (readonly [what: string, pattern: RegExp])[] = [
  [
    "tells the model to ignore its instructions",
    /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|all|other|system)\b.{0,30}\b(?:instructions?|prompts?|rules?|messages?|tools?)\b/i,
  ],
  [
    "looks like a system prompt",
    /<\/?\s*(?:system|important|instructions?|assistant|admin|secret|hidden)\b[^>]{0,40}>|\[\/?(?:INST|SYSTEM)\]|<\|[a-z_]{2,30}\|>|^\s*(?:system|assistant)\s*:/im,
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

/**
 * Characters that people do not see, or that change the order of what they see: Unicode's controls, marks
 * of format, separators of lines, what may be left out of a rendering, and a blank that is none by name.
 */
const hiddenCharacters = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800]/gu;

/** Sentences on what is suspicious in `listing`, each with the place and the words. */
export function hiddenInstructions(
  listing: Pick<Listing, "definitions" | "description">,
): string[] {
  const own = findings(listing.description, "its description");
  const tools = listing.definitions.flatMap((definition) => {
    const { name, title, description, inputSchema, outputSchema, annotations } = definition;
    const texts = textsIn([title, description, inputSchema, outputSchema, annotations]);
    const found = [name, ...texts].flatMap((text) => findings(text, `tool '${name}'`));
    return [...new Set(found)];
  });
  return [...own, ...tools].map(showHidden);
}

function findings(text: string, place: string): string[] {
  const found = patterns.flatMap(([what, pattern]) => {
    const words = pattern.exec(text)?.[0];
    return words === undefined ? [] : [`${place} ${what}: ${quote(words)}`];
  });
  const hidden = text.match(hiddenCharacters);
  // The mark behind an emoji is not meant for anyone
  const odd = hidden?.filter((each) => each !== "\ufe0f" && each !== "\u200d") ?? [];
  if (odd.length > 0) {
    const names = [...new Set(odd.map(codeOf))].slice(0, 5).join(", ");
    found.push(`${place} has invisible characters: ${names}`);
  }
  return found;
}

/** `text` with the characters that are not seen written out. */
export function showHidden(text: string): string {
  return text.replace(hiddenCharacters, (character) => {
    return character === "\ufe0f" || character === "\u200d" ? character : `⟨${codeOf(character)}⟩`;
  });
}

function codeOf(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Longest text that is looked through, in characters. */
const maxLength = 20_000;

function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === "string") return [value.slice(0, maxLength)];
  if (typeof value !== "object" || value === null || depth > 50) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    return Array.isArray(value) ? textsIn(inner, depth + 1) : [key, ...textsIn(inner, depth + 1)];
  });
}
