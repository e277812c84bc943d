/** Reads the end of an audit log on each request, never the whole file. */

import { systemPath } from "../io.ts";
import { believe } from "../process/believed_paths.ts";
import { messageOf } from "../errors.ts";

/** Bytes of the log's end that are read: 2 MiB. */
export const auditTailBytes = 2 * 1024 * 1024;

/** Lines of it that are shown. */
export const auditTailLines = 1000;

export interface AuditTail {
  readonly file: string;
  /** Entries of the file, the last one first. */
  readonly entries: readonly unknown[];
  /** True when older entries exist. */
  readonly isCut: boolean;
  /** Lines that are not JSON. */
  readonly broken: number;
  /** The version of the file that was read; absent if nothing could be read. */
  readonly etag?: string;
  /** The reason why nothing could be read. */
  readonly problem?: string;
}

/** Reads the end of the log at `file`; `undefined` if its version is `known`. */
export async function auditTail(file: string, known?: string): Promise<AuditTail | undefined> {
  try {
    const end = await lastBytes(file, known);
    return end && tailOf(file, end);
  } catch (error) {
    return { file, entries: [], isCut: false, broken: 0, problem: messageOf(error) };
  }
}

interface End {
  readonly text: string;
  readonly isCut: boolean;
  readonly etag: string;
}

async function lastBytes(file: string, known: string | undefined): Promise<End | undefined> {
  using reader = await Deno.open(systemPath(believe(file, "hidden")), { read: true });
  const info = await reader.stat();
  // Only a regular file can be read back: a pipe to a log collector cannot
  if (!info.isFile) throw new Error("It is not a file that can be read back");
  const etag = etagOf(info);
  if (etag === known) return undefined;
  const { size } = info;
  const from = Math.max(0, size - auditTailBytes);
  await reader.seek(from, Deno.SeekMode.Start);
  const bytes = new Uint8Array(size - from);
  let length = 0;
  while (length < bytes.length) {
    const read = await reader.read(bytes.subarray(length));
    if (read === null) break;
    length += read;
  }
  const text = new TextDecoder().decode(bytes.subarray(0, length));
  // The first line is whole only at the start of the file
  return from === 0
    ? { text, isCut: false, etag }
    : { text: text.slice(text.indexOf("\n") + 1), isCut: true, etag };
}

/** A log that is rotated or grows has another one. */
function etagOf({ dev, ino, size, mtime }: Deno.FileInfo): string {
  return [dev, ino, size, mtime?.getTime()].join("-");
}

function tailOf(file: string, { text, isCut, etag }: End): AuditTail {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const shown = lines.slice(-auditTailLines).reverse();
  const parsed = shown.map(parse);
  const entries = parsed.filter((entry) => entry !== undefined);
  return {
    file,
    etag,
    entries,
    isCut: isCut || lines.length > shown.length,
    broken: parsed.length - entries.length,
  };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
