/** The program's version, which is in `deno.json` only. */

import manifest from "../../deno.json" with { type: "json" };

/** Semantic version, such as `0.1.0`. */
export const version: string = manifest.version;
