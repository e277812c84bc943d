/** The program's version, of which `deno.json` is the only place. */

import manifest from "../../deno.json" with { type: "json" };

/** Semantic version, such as `0.1.0`. */
export const version: string = manifest.version;
