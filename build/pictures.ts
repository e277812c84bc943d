/** Draws the pictures of the README into `docs/pictures/`, and writes its steps: `deno task pictures`. */

import { pictures, withSteps } from "./_pictures.ts";

for (const [name, text] of await pictures()) {
  await Deno.writeTextFile(new URL(`../docs/pictures/${name}`, import.meta.url), text);
}

const readme = new URL("../README.md", import.meta.url);
await Deno.writeTextFile(readme, await withSteps(await Deno.readTextFile(readme)));
