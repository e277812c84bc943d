/** Writes the program as one minified module into the file that is named, for `climax compile` from source. */

import { bundleProgram, minifiedProgram } from "./_bundle.ts";
import { sayingProblems } from "./_problems.ts";

await sayingProblems(async () => {
  await Deno.writeTextFile(Deno.args[0]!, await bundleProgram(minifiedProgram));
});
