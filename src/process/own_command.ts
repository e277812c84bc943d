/** Builds the command lines that start climax again, and recognizes those that do. */

import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { io, optionalVariable } from "../io.ts";
import { ClimaxError, ExitCode } from "../errors.ts";
import { isThere } from "./protected_paths.ts";
import { buildForm } from "./build_info.ts";
import { realPathOf } from "./folders.ts";
import { shellWord } from "../text/shell_word.ts";

let isReadElsewhere = false;

export function setReadElsewhere(to: boolean): void {
  isReadElsewhere = to;
}

/** Returns the command by which a person starts this program, quoted for a shell. */
export function climax(inAnyFolder = isReadElsewhere): string {
  return ownWords(inAnyFolder).map((word) => shellWord(word)).join(" ");
}

function ownWords(inAnyFolder: boolean): readonly string[] {
  // `CLIMAX_LAUNCHER` has the name of a clone's launcher as the person typed it
  const typed = optionalVariable("CLIMAX_LAUNCHER") || undefined;
  // On Windows, `climax` may mean a launcher in the current folder, and would then not work in other folders
  const isOfPath = typed === "climax" && Deno.build.os !== "windows";
  if (typed !== undefined && (isOfPath || !inAnyFolder)) return [typed];
  const form = buildForm();
  const main = form === "binary" ? Deno.execPath() : fileURLToPath(io().mainModule);
  if (!isFleeting(main) && isOnPath(main)) return ["climax"];
  if (form === "source") {
    const launcher = launcherFile();
    return [realPathOf(launcher) === undefined ? "climax" : launcher];
  }
  const isPackage = form === "portable" && /[\\/]node_modules[\\/]/.test(main);
  return isPackage ? ["npx", "-y", "climax-mcp"] : [main];
}

function isOnPath(main: string): boolean {
  const names = Deno.build.os === "windows" ? ["climax.exe", "climax.cmd"] : ["climax"];
  const files = (optionalVariable("PATH") ?? "").split(delimiter).filter(isAbsolute)
    .flatMap((folder) => names.map((name) => join(folder, name)));
  const found = files.values().map((file) => realPathOf(file)).find((file) => file !== undefined);
  return found !== undefined && dirname(found) === dirname(realPathOf(main) ?? main);
}

/** Returns the absolute path of the launcher in this clone, which finds Deno or lets npx download it. */
function launcherFile(): string {
  const folder = dirname(fileURLToPath(io().mainModule));
  return join(folder, Deno.build.os === "windows" ? "climax.cmd" : "climax");
}

export function servingCommand(): readonly [string, ...string[]] {
  const deno = Deno.execPath();
  if (buildForm() === "binary") return [deno];
  const main = fileURLToPath(io().mainModule);
  if (buildForm() === "portable") {
    if (isFleeting(main)) return npx("climax-mcp");
    const alone = ["--no-config", "--no-prompt", "--no-remote", "--no-npm"];
    return [deno, "run", ...alone, v8Flags, ...servingFlags, main];
  }
  const words = [...lazily, main];
  if (!isFleeting(deno)) return [deno, ...words];
  return Deno.build.os === "windows"
    ? [...npx(`deno@${Deno.version.deno}`), ...words]
    : [launcherFile()];
}

/** V8 gets 16 MiB for new objects, and compiles a function after 200 calls; bench/README.md says why. */
export const v8Flags = "--v8-flags=--min-semi-space-size=16," +
  "--invocation-count-for-maglev=200,--minimum-invocations-after-ic-update=200";

export const lazyImports = "--unstable-lazy-dynamic-imports";
const lazily = ["run", "-qP", lazyImports, v8Flags];

const servingFlags = ["read", "write", "env", "run", "net"].map((kind) => `--allow-${kind}`);

export const ownName =
  /^(?:.*[/\\]|npm:)?(?:main\.ts|climax(?:-mcp|-\d[\w.+-]*)?(?:\.exe|\.cmd|\.mjs|@[\w.-]+)?)$/;

const image = /^(?:[\w.-]+(?::\d+)?\/)*climax(?:-mcp)?(?::[\w.-]+)?(?:@sha256:\w+)?$/;

const containers = /^(?:docker|podman|nerdctl)$/;

/** Programs such as `sudo` and `npx`, which start the program that their arguments name. */
const starters =
  /^(?:env|nice|nohup|setsid|stdbuf|sudo|time|timeout|exec|(?:ba|da|z|k)?sh|cmd|pwsh|powershell|wsl|np[mx]|pnp[mx]|yarn|bunx?|node|deno)$/;

const between = /^(?:run|exec|x|dlx|eval|-.*|\/[a-z]|[A-Za-z_]\w*=.*|\d+[smhd]?)$/i;

/** Returns whether a command line starts climax. If its words hide that, `CLIMAX_DEPTH` stops the inner climax. */
export function isClimax(words: readonly string[]): boolean {
  const own = [servingCommand().at(-1)!, launcherFile(), fileURLToPath(io().mainModule)];
  // `climax connect` in another clone writes command lines with this flag and a `main.ts`
  if (words.includes(lazyImports) && words.some((word) => /[/\\]main\.ts$/.test(word))) return true;
  if (words.some((word) => own.includes(word))) return true;
  const [first = "", ...rest] = words;
  const name = basename(first.replaceAll("\\", "/")).replace(/\.(?:exe|cmd|bat)$/i, "")
    .toLowerCase();
  if (containers.test(name)) return rest.some((word) => image.test(word));
  if (starters.test(name)) {
    const at = rest.findIndex((word) => !between.test(word));
    return isClimax(at === -1 ? [] : rest.slice(at));
  }
  // Other programs have a `main.ts` too; the one of climax has a launcher beside it
  return name === "main.ts" ? isThere(join(dirname(first), "climax.cmd")) : ownName.test(first);
}

/** Tells a climax that is started as an MCP server how many climax processes above it have started one another. */
const depthVariable = "CLIMAX_DEPTH";

function depth(): number {
  return Number(optionalVariable(depthVariable)?.match(/^\d{1,3}$/)?.[0] ?? 0);
}

export function deeper(): Readonly<Record<string, string>> {
  return { [depthVariable]: `${depth() + 1}` };
}

/** A header of requests to MCP servers, by which a process recognizes its own requests. */
export const instanceHeader = "climax-instance";

export const instance: string = crypto.randomUUID();

/** @throws {ClimaxError} if this process is a server of a climax that is a server of another climax */
export function refuseDepth(): void {
  if (depth() <= 1) return;
  const message = "climax starts itself: it is a server of climax, which is a server of climax";
  const hint = "Remove the server that starts climax from the files that --mcp names; " +
    `where that is meant, start it with ${depthVariable}=0`;
  throw new ClimaxError(message, ExitCode.startsItself, [{ message, hint }]);
}

/** Returns whether a file is in a cache of npx, from which npx may delete the file. */
export function isFleeting(path: string): boolean {
  return /[\\/]_npx[\\/]/.test(path);
}

function npx(name: string): [string, ...string[]] {
  const words: [string, ...string[]] = ["npx", "-y", name];
  // On Windows, npx is a script, which only a shell can start
  return Deno.build.os === "windows" ? ["cmd", "/c", ...words] : words;
}
