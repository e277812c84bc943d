/** Where the tools of bundled configs come from. A build makes an index of them, which a search believes of no others. */

import { version } from "../process/version.ts";
import type { Tool } from "../tool/tool.ts";

/** The global key of the index of a build: for how many tools it is, and a function that reads it. */
export const indexKey = "climax.index";

/** The text that a tool was read from, and its place there. A tool that anything has changed is another object. */
const origins = new WeakMap<Tool, readonly [text: string, at: number]>();

/** Notes that `tools` are those of a bundled config with this text. */
export function noteOrigin(tools: readonly Tool[], text: string): void {
  for (const [at, tool] of tools.entries()) origins.set(tool, [text, at]);
}

/** A text that only `tools` have, in their order; `undefined` if one is not as a bundled config has it. */
export function originsOf(tools: readonly Tool[]): string | undefined {
  const all = tools.flatMap((tool) => [origins.get(tool)].filter((origin) => origin !== undefined));
  const texts = [...new Set(all.map(([text]) => text))];
  const places = all.map(([text, at]) => `${texts.indexOf(text)}.${at}`);
  return all.length < tools.length ? undefined : [version, ...texts, ...places].join("\n");
}

/** The index in this bundle if it may be that of `tools`, and the text that it must have. */
export function indexInBundle(tools: readonly Tool[]) {
  const index = (globalThis as Record<symbol, unknown>)[Symbol.for(indexKey)] as
    | { readonly count: number; read(): Uint8Array<ArrayBuffer> }
    | undefined;
  const key = index?.count === tools.length ? originsOf(tools) : undefined;
  return index && key && { bytes: index.read(), key };
}
