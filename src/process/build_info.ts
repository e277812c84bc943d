/** The version of climax, and its form: source, portable or binary. A line in front of a build's code sets `portable`. */

import manifest from "../../deno.json" with { type: "json" };

/** The key of `globalThis` under which a build of one file stores that its form is `portable`. */
export const formKey = "climax.build";

export function buildForm(): "source" | "portable" | "binary" {
  if (Deno.build.standalone) return "binary";
  return (globals[Symbol.for(formKey)] as "portable" | undefined) ?? "source";
}

const globals = globalThis as unknown as Readonly<Record<symbol, unknown>>;

export const version: string = manifest.version;
