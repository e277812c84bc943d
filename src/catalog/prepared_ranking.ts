/**
 * The index of all bundled configs that a build made: believed of the very tools and texts that it was made of. Every
 * start has this module, which loads nothing of a search.
 */

import { partsFolder } from "../process/build_info.ts";
import { version } from "../process/version.ts";
import type { Tool } from "../tool/tool.ts";

/** The text that a tool was read from, and its place there. A tool that anything has changed is another object. */
const origins = new WeakMap<Tool, readonly [text: string, at: number]>();

/** Notes that `tools` are those of a bundled config with this text. */
export function noteOrigin(tools: readonly Tool[], text: string): void {
  for (const [at, tool] of tools.entries()) origins.set(tool, [text, at]);
}

/** A text that only these tools have, in this order; `undefined` if one is not as a bundled config has it. */
export function originOf(tools: readonly Tool[]): string | undefined {
  const all = tools.map((tool) => origins.get(tool));
  if (all.includes(undefined)) return undefined;
  const texts = new Map<string, number>();
  const places = all.map((origin) => {
    const [text, at] = origin!;
    return `${texts.getOrInsertComputed(text, () => texts.size)}.${at}`;
  });
  return [version, ...texts.keys(), places.join()].join("\n");
}

/** The file for so many tools, so that no other catalogue reads it. */
export function fileOfRanking(tools: readonly Tool[]): string {
  return `search_${tools.length}.bin`;
}

/** The bytes that a build made for `tools`, and the text that must be theirs. */
export function preparedRanking(tools: readonly Tool[]) {
  const folder = partsFolder();
  const key = folder && originOf(tools);
  if (key === undefined) return undefined;
  try {
    return { bytes: Deno.readFileSync(new URL(fileOfRanking(tools), folder)), key };
  } catch {
    return undefined;
  }
}
