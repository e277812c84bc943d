/** Summarises a catalogue and a project for a model that proposes groups. */

import { inOneLine } from "../text/escape.ts";
import type { NamedText } from "../text/named_text.ts";
import { excerpt } from "../text/excerpt.ts";
import { plural } from "../text/plural.ts";
import type { Tool } from "../tool/tool.ts";

/** Most characters of all descriptions; each tool has an equal share. */
const descriptionsLength = 40_000;

/** Least and most characters of a description. */
const shortest = 60;
const longest = 240;

/** Most arguments that are named. */
const argsNamed = 6;

/** Most characters of one file of the project. */
const fileLength = 20_000;

/** The project that the tools are for; each part may be missing. */
export interface ProjectContext {
  readonly domain?: string | undefined;
  readonly customHints?: readonly string[] | undefined;
  /** Markdown files that describe it. */
  readonly files: readonly NamedText[];
}

/** One line for each tool, below its owner. */
export function compactCatalogue(tools: readonly Tool[]): string {
  const share = Math.round(descriptionsLength / tools.length);
  const length = Math.max(shortest, Math.min(longest, share));
  const owners = Map.groupBy(tools, ({ owner }) => owner.name);
  return [...owners].map(([name, own]) => {
    const about = oneLine(own[0]!.owner.description, longest);
    const heading = `# ${name} (${plural(own.length, "tool")})${about === "" ? "" : `: ${about}`}`;
    return [heading, ...own.map((tool) => compactTool(tool, length))].join("\n");
  }).join("\n\n");
}

function compactTool({ name, description, args }: Tool, length: number): string {
  const named = args.slice(0, argsNamed).map((arg) => arg.name).join(", ");
  const about = oneLine(description, length);
  return [name, about === "" ? "" : `: ${about}`, named === "" ? "" : ` [${named}]`].join("");
}

/** Empty without information. */
export function compactProject({ domain, customHints = [], files }: ProjectContext): string {
  return [
    ...(domain === undefined ? [] : [`Domain: ${oneLine(domain, longest)}`]),
    ...customHints.map((hint) => `Hint of the user: ${oneLine(hint, 1000)}`),
    ...files.map(({ file, text }) => `File ${file}:\n${excerpt(text.trim(), fileLength)}`),
  ].join("\n\n");
}

function oneLine(text: string, length: number): string {
  return excerpt(inOneLine(text), length);
}
