/** Hands the arguments to the program and keeps its exit code. */

import { main } from "./src/cli/main.ts";

Deno.exitCode = await main(Deno.args);

// Everything is done, but Deno cannot take back a write into a pipe that nobody reads, such as the
// input that a background process of some tool was left with. It must not keep the program alive.
Deno.unrefTimer(setTimeout(() => Deno.exit(), 500));
