/** The changes that a person reviews before accepting the definitions of a server, with hidden characters shown. */

import { diffLines, formatDiff } from "../../text/diff.ts";
import { showHidden, visible } from "../../text/escape.ts";
import { firstSentence } from "../../text/sentence.ts";
import type { Effect } from "../../tool/tool.ts";
import type { Listing } from "./listing.ts";
import type { Definition } from "./definition.ts";
import { type AcceptedServer, definitionHash, partToAccept, transportHash } from "./lock.ts";
import { describeTransport, type ServerSpec } from "./spec.ts";
import { findSuspicions } from "./suspicion.ts";
import { effectOfClaims } from "./tools.ts";

/** A tool to accept. All texts are safe for a terminal. */
export interface ReviewedTool {
  readonly name: string;
  readonly change: "new" | "changed" | "gone" | "same";
  /** What the server claims; absent: nothing. */
  readonly effect: Effect | undefined;
  /** The first sentence of its description. */
  readonly summary: string;
  /** Characters of its definition. */
  readonly size: number;
  /** Texts that look like instructions for the model. */
  readonly suspicions: readonly string[];
  /** The definition, or what changed in it. */
  readonly details: readonly string[];
}

/** What a person accepts of a server. All texts are safe for a terminal. */
export interface Review {
  /** The command or address, if it is another than the one that was accepted. */
  readonly transport?: string;
  readonly isChanged: boolean;
  /** The first sentence of the server's description; empty if that is as accepted. */
  readonly summary: string;
  /** The whole description, or what changed in it; empty if it is as accepted. */
  readonly details: readonly string[];
  /** About the description. */
  readonly suspicions: readonly string[];
  /** Those with suspicions first, then those that changed, then the others in the order of the server. */
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
  const gone = [...accepted.keys()].map(goneTool);
  const tools = [...present, ...gone].toSorted((one, other) => rankOf(one) - rankOf(other));
  const hasNewDescription = (before?.description ?? "") !== listing.description;
  const isMoved = before?.transport !== undefined && before.transport !== transportHash(spec);
  return {
    ...(isMoved ? { transport: describeServer(spec) } : {}),
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
  const isSame = accepted?.sha256 === definitionHash(definition);
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

function goneTool(name: string): ReviewedTool {
  return {
    name: visibleText(name),
    change: "gone",
    effect: undefined,
    summary: "",
    size: 0,
    suspicions: [],
    details: [],
  };
}

function rankOf({ suspicions, change }: ReviewedTool): number {
  if (suspicions.length > 0) return 0;
  return change === "changed" ? 1 : 2;
}

/** The command or URL of a server in one line, with hidden characters shown. */
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
    // A variable may name a program too
    ...(names.length > 0 ? [`with ${names.join(", ")}`] : []),
    ...(given.length > 0 ? [`given the variables ${given.join(", ")}`] : []),
    ...(auth?.issuer === undefined ? [] : [`login at ${auth.issuer}`]),
  ].join(" ")));
}

function diff(before: string, after: string): string[] {
  return formatDiff(diffLines(visibleText(before), visibleText(after)));
}

/** A definition as text: its description by lines, then the rest as JSON. */
function textOf(definition: Definition): string {
  const { description = "", ...rest } = partToAccept(definition);
  return visibleText(`${description}\n${JSON.stringify(rest, null, 2)}`);
}

function visibleText(text: string): string {
  return text.split("\n").map((line) => visible(showHidden(line))).join("\n");
}
