/** Where the tools of bundled configs come from. A build makes an index of them, which a search believes of no others. */

import { version } from "../process/version.ts";
import type { Tool } from "../tool/tool.ts";

/** The text that a tool was read from, and its place there. A tool that anything has changed is another object. */
const origins = new WeakMap<Tool, readonly [text: string, at: number]>();

/** Notes that `tools` are those of a bundled config with this text. */
export function noteOrigin(tools: readonly Tool[], text: string): void {
  for (const [at, tool] of tools.entries()) origins.set(tool, [text, at]);
}

/** The file of an index of `tools`, and the text that it begins with; nothing if one is not as a bundled config has it. */
export function indexFileOf(tools: readonly Tool[]) {
  const all = tools.flatMap((tool) => [origins.get(tool)].filter((origin) => origin !== undefined));
  if (all.length < tools.length) return undefined;
  const texts = [...new Set(all.map(([text]) => text))];
  const places = all.map(([text, at]) => `${texts.indexOf(text)}.${at}`);
  // No other number of tools reads it
  return { file: `search_${tools.length}.bin`, key: [version, ...texts, ...places].join("\n") };
}
