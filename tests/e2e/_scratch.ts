/** Directories that tests may write to. */

import { dirname, join } from "node:path";

/** A directory of its own, gone when the test is over. */
export interface Scratch extends AsyncDisposable {
  readonly path: string;
}

/** Files by their paths below a folder: a text, or a value that is written as JSON. */
export type Files = Readonly<Record<string, string | object>>;

/** Makes a {@linkcode Scratch} with `files` in it. Its path has no symbolic link in it. */
export async function scratch(files: Files = {}): Promise<Scratch> {
  const path = await Deno.realPath(await Deno.makeTempDir({ prefix: "climax-test-" }));
  await writeFiles(path, files);
  return {
    path,
    async [Symbol.asyncDispose]() {
      await Deno.remove(path, { recursive: true }).catch(() => {});
    },
  };
}

/** Writes `files` below `folder`, with the folders that they need. */
export async function writeFiles(folder: string, files: Files): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name);
    await Deno.mkdir(dirname(file), { recursive: true });
    await Deno.writeTextFile(file, typeof content === "string" ? content : JSON.stringify(content));
  }
}

/** Writes a program: a child that another test forks would hold the file open that this process writes (ETXTBSY). */
export function writeProgram(path: string, text: string): void {
  const args = ["-c", 'printf %s "$1" >"$0"; chmod 755 "$0"', path, text];
  new Deno.Command("sh", { args, stdin: "null" }).outputSync();
}

/** Returns true if a file or folder is at `path`. */
export async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}
