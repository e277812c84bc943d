/**
 * How this program was built. A bundle carries the answer in a line before its code; without that
 * line it is the source that runs.
 */

import type { NamedText } from "../text/named_text.ts";

/** The three forms of the program. */
export type BuildForm = "source" | "portable" | "binary";

/** Header before the code of a bundle. */
export interface BuildInfo {
  readonly built: "portable";
  /** Present in a sealed server. */
  readonly sealed?: SealedContents;
}

/**
 * What a sealed server is made of; nothing it is started with can change it. Files are called as they were
 * when it was sealed.
 */
export interface SealedContents {
  readonly configs: readonly NamedText[];
  readonly policy?: NamedText;
  readonly classic: boolean;
  /** Absolute path of its audit log. */
  readonly audit?: string;
  /** The permissions it was built for, as Deno's flags. */
  readonly permissions: readonly string[];
}

/** Where the line before the code leaves its answer. */
export const buildInfoKey = "climax.build";

/** The contents of a sealed server, if this is one. */
export function sealedContents(): SealedContents | undefined {
  return buildInfo()?.sealed;
}

/** Which of its forms this program runs in. */
export function buildForm(): BuildForm {
  if (Deno.build.standalone) return "binary";
  return buildInfo()?.built ?? "source";
}

function buildInfo(): BuildInfo | undefined {
  return (globalThis as Record<symbol, unknown>)[Symbol.for(buildInfoKey)] as BuildInfo | undefined;
}
