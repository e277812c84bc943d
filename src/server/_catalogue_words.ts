/** The programs and MCP servers of a catalogue in words: how many there are, and their names as far as they fit. */

import type { CliSummary } from "../catalog/summary.ts";
import type { ToolTable } from "../catalog/tool_table.ts";
import { inOneLine } from "../text/escape.ts";
import { excerpt } from "../text/excerpt.ts";
import { plural } from "../text/plural.ts";

/** The names of the owners that are no command-line programs. */
export type OwnerKinds = Pick<ToolTable, "servers" | "scripts">;

/** Most characters of the name of a program or server. */
export const nameLength = 59;

/** `16 tools of 2 command-line programs (git, docker) and 1 MCP server (issues)`; the names in `room` characters. */
export function catalogueWords(
  clis: readonly CliSummary[],
  { servers, scripts }: OwnerKinds,
  room: number,
): string {
  const tools = clis.reduce((sum, cli) => sum + cli.tool_count, 0);
  const isServer = ({ name }: CliSummary) => servers.has(name);
  const kinds = [
    ["command-line program", clis.filter((cli) => !isServer(cli) && !scripts.has(cli.name))],
    ["MCP server", clis.filter(isServer)],
  ] as const;
  const there = kinds.filter(([, owners]) => owners.length > 0);
  const share = Math.floor(room / Math.max(1, there.length));
  // Without anything, it is the programs that are missing
  const counted = (there.length + scripts.size === 0 ? [kinds[0]] : there).map(([noun, owners]) => {
    const names = listWithin(namesOf(owners), share, ", ");
    return `${plural(owners.length, noun)}${names === "" ? "" : ` (${names})`}`;
  });
  const also = scripts.size === 0 ? [] : ["scripts"];
  return `${plural(tools, "tool")} of ${inWords([...counted, ...also])}`;
}

/** `a, b and c` */
export function inWords(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

export function namesOf(clis: readonly CliSummary[]): readonly string[] {
  return clis.map(({ name }) => excerpt(inOneLine(name), nameLength));
}

/** Items joined within `room` characters, with a count of those that did not fit. */
export function listWithin(items: readonly string[], room: number, separator: string): string {
  const whole = items.join(separator);
  if (whole.length <= room) return whole;
  let text = "";
  for (const [taken, item] of items.entries()) {
    const rest = `${separator}… and ${items.length - taken} more`;
    const next = taken === 0 ? item : text + separator + item;
    if (next.length + rest.length > room) return text === "" ? "" : text + rest;
    text = next;
  }
  return text;
}
