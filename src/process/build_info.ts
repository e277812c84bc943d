/** How this program was built, by a line in front of a bundle's code; the sources have none. */

import type { NamedText } from "../text/named_text.ts";

/** The line in front of a bundle's code. */
export interface BuildInfo {
  readonly built: "portable";
  /** Present in a sealed server. */
  readonly sealed?: SealedContents;
}

/** The contents of a sealed server, which no start can change. Files keep their names. */
export interface SealedContents {
  readonly configs: readonly NamedText[];
  readonly policy?: NamedText;
  /** It holds programs in the usual sandbox. */
  readonly sandbox?: true;
  readonly scripts?: true;
  /** The kept scripts that it serves, and no others. */
  readonly keptScripts: { readonly texts: readonly NamedText[] };
  readonly classic: boolean;
  /** Absolute path of its audit log. */
  readonly audit?: string;
  /** The permissions it was built for, as Deno flags. */
  readonly permissions: readonly string[];
}

/** The key of the build info on `globalThis`. */
export const buildInfoKey = "climax.build";

/** The key on `globalThis` of the folder of a program in several files: a URL. */
export const partsKey = "climax.parts";

/** The folder with the modules of this program; `undefined` where it is one file, or the sources. */
export function partsFolder(): URL | undefined {
  const url = (globalThis as Record<symbol, unknown>)[Symbol.for(partsKey)] as string | undefined;
  return url === undefined ? undefined : new URL(".", url);
}

/** The contents of a sealed server; `undefined` in any other build. */
export function contentsOfSealed(): SealedContents | undefined {
  return buildInfo()?.sealed;
}

export function buildForm(): "source" | "portable" | "binary" {
  if (Deno.build.standalone) return "binary";
  return buildInfo()?.built ?? "source";
}

function buildInfo(): BuildInfo | undefined {
  return (globalThis as Record<symbol, unknown>)[Symbol.for(buildInfoKey)] as BuildInfo | undefined;
}
