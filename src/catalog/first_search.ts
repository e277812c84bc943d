/** Searches of a catalogue, by code that the first of them loads: a server answers `tools/list` without it. */

import type * as searching from "./tool_index.ts";
import { maxNameLength, type ToolTable, withoutClientPrefix } from "./tool_table.ts";

/** An import takes six microseconds each time. */
let loading: Promise<typeof searching> | undefined;

const indexes = new WeakMap<ToolTable, searching.ToolIndex>();

/** The index of `table`: the same each time. */
export async function toolIndexOf(table: ToolTable): Promise<searching.ToolIndex> {
  const { ToolIndex } = await (loading ??= import("./tool_index.ts"));
  if (table instanceof ToolIndex) return table;
  return indexes.getOrInsertComputed(
    table,
    () => new ToolIndex([...table.tools, ...table.features], table.absent),
  );
}

/** Up to three tools that a name may mean which no tool has: misspelt, or found with its words. */
export async function namesLike(table: ToolTable, name: string): Promise<string[]> {
  if (name.length > maxNameLength) return [];
  const plain = withoutClientPrefix(name);
  // The name may be a command line
  const [start] = plain.split(" -", 1);
  const [meant] = start === plain ? [] : table.meantBy(start!);
  if (meant !== undefined) return [meant.name];
  const misspelt = table.near(plain);
  return misspelt.length > 0 ? misspelt : await (await toolIndexOf(table)).namesLike(plain);
}
