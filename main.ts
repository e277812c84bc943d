/** Hands the arguments to the program and keeps its exit code. */

import { main } from "./src/cli/main.ts";

Deno.exitCode = await main(Deno.args);

// Everything is done, but Deno cannot cancel a pending write into a pipe without a reader, such as
// the input of a background process. Such a write must not keep the program alive.
Deno.unrefTimer(setTimeout(() => Deno.exit(), 500));
