/**
 * Which file an invocation starts: looked up once, and looked at, so that neither PATH nor a shell
 * has a say in it later.
 */

import { fileStamp } from "../process/file_stamp.ts";
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

/** The input that decides which program is started. */
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
  let format: Format;
  try {
    const info = Deno.statSync(path);
    // The system says by itself what these are; to open a pipe would be to wait for a writer
    if (!info.isFile || info.mode === null || (info.mode & 0o111) === 0) return true;
    format = formatOf(path, info);
  } catch {
    return true;
  }
  return typeof format === "boolean" ? format : isStartable(format.interpreter, depth + 1);
}

/** True when the system starts a file by itself; otherwise the program that it starts instead. */
type Format = boolean | { readonly interpreter: string };

/** What a file was when it was read, with what is another whenever the file is. */
interface Known {
  readonly stamp: string;
  readonly format: Format;
}

/** Files that are not read again while they are the same, by path. */
const known = new Map<string, Known>();

/** Most of them: configs name as many programs as they like. */
const maxKnown = 256;

/** Milliseconds within which a file can change twice at one time: Deno has that of a change in seconds. */
const sameTimeMs = 2_000;

/** @throws what `Deno.openSync` throws */
function formatOf(path: string, info: Deno.FileInfo): Format {
  const stamp = fileStamp(info);
  const { ctime } = info;
  const before = known.get(path);
  if (before?.stamp === stamp) return before.format;
  known.delete(path);
  const format = readFormat(path);
  // The time of its last change is the system's word, which whoever writes a file cannot set
  const isSettled = ctime !== null && Date.now() - ctime.getTime() > sameTimeMs;
  if (isSettled && known.size < maxKnown) known.set(path, { stamp, format });
  return format;
}

function readFormat(path: string): Format {
  const head = new Uint8Array(headBytes);
  const file = Deno.openSync(path);
  try {
    file.readSync(head);
  } finally {
    file.close();
  }
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
