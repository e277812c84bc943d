/** How somebody at a terminal starts this program once more. */

import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { buildForm } from "./build_info.ts";

/** The words before a command's name. */
export function ownCommand(): readonly string[] {
  if (buildForm() === "binary") return [Deno.execPath()];
  const main = fileURLToPath(Deno.mainModule);
  if (buildForm() === "portable") {
    return /[\\/]node_modules[\\/]/.test(main) ? ["npx", "-y", "climax-mcp"] : [main];
  }
  // A task of Deno would fetch every package of the project first
  const deno = Deno.execPath();
  const program = isFleeting(deno) ? npx(`deno@${Deno.version.deno}`) : ["deno"];
  return [...program, ...lazily, Deno.cwd() === dirname(main) ? basename(main) : main];
}

/**
 * The words before the configs of a server that another program starts, from any folder and without
 * anybody's PATH, as far as that can be: what runs now is named by its path.
 */
export function servingCommand(): readonly [string, ...string[]] {
  const deno = Deno.execPath();
  if (buildForm() === "binary") return [deno];
  const main = fileURLToPath(Deno.mainModule);
  if (buildForm() === "portable") {
    if (/[\\/]node_modules[\\/]/.test(main)) return npx("climax-mcp");
    return [
      deno,
      "run",
      "--no-config",
      "--no-prompt",
      "--no-remote",
      "--no-npm",
      ...servingFlags,
      main,
    ];
  }
  const words = [...lazily, main];
  return isFleeting(deno) ? [...npx(`deno@${Deno.version.deno}`), ...words] : [deno, ...words];
}

/**
 * With the flag Deno fetches what a command takes and no more. It cannot stand in deno.json: what is
 * imported so late is read under the permissions of the program, which may be narrow.
 */
export const lazyImports = "--unstable-lazy-dynamic-imports";
const lazily = ["run", "-qP", lazyImports];

/** Permissions of the task that serves. */
const servingFlags = ["read", "write", "env", "run", "net"].map((kind) => `--allow-${kind}`);

/** Returns whether a file is in a cache of npx, which may delete it. */
export function isFleeting(path: string): boolean {
  return /[\\/]_npx[\\/]/.test(path);
}

function npx(name: string): [string, ...string[]] {
  const words: [string, ...string[]] = ["npx", "-y", name];
  // There it is a script, which only a shell starts
  return Deno.build.os === "windows" ? ["cmd", "/c", ...words] : words;
}
