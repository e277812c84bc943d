/** The resources that clients follow, each of them subscribed to once. */

import type { FeatureServices } from "../call/context.ts";
import { featureName } from "../tool/feature.ts";

/** Most resources that the clients of one surface follow. */
const maxFollowed = 1000;

interface Followed {
  count: number;
  readonly stop: Promise<(() => void) | undefined>;
}

export class ResourceSubscriptions {
  readonly #services: FeatureServices;
  readonly #publish: (uri: string) => void;
  readonly #followed = new Map<string, Followed>();

  /** `publish` sends the notification, once for all that follow the resource. */
  constructor(services: FeatureServices, publish: (uri: string) => void) {
    this.#services = services;
    this.#publish = publish;
  }

  /** Follows the resource at `uri`. Resolves to a function that stops this; absent: it cannot be followed. */
  async follow(uri: string, owner?: string): Promise<(() => void) | undefined> {
    const followed = this.#followed.get(uri) ?? this.#begin(uri, owner);
    if (followed === undefined) return undefined;
    followed.count++;
    const began = await followed.stop.catch(() => undefined);
    let isOver = false;
    const stop = () => {
      if (isOver) return;
      isOver = true;
      if (--followed.count > 0) return;
      if (this.#followed.get(uri) === followed) this.#followed.delete(uri);
      began?.();
    };
    if (began !== undefined) return stop;
    stop();
    return undefined;
  }

  #begin(uri: string, owner: string | undefined): Followed | undefined {
    if (this.#followed.size >= maxFollowed) return undefined;
    const onUpdate = () => this.#publish(uri);
    const stop = this.#services.subscribe(featureName("resource", uri), onUpdate, owner);
    const followed = { count: 0, stop };
    this.#followed.set(uri, followed);
    return followed;
  }

  /**
   * Follows the resources that the parameters of `subscriptions/listen` name. Returns a function that stops this at
   * once, even before they are followed; nothing if there are none.
   */
  followAll(params: unknown, owner?: string): (() => void) | undefined {
    const uris = subscribedUris(params);
    if (uris.length === 0) return undefined;
    const following = uris.map((uri) => this.follow(uri, owner));
    return () => {
      for (const each of following) void each.then((stop) => stop?.());
    };
  }
}

function subscribedUris(params: unknown): string[] {
  const { notifications } = (params ?? {}) as { notifications?: Record<string, unknown> };
  const uris = notifications?.["resourceSubscriptions"];
  if (!Array.isArray(uris)) return [];
  return [...new Set(uris.filter((uri) => typeof uri === "string"))];
}
