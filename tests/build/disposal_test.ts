/** What the bundler makes of `using`. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { ClimaxError } from "../../src/errors.ts";
import { requireDisposal } from "../../build/_disposal.ts";
import { scratch } from "../e2e/_scratch.ts";

/** `code` with short names, as the bundler writes it. */
async function shortened(code: string): Promise<string> {
  await using dir = await scratch();
  const [entry, output] = [join(dir.path, "entry.mjs"), join(dir.path, "short.mjs")];
  await Deno.writeTextFile(entry, code);
  const args = ["bundle", "--quiet", "--no-config", "--minify", "--output", output, entry];
  assert.equal((await new Deno.Command(Deno.execPath(), { args }).output()).success, true);
  return await Deno.readTextFile(output);
}

Deno.test("requireDisposal() finds what the bundler left open, and nothing else", async () => {
  const kept = `export function twice(path) {
    using file = Deno.openSync(path);
    return [file.statSync(), file.readSync(new Uint8Array(1))];
  }`;
  requireDisposal(kept, await shortened(kept));
  const lost = `export function once(path) {
    using file = Deno.openSync(path);
    return file.statSync();
  }`;
  const code = await shortened(`${kept}\n${lost}`);
  assert.throws(() => requireDisposal(`${kept}\n${lost}`, code), (error) => {
    assert.ok(error instanceof ClimaxError);
    assert.equal(error.problems[0]!.message, "The bundler lost declarations with 'using': 1 of 2");
    return true;
  });
});
