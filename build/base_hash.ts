/**
 * Compares the base runtime that `deno compile` downloaded with its hash in `denort.json`, since Deno
 * compares it with none: `deno task base-hash [TARGET]`, after `deno task compile`. `denort.json` has the
 * SHA-256 of each downloaded file by its name with the version.
 */

import { join } from "node:path";
import hashes from "./denort.json" with { type: "json" };
import { denoVersion } from "./_facts.ts";
import { say } from "./_problems.ts";

/** Says what is wrong with a download; `undefined` if it is what was recorded. */
export function baseProblem(
  name: string,
  sha256: string,
  recorded: Readonly<Record<string, string>>,
): string | undefined {
  const expected = recorded[name];
  if (expected === sha256) return undefined;
  return expected === undefined
    ? `${name} is not in build/denort.json: compare ${sha256} with that of another machine, and add it`
    : `${name} is not what was recorded: its SHA-256 is ${sha256}, expected ${expected}`;
}

/** The folder of downloads of the Deno that runs this. */
async function downloads(): Promise<string> {
  const command = new Deno.Command(Deno.execPath(), { args: ["info", "--json"] });
  const { denoDir } = JSON.parse(new TextDecoder().decode((await command.output()).stdout));
  return join(denoDir, "dl", "release", `v${denoVersion}`);
}

/** Compares the download for `target`. @returns what is wrong; `undefined` if it is what was recorded */
async function problemOf(target: string): Promise<string | undefined> {
  if (Deno.env.get("DENORT_BIN")) {
    return "DENORT_BIN is set, so the binary has another base than Deno's download: unset it, and build again";
  }
  const file = `denort-${target}.zip`;
  const path = join(await downloads(), file);
  const bytes = await Deno.readFile(path).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  if (bytes === undefined) {
    return `${path} is not there: build the binary first (deno task compile)`;
  }
  const sha256 = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
  return baseProblem(`v${denoVersion}/${file}`, sha256, hashes);
}

if (import.meta.main) {
  const [target = Deno.build.target] = Deno.args;
  const problem = await problemOf(target);
  say(problem ?? `denort-${target}.zip is what was recorded`);
  if (problem !== undefined) Deno.exitCode = 1;
}
