/** Detects that a file has changed. */

/** A text that is another one when the file, its content or its mode is. */
export function fileStamp({ dev, ino, size, mode, mtime, ctime }: Deno.FileInfo): string {
  return [dev, ino, size, mode, mtime?.getTime(), ctime?.getTime()].join();
}
