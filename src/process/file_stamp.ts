/** Says whether a file has changed. */

/** Another text whenever the file is another one, or its content or mode is. */
export function fileStamp({ dev, ino, size, mode, mtime, ctime }: Deno.FileInfo): string {
  return [dev, ino, size, mode, mtime?.getTime(), ctime?.getTime()].join();
}
