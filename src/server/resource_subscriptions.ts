/** Tells clients when resources change: each resource is followed once at its MCP server, for all clients together. */

import type { FeatureServices } from "../call/context.ts";
import { messageOf } from "../errors.ts";
import { featureName } from "../tool/feature.ts";
import {
  type JSONRPCMessage,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
} from "@modelcontextprotocol/server";
import { type ClientServing, logSdkError } from "./requests.ts";

const maxFollowed = 1000;

interface Followed {
  count: number;
  readonly stop: Promise<(() => void) | undefined>;
}

export class ResourceSubscriptions {
  readonly #followed = new Map<string, Followed>();

  constructor(
    private readonly services: FeatureServices,
    private readonly publish: (uri: string) => void,
  ) {}

  /** Returns a function that ends the subscription; nothing if there is no such resource. @throws {ProtocolError} */
  async follow(uri: string, owner?: string): Promise<(() => void) | undefined> {
    if (!this.#followed.has(uri) && this.#followed.size >= maxFollowed) return undefined;
    const followed = this.#followed.getOrInsertComputed(uri, () => {
      const onUpdate = () => this.publish(uri);
      const stop = this.services.subscribe(featureName("resource", uri), onUpdate, owner);
      return { count: 0, stop };
    });
    followed.count++;
    let began: (() => void) | undefined;
    let isOver = false;
    const stop = () => {
      if (isOver) return;
      isOver = true;
      if (--followed.count > 0) return;
      if (this.#followed.get(uri) === followed) this.#followed.delete(uri);
      began?.();
    };
    try {
      began = await followed.stop;
    } catch (error) {
      stop();
      throw new ProtocolError(ProtocolErrorCode.InternalError, messageOf(error));
    }
    if (began !== undefined) return stop;
    stop();
    return undefined;
  }

  /** Follows the resources that a `subscriptions/listen` names. Returns a function that ends the subscription. */
  followAll(params: unknown, owner?: string): (() => void) | undefined {
    const uris = urisOf(params);
    if (uris.length === 0) return undefined;
    const following = uris.map((uri) => {
      return this.follow(uri, owner).catch((error) => logSdkError("subscription", error));
    });
    return () => {
      for (const each of following) void each.then((stop) => stop?.());
    };
  }
}

function urisOf(params: unknown): string[] {
  const { notifications } = (params ?? {}) as { notifications?: Record<string, unknown> };
  const uris = notifications?.["resourceSubscriptions"];
  if (!Array.isArray(uris)) return [];
  return [...new Set(uris.filter((uri) => typeof uri === "string"))];
}

export class StdioSubscriptions {
  readonly #open = new Map<unknown, () => void>();

  constructor(private readonly subscriptions: ResourceSubscriptions) {}

  onReceive(message: JSONRPCMessage): void {
    if (!("method" in message)) return;
    if (message.method === "notifications/cancelled") this.#end(message.params?.["requestId"]);
    if (message.method !== "subscriptions/listen" || !("id" in message)) return;
    if (this.#open.has(message.id)) return;
    const stop = this.subscriptions.followAll(message.params);
    if (stop !== undefined) this.#open.set(message.id, stop);
  }

  sent(message: JSONRPCMessage): void {
    if (!("method" in message)) this.#end(message.id);
  }

  close(): void {
    for (const id of this.#open.keys()) this.#end(id);
  }

  #end(id: unknown): void {
    this.#open.get(id)?.();
    this.#open.delete(id);
  }
}

export function serveSubscriptions(
  mcp: McpServer,
  services: FeatureServices,
  { client }: ClientServing,
): () => void {
  const { server } = mcp;
  const subscriptions = new ResourceSubscriptions(services, (uri) => {
    server.sendResourceUpdated({ uri }).catch((error) => logSdkError("protocol", error));
  });
  const stops = new Map<string, () => void>();
  server.setRequestHandler("resources/subscribe", async ({ params: { uri } }) => {
    if (stops.has(uri)) return {};
    const stop = await subscriptions.follow(uri, client);
    if (stop === undefined) throw new ResourceNotFoundError(uri);
    stops.get(uri)?.();
    stops.set(uri, stop);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    stops.get(uri)?.();
    stops.delete(uri);
    return {};
  });
  return () => {
    for (const stop of stops.values()) stop();
  };
}
