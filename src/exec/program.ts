/**
 * Which file an invocation starts: looked up once, and looked at, so that neither PATH nor a shell
 * has a say in it later.
 */

import { isAbsolute, resolve } from "node:path";
import { ownFolder } from "../process/folders.ts";
import { findProgram } from "./find_program.ts";
import type { Invocation } from "./invocation.ts";

/** Bytes of a file that Linux looks at (`BINPRM_BUF_SIZE`). */
const headBytes = 256;

/** The first byte of a script. */
const hash = "#".charCodeAt(0);

/** A first line that names an interpreter, with what must follow its name. */
const firstLine = /^#![ \t]*([^ \t\n\0]+)[ \t\n\0]/;

/** Interpreters of interpreters that are looked at; Linux gives up at as many. */
const maxInterpreters = 5;

/** Numbers of the machines in an ELF header whose programs run on this one (`e_machine`). */
const machines: Readonly<Record<string, readonly number[]>> = {
  x86_64: [62, 3],
  aarch64: [183, 40],
};

/** First bytes of macOS's formats, thin and universal, in both orders. */
const machO = [0xfeedface, 0xfeedfacf, 0xcefaedfe, 0xcffaedfe, 0xcafebabe, 0xcafebabf];

/** Paths by PATH and name. Both come from configs, so there are as many as there are programs. */
const found = new Map<string, Promise<string | undefined>>();

/** What decides which program is started. */
export type ProgramChoice = Pick<Invocation, "argv" | "cwd" | "env">;

/**
 * The path of the program that `argv` names. A name is looked up on PATH once, in folders as they
 * are seen from the server's directory; a path is seen from the directory of the call. What cannot
 * be found, or may not be looked for, is left as it is.
 */
export async function programOf({ argv: [name], cwd, env }: ProgramChoice): Promise<string> {
  if (/[/\\]/.test(name)) return isAbsolute(name) ? name : resolve(cwd ?? ownFolder(), name);
  const key = `${env["PATH"] ?? ""}\0${name}`;
  const lookup = found.get(key) ?? findProgram(name, { env });
  found.set(key, lookup);
  const path = await lookup;
  // It may be installed later
  if (path === undefined) found.delete(key);
  return path ?? name;
}

/**
 * Whether the file at `path` is one that the system itself can start. Deno gives any other to `sh`,
 * as shells do, and its lines would be run. True where it may not be read.
 */
export function isStartable(path: string, depth = 0): boolean {
  if (Deno.build.os === "windows" || depth === maxInterpreters) return true;
  const head = new Uint8Array(headBytes);
  try {
    const { isFile, mode } = Deno.statSync(path);
    // The system says by itself what these are; to open a pipe would be to wait for a writer
    if (!isFile || mode === null || (mode & 0o111) === 0) return true;
    const file = Deno.openSync(path);
    try {
      file.readSync(head);
    } finally {
      file.close();
    }
  } catch {
    return true;
  }
  if (head[0] !== hash) return isBinary(head);
  const interpreter = firstLine.exec(String.fromCharCode(...head))?.[1];
  return interpreter !== undefined && isStartable(interpreter, depth + 1);
}

function isBinary(head: Uint8Array<ArrayBuffer>): boolean {
  const view = new DataView(head.buffer);
  const magic = view.getUint32(0);
  if (Deno.build.os === "darwin") return machO.includes(magic);
  const known = machines[Deno.build.arch];
  const machine = view.getUint16(18, head[5] === 1);
  return magic === 0x7f454c46 && (known === undefined || known.includes(machine));
}
