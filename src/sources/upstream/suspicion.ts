/** Warns of texts that look like instructions for the model: finds careless attempts, not clever ones. */

import { quote } from "../../text/excerpt.ts";
import { codeOf, findHidden, showHidden } from "../../text/escape.ts";
import { plural } from "../../text/plural.ts";
import type { Listing } from "./listing.ts";

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

/** A warning for each suspicious text in `listing`, with its place and the words. */
export function findHiddenInstructions(
  listing: Pick<Listing, "definitions" | "description" | "features">,
): string[] {
  const { own, tools, features } = findSuspicions(listing);
  return [...own, ...tools.flat(), ...features];
}

/** The same: about the server itself, about each of its tools in their order, and about its features. */
export function findSuspicions(
  listing: Pick<Listing, "definitions" | "description" | "features">,
) {
  const budget = { left: maxScanned };
  const own = findingsIn([listing.description], "its description", budget).map(showHidden);
  const tools = listing.definitions.map((definition) => {
    const { name, title, description, inputSchema, outputSchema, annotations } = definition;
    const texts = collectTexts([name, title, description, inputSchema, outputSchema, annotations]);
    return findingsIn(texts, `tool '${name}'`, budget).map(showHidden);
  });
  const { prompts = [], resources = [], templates = [], skills = [] } = listing.features ?? {};
  const features = [
    ...prompts.map((each) => [each, `prompt '${each.name}'`] as const),
    ...resources.map((each) => [each, `resource '${each.uri}'`] as const),
    ...templates.map((each) => [each, `resource template '${each.uriTemplate}'`] as const),
    ...skills.map((each) => [each.frontmatter, `skill '${each.uri}'`] as const),
  ].flatMap(([definition, place]) => {
    return findingsIn(collectTexts(definition), place, budget).map(showHidden);
  });
  return { own, tools, features };
}

/** Without repeats; one of the warnings says if texts were not searched. */
function findingsIn(texts: readonly string[], place: string, budget: { left: number }): string[] {
  let unseen = 0;
  const found = texts.flatMap((text) => {
    const length = Math.min(text.length, maxLength, budget.left);
    budget.left -= length;
    unseen += text.length - length;
    return findings(text.slice(0, length), place);
  });
  if (unseen > 0) {
    found.push(`${place} has ${plural(unseen, "character")} that were not looked at`);
  }
  return [...new Set(found)];
}

function findings(text: string, place: string): string[] {
  const found = patterns.flatMap(([what, pattern]) => {
    const words = pattern.exec(text)?.[0];
    return words === undefined ? [] : [`${place} ${what}: ${quote(words)}`];
  });
  const odd = new Set<string>();
  for (const character of findHidden(text)) {
    odd.add(codeOf(character));
    if (odd.size === maxNamed) break;
  }
  if (odd.size > 0) {
    found.push(`${place} has invisible characters: ${[...odd].join(", ")}`);
  }
  return found;
}

/** Most characters that are searched of one text, and of all texts of a server. */
const maxLength = 20_000;
const maxScanned = 1024 * 1024;

/** Hidden characters, and how many are named. */
const maxNamed = 5;

function collectTexts(value: unknown, depth = 0): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || depth > 50) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    return Array.isArray(value)
      ? collectTexts(inner, depth + 1)
      : [key, ...collectTexts(inner, depth + 1)];
  });
}
