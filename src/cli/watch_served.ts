/** A file that says what is served to whom over HTTP, read again when it changes. */

import { ClimaxError } from "../errors.ts";
import { watchFiles } from "../session/watch_files.ts";

/**
 * Calls `apply` with what `read` has from the file at `path`, whenever that changes; an error of either leaves everything
 * as it is. Returns a function that ends this.
 */
export async function watchServed<T>(
  path: string | undefined,
  read: (path: string) => Promise<T>,
  apply: (value: T) => Promise<void>,
): Promise<() => void> {
  if (path === undefined) return () => {};
  return await watchFiles({ configs: () => [path] }, {}, async () => {
    try {
      await apply(await read(path));
      return { problems: [], warnings: [] };
    } catch (error) {
      if (!(error instanceof ClimaxError)) throw error;
      const { message, problems } = error;
      return { problems: problems.length > 0 ? problems : [{ file: path, message }], warnings: [] };
    }
  });
}
