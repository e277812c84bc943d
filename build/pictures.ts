/** Draws the pictures of the README into `docs/pictures/`: `deno task pictures`. */

import { pictures } from "./_pictures.ts";

for (const [name, text] of await pictures()) {
  await Deno.writeTextFile(new URL(`../docs/pictures/${name}`, import.meta.url), text);
}
