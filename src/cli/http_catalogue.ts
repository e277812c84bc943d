/** One catalogue that is served over HTTP, with its session: that of a policy, or of a profile. */

import type { CallContext } from "../call/context.ts";
import { measuring, type Metrics } from "../server/http/metrics.ts";
import type { Surface } from "../server/surface.ts";
import { openSession, type Session, type SessionOptions } from "../session/session.ts";
import { byGroup, openSurface, type ServeOptions } from "./serve_configs.ts";

export interface HttpCatalogue {
  readonly session: Session;
  readonly context: CallContext;
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
  const session = await openSession(options);
  const { context, unwatch } = await byGroup(session, groups, options.watch);
  const surface = await openSurface(context, {
    classic,
    observers: [measuring(context, metrics)],
  });
  return {
    session,
    context,
    surface,
    goLive() {
      session.followSources();
      if (!classic) void session.searchByMeaning(context);
    },
    async close() {
      unwatch();
      await session.close();
    },
  };
}
