/** How this program was built, by a line in front of a bundle's code; the sources have none. */

/** The key on `globalThis` of the form of a bundle. */
export const formKey = "climax.build";

export function buildForm(): "source" | "portable" | "binary" {
  if (Deno.build.standalone) return "binary";
  return (globals[Symbol.for(formKey)] as "portable" | undefined) ?? "source";
}

const globals = globalThis as unknown as Readonly<Record<symbol, unknown>>;
