/** Shows a person what a server says of its tools, and warns of texts that look like instructions for the model. */

import { diffLines, formatDiff } from "../../text/diff.ts";
import { codeOf, findHidden, showHidden, visible } from "../../text/escape.ts";
import { quote } from "../../text/excerpt.ts";
import { plural } from "../../text/plural.ts";
import { firstSentence } from "../../text/sentence.ts";
import type { Effect } from "../../tool/tool.ts";
import type { Listing } from "./listing.ts";
import type { Definition } from "./definition.ts";
import { type AcceptedServer, isSameDefinition, partToAccept, transportHash } from "./lock.ts";
import { describeTransport, type ServerSpec } from "./spec.ts";
import { effectOfClaims } from "./tools.ts";

export interface ReviewedTool {
  readonly name: string;
  readonly change: "new" | "changed" | "gone" | "same";
  readonly effect: Effect | undefined;
  readonly summary: string;
  readonly size: number;
  readonly suspicions: readonly string[];
  readonly details: readonly string[];
}

/** What a person sees of a server before accepting it. All texts are safe to print on a terminal. */
export interface Review {
  readonly transport?: string;
  readonly isChanged: boolean;
  readonly summary: string;
  readonly details: readonly string[];
  readonly suspicions: readonly string[];
  /** The tools in the order to read them: suspicious ones first, then changed ones, then the others. */
  readonly tools: readonly ReviewedTool[];
}

export function review(
  before: AcceptedServer | undefined,
  listing: Pick<Listing, "definitions" | "description">,
  spec: Pick<ServerSpec, "name" | "transport" | "auth">,
): Review {
  const suspicions = findSuspicions(listing);
  const accepted = new Map(Object.entries(before?.tools ?? {}));
  const present = listing.definitions.map((definition, index) => {
    const known = accepted.get(definition.name);
    accepted.delete(definition.name);
    return reviewTool(definition, known, suspicions.tools[index]!.map(visibleText));
  });
  const nothing = { effect: undefined, summary: "", size: 0, suspicions: [], details: [] };
  const gone = [...accepted.keys()].map((name): ReviewedTool => {
    return { name: visibleText(name), change: "gone", ...nothing };
  });
  const tools = [...present, ...gone].toSorted((one, other) => rankOf(one) - rankOf(other));
  const hasNewDescription = (before?.description ?? "") !== listing.description;
  const isMoved = before !== undefined && before.transport !== transportHash(spec);
  return {
    ...(isMoved && { transport: describeServer(spec) }),
    isChanged: isMoved || hasNewDescription || tools.some(({ change }) => change !== "same"),
    summary: hasNewDescription ? visibleText(firstSentence(listing.description)) : "",
    details: hasNewDescription ? diff(before?.description ?? "", listing.description) : [],
    suspicions: suspicions.own.map(visibleText),
    tools,
  };
}

function reviewTool(
  definition: Definition,
  accepted: AcceptedServer["tools"][string] | undefined,
  suspicions: readonly string[],
): ReviewedTool {
  const isSame = accepted !== undefined && isSameDefinition(accepted, definition);
  const text = textOf(definition);
  return {
    name: visibleText(definition.name),
    change: accepted === undefined ? "new" : isSame ? "same" : "changed",
    effect: effectOfClaims(definition.annotations),
    summary: visibleText(firstSentence(definition.description ?? "")),
    size: JSON.stringify(partToAccept(definition)).length,
    suspicions,
    details: accepted === undefined
      ? text.split("\n").map((line) => `+ ${line}`)
      : isSame
      ? []
      : diff(textOf(accepted.definition as Definition), text),
  };
}

function rankOf({ suspicions, change }: ReviewedTool): number {
  if (suspicions.length > 0) return 0;
  return change === "changed" ? 1 : 2;
}

