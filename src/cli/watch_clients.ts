/** The file of clients over HTTP, read again when it changes. */

import { ClimaxError } from "../errors.ts";
import { type Clients, readClients } from "../server/http/clients_file.ts";
import { watchFiles } from "../session/watch_files.ts";

/**
 * Calls `apply` with what the file at `path` says, whenever that changes; an error of `apply` leaves everything as it
 * is. Returns a function that ends this.
 */
export async function watchClients(
  path: string | undefined,
  apply: (clients: Clients) => Promise<void>,
): Promise<() => void> {
  if (path === undefined) return () => {};
  return await watchFiles({ configs: () => [path] }, {}, async () => {
    try {
      await apply(await readClients(path));
      return { problems: [], warnings: [] };
    } catch (error) {
      if (!(error instanceof ClimaxError)) throw error;
      const { message, problems } = error;
      return { problems: problems.length > 0 ? problems : [{ file: path, message }], warnings: [] };
    }
  });
}
