/** Writes `docs/reference.md`: `deno task reference`. */

import { referencePage } from "./_reference.ts";

await Deno.writeTextFile(new URL("../docs/reference.md", import.meta.url), referencePage());
