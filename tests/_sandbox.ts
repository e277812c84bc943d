/** Sandboxes: what their tests take, and a place for them. */

import { programs } from "./_requirements.ts";

/** Bubblewrap, and a machine that lets it make every namespace. */
export const sandboxed = await programs({
  bwrap: [
    ...["--unshare-all", "--unshare-user", "--disable-userns", "--ro-bind", "/", "/", "--proc"],
    ...["/proc", "true"],
  ],
});

/** A folder outside of `/tmp`, which a sandbox replaces; gone when the test is over. */
export async function place(): Promise<AsyncDisposable & { readonly path: string }> {
  const dir = await Deno.realPath("/var/tmp");
  const path = await Deno.makeTempDir({ dir, prefix: "climax-test-" });
  return {
    path,
    async [Symbol.asyncDispose]() {
      await Deno.remove(path, { recursive: true }).catch(() => {});
    },
  };
}
