/** Writes the buttons of the README: `deno task buttons`. */

import { withButtons } from "./_buttons.ts";

const readme = new URL("../README.md", import.meta.url);
await Deno.writeTextFile(readme, withButtons(await Deno.readTextFile(readme)));
