/** Hands the arguments to the program and keeps its exit code. */

import { main } from "./src/cli.ts";

Deno.exitCode = await main(Deno.args);
