/** Writes `build/surface.json` at a release: `deno task surface`. */

import { surface } from "./_surface.ts";

const text = `${JSON.stringify(await surface(), null, 2)}\n`;
await Deno.writeTextFile(new URL("surface.json", import.meta.url), text);
