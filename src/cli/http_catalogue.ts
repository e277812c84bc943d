/** One catalogue that is served over HTTP, with its session: that of a policy, or of a profile. */

import { measureCalls, type Metrics } from "../server/http/metrics.ts";
import type { Surface } from "../server/surface.ts";
import { openSession, type Session, type SessionOptions } from "../session/session.ts";
import { openSurface } from "../server/discovery.ts";
import { byGroup, type ServeOptions } from "./serve_configs.ts";
import { ClimaxError } from "../errors.ts";
import { watchFiles } from "../session/watch_files.ts";

export interface HttpCatalogue {
  readonly session: Session;
  readonly surface: Surface;
  /** Follows changes of servers, and embeds the tools; to be called when the port is open. */
  goLive(): void;
  close(): Promise<void>;
}

export interface HttpCatalogueOptions extends Pick<ServeOptions, "classic" | "groups"> {
  readonly metrics: Metrics;
}

/** @throws {ClimaxError} with every problem of configs and policy */
export async function openHttpCatalogue(
  options: SessionOptions,
  { classic, groups, metrics }: HttpCatalogueOptions,
): Promise<HttpCatalogue> {
  await using opening = new AsyncDisposableStack();
  const session = opening.use(await openSession(options));
  const { context, unwatch } = await byGroup(session, groups, options.watch);
  opening.defer(unwatch);
  const surface = await openSurface(context, {
    classic,
    observers: [measureCalls(context, metrics)],
  });
  const closing = opening.move();
  return {
    session,
    surface,
    goLive() {
      session.followSources();
      if (!classic) void session.searchByMeaning(context);
    },
    close: () => closing.disposeAsync(),
  };
}

/** Calls `apply` with what `read` has at each change; an error changes nothing. Returns a stop. */
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
