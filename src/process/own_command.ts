/** The command lines that start this program again. */

import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { io } from "../io.ts";
import { buildForm } from "./build_info.ts";

/** The words in front of a command's name. */
export function ownCommand(): readonly string[] {
  if (buildForm() === "binary") return [Deno.execPath()];
  const main = fileURLToPath(io().mainModule);
  if (buildForm() === "portable") {
    return /[\\/]node_modules[\\/]/.test(main) ? ["npx", "-y", "climax-mcp"] : [main];
  }
  // A Deno task would first download every package of the project
  const deno = Deno.execPath();
  const program = isFleeting(deno) ? npx(`deno@${Deno.version.deno}`) : ["deno"];
  return [...program, ...lazily, io().cwd() === dirname(main) ? basename(main) : main];
}

/**
 * The words in front of a server's configs when another program starts it, from any folder and, if
 * possible, with any PATH: this program is named by its path.
 */
export function servingCommand(): readonly [string, ...string[]] {
  const deno = Deno.execPath();
  if (buildForm() === "binary") return [deno];
  const main = fileURLToPath(io().mainModule);
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
 * With this flag Deno downloads only the packages that a command uses. It cannot be in deno.json: a package
 * imported that late is read under the program's permissions, which may be narrow.
 */
export const lazyImports = "--unstable-lazy-dynamic-imports";
const lazily = ["run", "-qP", lazyImports];

/** Permissions of the task that serves. */
const servingFlags = ["read", "write", "env", "run", "net"].map((kind) => `--allow-${kind}`);

/** True when a file is in a cache of npx, which npx may delete. */
export function isFleeting(path: string): boolean {
  return /[\\/]_npx[\\/]/.test(path);
}

function npx(name: string): [string, ...string[]] {
  const words: [string, ...string[]] = ["npx", "-y", name];
  // On Windows npx is a script, which only a shell starts
  return Deno.build.os === "windows" ? ["cmd", "/c", ...words] : words;
}
