/** The changes that a person reviews before accepting the definitions of a server, with hidden characters shown. */

import { diffLines, shownDiff } from "../../text/diff.ts";
import { showHidden, visible } from "../../text/escape.ts";
import type { Listing } from "./cache.ts";
import type { Definition } from "./definition.ts";
import { acceptedPart, type AcceptedServer, hashOf, transportHash } from "./lock.ts";
import { describeTransport, type ServerSpec } from "./spec.ts";
import { hiddenInstructions } from "./suspicion.ts";

export interface Review {
  /** Safe for a terminal; empty without changes. */
  readonly lines: readonly string[];
  /** Texts that look like instructions for the model. */
  readonly suspicious: readonly string[];
}

export function review(
  before: AcceptedServer | undefined,
  listing: Pick<Listing, "definitions" | "description">,
  spec: Pick<ServerSpec, "name" | "transport">,
): Review {
  const known = new Map(Object.entries(before?.tools ?? {}));
  const lines: string[] = [];
  if (before?.transport !== undefined && before.transport !== transportHash(spec)) {
    lines.push("another command or address:", `+ ${shownServer(spec)}`);
  }
  if ((before?.description ?? "") !== listing.description) {
    lines.push(
      "the server's description:",
      ...diff(before?.description ?? "", listing.description),
    );
  }
  for (const definition of listing.definitions) {
    const accepted = known.get(definition.name);
    known.delete(definition.name);
    const name = visibleText(definition.name);
    if (accepted === undefined) {
      lines.push(`new tool ${name}:`, ...textOf(definition).split("\n").map((line) => `+ ${line}`));
    } else if (accepted.sha256 !== hashOf(definition)) {
      const old = textOf(accepted.definition as Definition);
      lines.push(`changed tool ${name}:`, ...diff(old, textOf(definition)));
    }
  }
  for (const name of known.keys()) lines.push(`gone: tool ${visibleText(name)}`);
  return { lines, suspicious: hiddenInstructions(listing).map(visibleText) };
}

/** The command or URL of a server in one line, with hidden characters shown. */
export function shownServer({ name, transport }: Pick<ServerSpec, "name" | "transport">): string {
  const isStarted = transport.kind === "stdio";
  const names = isStarted ? Object.keys(transport.env) : [];
  return visible(showHidden([
    `${name}: ${describeTransport(transport)}`,
    ...(isStarted && transport.cwd !== undefined ? [`in ${transport.cwd}`] : []),
    // A variable may name a program too
    ...(names.length > 0 ? [`with ${names.join(", ")}`] : []),
  ].join(" ")));
}

function diff(before: string, after: string): string[] {
  return shownDiff(diffLines(visibleText(before), visibleText(after)));
}

/** A definition as text: its description by lines, then the rest as JSON. */
function textOf(definition: Definition): string {
  const { description = "", ...rest } = acceptedPart(definition);
  return visibleText(`${description}\n${JSON.stringify(rest, null, 2)}`);
}

function visibleText(text: string): string {
  return text.split("\n").map((line) => visible(showHidden(line))).join("\n");
}
