/** Artefacts for tests, built apart from the checkout's own `dist/` and `npm/`. */

import assert from "node:assert/strict";
import { join } from "node:path";
import manifest from "../../deno.json" with { type: "json" };
import { givenBundle, root } from "../e2e/_server.ts";
import type { Ran } from "../_run.ts";

export { manifest };
export type { Ran };

/** Runs a program to its end, without input and, unless `env` names them, without our variables. */
export async function run(
  [program, ...args]: readonly [string, ...string[]],
  options: Deno.CommandOptions = {},
): Promise<Ran> {
  const { code, stdout, stderr } = await new Deno.Command(program, {
    ...options,
    args,
    stdin: "null",
    env: { NO_COLOR: "1", ...options.env },
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** The permissions that a task of deno.json gives to what it builds. */
export function permissionsOf(script: "portable" | "compile" | "npm"): string[] {
  const tasks: string[] = Object.values(manifest.tasks).map(({ command }) => command);
  const command = tasks.find((each) => each.includes(`build/${script}.ts`))!;
  return command.split(`build/${script}.ts `)[1]!.split(" ");
}

/** Runs a script of `build/` as its task does, with `options` before the permissions. */
export async function build(
  script: "portable" | "compile" | "npm",
  options: readonly string[],
  env: Record<string, string> = {},
): Promise<Ran> {
  const own = ["--allow-read", "--allow-write", "--allow-env", "--allow-run"];
  const path = join("build", `${script}.ts`);
  const args = ["run", ...own, path, ...options, ...permissionsOf(script)];
  return await run([Deno.execPath(), ...args], { cwd: root, env });
}

/** Puts the portable form into `directory`, built where none is given, and returns its path. */
export async function buildPortable(directory: string): Promise<string> {
  const output = join(directory, "climax.mjs");
  const given = givenBundle();
  if (given !== undefined) {
    await Deno.copyFile(given, output);
    return output;
  }
  const { code, stderr } = await build("portable", ["--output", output]);
  assert.equal(code, 0, stderr);
  return output;
}