export function describeServer(
  { name, transport, auth }: Pick<ServerSpec, "name" | "transport" | "auth">,
): string {
  const isStarted = transport.kind === "stdio";
  const names = Object.keys(isStarted ? transport.env : transport.headers);
  const secrets = JSON.stringify([isStarted ? transport.env : transport.headers, auth ?? ""])
    .matchAll(/\$\{?(\w+)/g).map(([, variable]) => variable!);
  const given = [...new Set(secrets)];
  return visible(showHidden([
    `${name}: ${describeTransport(transport)}`,
    ...(isStarted && transport.cwd !== undefined ? [`in ${transport.cwd}`] : []),
    // A person must see which variables and headers a server gets, since they may change what a program does
    ...(names.length > 0 ? [`with ${names.join(", ")}`] : []),
    ...(given.length > 0 ? [`given the variables ${given.join(", ")}`] : []),
    ...(auth?.issuer === undefined ? [] : [`login at ${auth.issuer}`]),
  ].join(" ")));
}

function diff(before: string, after: string): string[] {
  return formatDiff(diffLines(visibleText(before), visibleText(after)));
}

function textOf(definition: Definition): string {
  const { description = "", ...rest } = partToAccept(definition);
  return visibleText(`${description}\n${JSON.stringify(rest, null, 2)}`);
}

function visibleText(text: string): string {
  return text.split("\n").map((line) => visible(showHidden(line))).join("\n");
}

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

export function findHiddenInstructions(
  listing: Pick<Listing, "definitions" | "description" | "features">,
): string[] {
  const { own, tools, features } = findSuspicions(listing);
  return [...own, ...tools.flat(), ...features];
}

function findSuspicions(listing: Pick<Listing, "definitions" | "description" | "features">) {
  const budget = { left: maxScanned };
  const own = findingsIn([listing.description], "its description", budget).map(showHidden);
  const tools = listing.definitions.map((definition) => {
    const { name, title, description, inputSchema, outputSchema, annotations } = definition;
    const texts = collectTexts([name, title, description, inputSchema, outputSchema, annotations]);
    return findingsIn(texts, `tool '${name}'`, budget).map(showHidden);
  });
  const { prompts = [], resources = [], templates = [] } = listing.features ?? {};
  const features = [
    ...prompts.map((each) => [each, `prompt '${each.name}'`] as const),
    ...resources.map((each) => [each, `resource '${each.uri}'`] as const),
    ...templates.map((each) => [each, `resource template '${each.uriTemplate}'`] as const),
  ].flatMap(([definition, place]) => {
    return findingsIn(collectTexts(definition), place, budget).map(showHidden);
  });
  return { own, tools, features };
}

function findingsIn(texts: readonly string[], place: string, budget: { left: number }): string[] {
  let unseen = 0;
  const found = texts.flatMap((text) => {
    const length = Math.min(text.length, maxLength, budget.left);
    budget.left -= length;
    unseen += text.length - length;
    return findings(text.slice(0, length), place);
  });
  if (unseen > 0) found.push(`${place} has ${plural(unseen, "character")} that were not looked at`);
  return [...new Set(found)];
}

function findings(text: string, place: string): string[] {
  const found = patterns.flatMap(([what, pattern]) => {
    const words = pattern.exec(text)?.[0];
    return words === undefined ? [] : [`${place} ${what}: ${quote(words)}`];
  });
  const odd = [...new Set(Array.from(findHidden(text), codeOf))].slice(0, maxNamed);
  if (odd.length > 0) found.push(`${place} has invisible characters: ${odd.join(", ")}`);
  return found;
}

/** Characters that are searched for hidden instructions: `maxLength` of one text, `maxScanned` of one server. */
const maxLength = 20_000;
const maxScanned = 1024 * 1024;
const maxNamed = 5;

function collectTexts(value: unknown, depth = 0): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || depth > 50) return [];
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return [...names, ...Object.values(value).flatMap((inner) => collectTexts(inner, depth + 1))];
}
