/** The command lines that start this program again. */

import { basename, dirname, join, sep } from "node:path";
import { io, optionalVariable, pathOfUrl } from "../io.ts";
import { buildForm } from "./build_info.ts";

/** The words in front of a command's name, as a person at this terminal can type them. */
export function ownCommand(): readonly string[] {
  if (buildForm() === "binary") return [Deno.execPath()];
  const main = pathOfUrl(io().mainModule);
  if (buildForm() === "portable") {
    if (isFleeting(main)) return ["npx", "-y", "climax-mcp"];
    return [/[\\/]node_modules[\\/]/.test(main) ? "climax" : main];
  }
  const launcher = launcherFile();
  const inFolder = `.${sep}${basename(launcher)}`;
  return [launcherOfProcess() ?? (io().cwd() === dirname(launcher) ? inFolder : launcher)];
}

/** The launcher of this clone as it was typed; `undefined` if something else started this program. */
export function launcherOfProcess(): string | undefined {
  return buildForm() === "source" && optionalVariable("CLIMAX_LAUNCHER") || undefined;
}

/** The absolute path of the launcher in this clone: it finds Deno, or lets npx download it. */
export function launcherFile(): string {
  const folder = dirname(pathOfUrl(io().mainModule));
  return join(folder, Deno.build.os === "windows" ? "climax.cmd" : "climax");
}

/** The words in front of a server's configs, from any folder and, if possible, with any PATH. */
export function servingCommand(): readonly [string, ...string[]] {
  const deno = Deno.execPath();
  if (buildForm() === "binary") return [deno];
  const main = pathOfUrl(io().mainModule);
  if (buildForm() === "portable") {
    if (isFleeting(main)) return npx("climax-mcp");
    const alone = ["--no-config", "--no-prompt", "--no-remote", "--no-npm"];
    return [deno, "run", ...alone, v8Flags, ...servingFlags, main];
  }
  const words = [...lazily, main];
  if (!isFleeting(deno)) return [deno, ...words];
  // Every npx in between takes time and memory, and keeps signals
  return Deno.build.os === "windows"
    ? [...npx(`deno@${Deno.version.deno}`), ...words]
    : [launcherFile()];
}

/**
 * V8's room for new objects, which takes a tenth of a start to grow by copies, and the calls after which it compiles a
 * function: by default hundreds, which most servers never have. bench/README.md has what that saves.
 */
export const v8Flags = "--v8-flags=--min-semi-space-size=16," +
  "--invocation-count-for-maglev=200,--minimum-invocations-after-ic-update=200";

/** Downloads only packages in use. Not in deno.json: late imports need permissions. */
export const lazyImports = "--unstable-lazy-dynamic-imports";
const lazily = ["run", "-qP", lazyImports, v8Flags];

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
