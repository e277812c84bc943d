/** Reads kept scripts, files `NAME.js`, from a folder that may be a stranger's: up to bounds, and through no link. */

import { Buffer } from "node:buffer";
import { dirname, join, resolve } from "node:path";
import { io, systemPath } from "../../io.ts";
import type { Problem } from "../../errors.ts";
import { readUpTo } from "../../files/text_file.ts";
import { maxKept, scriptLimits } from "./limits.ts";
import { homeFolders, statOf } from "../../process/folders.ts";
import { mayRead } from "../../process/permissions.ts";
import { protect } from "../../process/protected_paths.ts";

export const projectScripts = join(".climax", "scripts");

/** Returns the existing folders of scripts: `scripts` beside each config in `files`, and the folder of the project. */
export function findKeptFolders(files: readonly string[]): string[] {
  const beside = files.map((file) => join(dirname(file), "scripts"));
  const all = [...beside, projectScripts].map((folder) => resolve(io().cwd(), systemPath(folder)));
  return [...new Set(all)].filter((path) => mayRead(path) && statOf(path)?.isDirectory);
}

/** Returns the folder of personal scripts, which need no acceptance; nothing if the home folder is unknown. */
export function personalScripts(): string | undefined {
  const folders = homeFolders();
  return folders && join(folders.settings, "climax", "configs", "scripts");
}

/** The mark of a header must stand within this many characters from the start of a file. */
const markLength = 64;

/** Returns whether `text`, a file or its beginning, has the mark of a header: `/* climax script`. */
export function hasMark(text: string): boolean {
  return /^\ufeff?\s*\/\*\s*climax script\s/.test(text.slice(0, markLength));
}

export interface KeptFile {
  /** The name of the tool, which is that of the file without `.js`. */
  readonly name: string;
  readonly file: string;
  readonly text: string;
  readonly sha256: string;
}

export const nameRule = "a letter, then letters, digits and _, 64 at most";

/** Returns whether a kept script, and so its file and its tool, can have this name. */
export function isScriptName(name: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name);
}

/** Finds the scripts in `folder`, in the order of their names, and warns of those that cannot be used. */
export async function findKeptFiles(folder: string) {
  const files: KeptFile[] = [];
  const warnings: Problem[] = [];
  const names = (await listScripts(folder)).toSorted();
  for (const name of names) {
    if (files.length === maxKept) {
      const message = `The folder has more than ${maxKept} scripts: the others are not used`;
      return { files, warnings: [...warnings, { file: folder, message }] };
    }
    const read = await readScript(join(folder, name));
    if (read === undefined) continue;
    if ("message" in read) warnings.push(read);
    else files.push(read);
  }
  return { files, warnings };
}

/** At most this many files of a folder are examined, since the folder of a stranger may have millions. */
const maxLookedAt = 1000;

async function listScripts(folder: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const { name } of Deno.readDir(systemPath(folder))) {
      if (name.endsWith(".js")) names.push(name);
      if (names.length >= maxLookedAt) break;
    }
  } catch {
    return names;
  }
  return names;
}

/** Reads the script at `path`. Returns a problem if it cannot be used, and nothing for a file without a header. */
export async function readScript(path: string): Promise<KeptFile | Problem | undefined> {
  const { sourceLength } = scriptLimits;
  const problem = (message: string, hint?: string): Problem => {
    return { file: path, message, ...(hint === undefined ? {} : { hint }) };
  };
  try {
    const { isSymlink, isFile } = await Deno.lstat(systemPath(path));
    if (isSymlink) return problem("A script that is a link is not followed", "Copy the file");
    if (!isFile) return undefined;
    // A UTF-16 code unit has at most three bytes in UTF-8; one byte more shows that the file is too long
    const maxBytes = 3 * sourceLength;
    const bytes = await readMarked(path, maxBytes + 1);
    if (bytes === undefined) return undefined;
    const text = new TextDecoder("utf-8", { fatal: bytes.length <= maxBytes }).decode(bytes);
    if (text.length > sourceLength) {
      return problem(`The script has more than ${sourceLength.toLocaleString("en")} characters`);
    }
    const name = nameOf(path);
    if (!isScriptName(name)) {
      return problem("The name of the file cannot be that of a tool", `It is ${nameRule}`);
    }
    // Imported here, so that a start without kept scripts does not load node:crypto
    const { sha256 } = await import("../../text/hash.ts");
    return { name, file: path, text, sha256: sha256(text) };
  } catch (error) {
    if (error instanceof TypeError) return problem("The script is not UTF-8 text");
    // Another process may have removed the file, or it may be unreadable
    return undefined;
  }
}

export function nameOf(path: string): string {
  return path.replace(/^.*[\\/]/, "").replace(/\.js$/, "");
}

/** Reads up to `most` bytes of the file; nothing if it has no header. */
async function readMarked(path: string, most: number): Promise<Uint8Array | undefined> {
  using file = await Deno.open(systemPath(protect(path)));
  const start = await readUpTo(file, markLength);
  if (!hasMark(new TextDecoder().decode(start))) return undefined;
  return Buffer.concat([start, await readUpTo(file, most - start.length)]);
}

/** Matches words by which code reaches `call` without its name, and escapes that spell the name in another way. */
const indirect = /\b(?:globalThis|this|eval|Function|constructor|Reflect)\b|\\(?:u|x)/;

/**
 * Finds the tools that `code` calls as `call("NAME"…)`, and whether it has other ways to call. This only helps a
 * reader and proves nothing, since names can be computed. When the script runs, the effect of each call is checked.
 */
export function findCalls(code: string) {
  const [header = ""] = /^\ufeff?\s*\/\*[^]*?\*\//.exec(code) ?? [];
  const body = code.slice(header.length);
  const names = new Set<string>();
  const rest = body.replace(
    /(?<![\w$.])call\s*\(\s*(["'`])([\w./:-]+)\1(?=\s*[,)])/g,
    (_, _quote, name: string) => {
      names.add(name);
      return "";
    },
  );
  return {
    names: [...names],
    hasOthers: /(?<![\w$])call(?![\w$])/.test(rest) || indirect.test(rest),
  };
}
