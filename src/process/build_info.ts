/** The version of this program, and its form, which a line in front of a bundle's code sets. */

import manifest from "../../deno.json" with { type: "json" };

/** The key of `globalThis` under which a bundle finds its form. */
export const formKey = "climax.build";

export function buildForm(): "source" | "portable" | "binary" {
  if (Deno.build.standalone) return "binary";
  return (globals[Symbol.for(formKey)] as "portable" | undefined) ?? "source";
}

const globals = globalThis as unknown as Readonly<Record<symbol, unknown>>;

export const version: string = manifest.version;
