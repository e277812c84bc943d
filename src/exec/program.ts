/** Finds the file that an invocation starts, and checks that the system can start it without a shell. */

import { optionalVariable, systemPath } from "../io.ts";
import { isAbsolute, resolve } from "node:path";
import { ownFolder, statOf } from "../process/folders.ts";
import { findProgram } from "./find_program.ts";
import type { Invocation } from "./invocation.ts";

/** Linux reads this many bytes of a file to find its format (`BINPRM_BUF_SIZE`). */
const headBytes = 256;

const hash = "#".charCodeAt(0);

const firstLine = /^#![ \t]*([^ \t\n\0]+)[ \t\n\0]/;

/** An interpreter may be a script with an interpreter, up to this depth, as in Linux. */
const maxInterpreters = 5;

/** The numbers of each processor in ELF headers (`e_machine`), for 64 and 32 bits. */
const machines: Readonly<Record<string, readonly number[]>> = {
  x86_64: [62, 3],
  aarch64: [183, 40],
};

const machO = [0xfeedface, 0xfeedfacf, 0xcefaedfe, 0xcffaedfe, 0xcafebabe, 0xcafebabf];

/** Paths of programs by directory, PATH and name. Names come from configs and profiles, so the map stays small. */
const found = new Map<string, string>();

export type ProgramChoice = Pick<Invocation, "argv" | "cwd" | "env">;

/** Returns the path of the program of `argv`, and searches PATH for a name once; the name itself if it is not found. */
export function programOf({ argv: [name], cwd, env }: ProgramChoice): string {
  if (/[/\\]/.test(name)) {
    const path = isAbsolute(name) ? name : resolve(cwd ?? ownFolder(), name);
    // On Windows, `tool` may be `tool.cmd`
    return Deno.build.os === "windows" ? findProgram(path, { env }) ?? path : path;
  }
  const key = [ownFolder(), env["PATH"] ?? optionalVariable("PATH"), name].join("\0");
  const path = found.get(key) ?? findProgram(name, { env });
  // The map has no missing programs, because a program may be installed later
  if (path !== undefined) found.set(key, path);
  return path ?? name;
}

/** Returns whether the system itself can start `path`: Deno would pass a file without a format to `sh`. */
export function isStartable(path: string, depth = 0): boolean {
  if (Deno.build.os === "windows" || depth === maxInterpreters) return true;
  let format: Format;
  try {
    const info = Deno.statSync(systemPath(path));
    if (!info.isFile || info.mode === null || (info.mode & 0o111) === 0) return true;
    format = readFormat(path);
  } catch {
    return true;
  }
  return typeof format === "boolean" ? format : isStartable(format.interpreter, depth + 1);
}

export function missingInterpreter(path: string): string | undefined {
  try {
    const format = readFormat(path);
    const name = typeof format === "boolean" ? undefined : format.interpreter;
    return name === undefined || statOf(name) !== undefined ? undefined : name;
  } catch {
    return undefined;
  }
}

type Format = boolean | { readonly interpreter: string };

function readFormat(path: string): Format {
  const head = new Uint8Array(headBytes);
  using file = Deno.openSync(systemPath(path));
  file.readSync(head);
  if (head[0] !== hash) return isBinary(head);
  const interpreter = firstLine.exec(String.fromCharCode(...head))?.[1];
  return interpreter === undefined ? false : { interpreter };
}

function isBinary(head: Uint8Array<ArrayBuffer>): boolean {
  const view = new DataView(head.buffer);
  const magic = view.getUint32(0);
  if (Deno.build.os === "darwin") return machO.includes(magic);
  const known = machines[Deno.build.arch];
  const machine = view.getUint16(18, head[5] === 1);
  return magic === 0x7f454c46 && (known === undefined || known.includes(machine));
}
