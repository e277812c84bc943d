/** Writes archives whose bytes depend on nothing but the names and contents of their files. */

import { dirname, join, resolve } from "node:path";

/** Files by their paths in the archive: a text, or a file to copy, which may be executable. */
export type ArchiveFiles = Readonly<
  Record<string, string | { readonly from: string; readonly mode?: number }>
>;

/** The oldest time that a ZIP file has room for. */
const oldest = new Date("1980-01-02T00:00:00Z");

/** Writes `files` to the archive at `path`: ZIP, or a compressed tar if it ends in `.tar.gz`. */
export async function writeArchive(path: string, files: ArchiveFiles): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "climax-release-" });
  try {
    const names = Object.keys(files).toSorted();
    for (const name of names) {
      const file = join(folder, name);
      const content = files[name]!;
      await Deno.mkdir(dirname(file), { recursive: true });
      if (typeof content === "string") await Deno.writeTextFile(file, content);
      else await Deno.copyFile(content.from, file);
      const mode = typeof content === "string" ? undefined : content.mode;
      if (Deno.build.os !== "windows") await Deno.chmod(file, mode ?? 0o644);
      await Deno.utime(file, oldest, oldest);
    }
    // An archive that exists would keep what is no longer in it
    await Deno.remove(path).catch(() => {});
    const absolute = resolve(path);
    await (path.endsWith(".tar.gz") ? tar(absolute, folder, names) : zip(absolute, folder, names));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function zip(path: string, folder: string, names: readonly string[]): Promise<void> {
  // Times in a ZIP file are local; `-X` leaves out users and other times
  const env = { TZ: "UTC" };
  await runTool(["zip", "-X", "-q", path, ...names], { cwd: folder, env });
}

async function tar(path: string, folder: string, names: readonly string[]): Promise<void> {
  const owner = ["--owner=0", "--group=0", "--numeric-owner", "--format=ustar"];
  const plain = path.replace(/\.gz$/, "");
  await runTool(["tar", ...owner, "-cf", plain, "-C", folder, ...names]);
  // `-n` leaves the name and the time of the tar file out
  await runTool(["gzip", "-nf", plain]);
}

/** Runs a program, whose stderr is inherited. @returns its stdout @throws when it fails */
export async function runTool(
  [program, ...args]: readonly [string, ...string[]],
  options: Deno.CommandOptions = {},
): Promise<string> {
  const { success, stdout } = await outputOf(program, { ...options, args });
  if (!success) throw new Error(`${program} ${args[0]} failed`);
  return new TextDecoder().decode(stdout);
}

async function outputOf(
  program: string,
  options: Deno.CommandOptions,
): Promise<Deno.CommandOutput> {
  try {
    const command = new Deno.Command(program, { ...options, stdin: "null", stderr: "inherit" });
    return await command.output();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new Error(
      `'${program}' is not on PATH: install it, the files of a release are made by it`,
    );
  }
}
