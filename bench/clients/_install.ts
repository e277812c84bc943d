/**
 * Clients that others wrote, installed outside of the project: what they need is nothing that
 * climax needs. A folder is used again as long as the packages wanted are the same.
 */

import { join } from "node:path";

/** A folder of packages, by what puts them there. */
export interface Packages {
  readonly from: "npm" | "pip";
  readonly wanted: readonly string[];
}

/**
 * Installs `packages` into the folder `name` below `home`, unless they are there; its path. `env` is for
 * what installs them.
 */
export async function install(
  home: string,
  name: string,
  packages: Packages,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const folder = join(home, name);
  const stamp = join(folder, "wanted.json");
  const wanted = JSON.stringify(packages);
  if (await Deno.readTextFile(stamp).catch(() => "") === wanted) return folder;
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  await Deno.mkdir(folder, { recursive: true });
  if (packages.from === "npm") {
    await Deno.writeTextFile(join(folder, "package.json"), `{"private":true,"type":"module"}`);
    await run(["npm", "install", "--no-audit", "--no-fund", ...packages.wanted], folder, env);
  } else {
    await run(["python3", "-m", "venv", "."], folder);
    await run([join(folder, "bin", "pip"), "install", "--quiet", ...packages.wanted], folder);
  }
  await Deno.writeTextFile(stamp, wanted);
  return folder;
}

async function run(
  [program, ...args]: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const command = new Deno.Command(program!, { args, cwd, env: { ...env }, stdin: "null" });
  const { success, stdout, stderr } = await command.output();
  if (success) return;
  const decoder = new TextDecoder();
  throw new Error(`${program} failed:\n${decoder.decode(stdout)}${decoder.decode(stderr)}`);
}
