/** Writes the buttons of docs/install.md: `deno task buttons`. */

import { withButtons } from "./_buttons.ts";

const page = new URL("../docs/install.md", import.meta.url);
await Deno.writeTextFile(page, withButtons(await Deno.readTextFile(page)));
