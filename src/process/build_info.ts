/** The version of this program, and its form: a bundle has a line in front of its code, the sources have none. */

import manifest from "../../deno.json" with { type: "json" };

/** A bundle stores its form on `globalThis` with this key. */
export const formKey = "climax.build";

export function buildForm(): "source" | "portable" | "binary" {
  if (Deno.build.standalone) return "binary";
  return (globals[Symbol.for(formKey)] as "portable" | undefined) ?? "source";
}

const globals = globalThis as unknown as Readonly<Record<symbol, unknown>>;

/** The semantic version, such as `0.1.0`. */
export const version: string = manifest.version;
