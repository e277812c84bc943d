/** Reads the groups of a project again when their file changes. */

import { type GroupsFile, readGroups } from "../agents/groups.ts";
import type { Clock } from "../async/clock.ts";
import type { CallContext } from "../call/context.ts";
import type { DocumentResult } from "../files/document.ts";
import { watchFiles } from "./watch_files.ts";

/** Reads the groups at `path`. When they change, all that was made from the catalogue of `context` is made again. */
export async function watchGroups(
  path: string,
  { catalog }: Pick<CallContext, "catalog">,
  { watch = true, clock }: { readonly watch?: boolean | undefined; readonly clock?: Clock } = {},
): Promise<DocumentResult<GroupsFile & { unwatch(): void }>> {
  const first = await readGroups(path);
  if (!first.ok) return first;
  const served = { ...first.value, unwatch: () => {} };
  served.unwatch = watchFiles({ configs: () => watch ? [path] : [] }, {}, async () => {
    const read = await readGroups(path);
    if (!read.ok) return { problems: read.problems, warnings: [] };
    Object.assign(served, read.value);
    catalog.rebuild();
    return { problems: [], warnings: [] };
  }, clock);
  return { ok: true, value: served };
}
