/** Directories that tests may write to. */

/** A directory of its own, gone when the test is over. */
export interface Scratch extends AsyncDisposable {
  readonly path: string;
}

/** Makes a {@linkcode Scratch}. Its path has no symbolic link in it. */
export async function scratch(): Promise<Scratch> {
  const path = await Deno.realPath(await Deno.makeTempDir({ prefix: "climax-test-" }));
  return {
    path,
    async [Symbol.asyncDispose]() {
      await Deno.remove(path, { recursive: true }).catch(() => {});
    },
  };
}
