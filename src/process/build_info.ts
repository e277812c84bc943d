/** Says which version of climax runs, and whether it runs from source, as a portable build or as a binary. */

import manifest from "../../deno.json" with { type: "json" };

/** The key of `globalThis` under which a build of one file stores that its form is `portable`. */
export const formKey = "climax.build";

export function buildForm(): "source" | "portable" | "binary" {
  if (Deno.build.standalone) return "binary";
  return (globals[Symbol.for(formKey)] as "portable" | undefined) ?? "source";
}

const globals = globalThis as unknown as Readonly<Record<symbol, unknown>>;

export const version: string = manifest.version;
