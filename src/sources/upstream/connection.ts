/**
 * One connection to one server: its transport, the protocol's era, and what goes over it. It lives
 * once; `server.ts` makes another when it is gone.
 */

import {
  Client,
  type ElicitRequest,
  type ElicitResult,
  type PriorDiscovery,
  SdkError,
  SdkErrorCode,
} from "@modelcontextprotocol/client";
import * as z from "zod";
import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import { version } from "../../process/version.ts";
import { connectMs, maxPages, probeMs } from "./_bounds.ts";
import { httpTransport, sseTransport } from "./_http.ts";
import type { ServerSpec, StdioSpec, UrlSpec } from "./spec.ts";
import { StdioClientTransport } from "./_stdio.ts";
import { WebSocketTransport } from "./_websocket.ts";

/** What a connection is made with. */
export interface ConnectOptions {
  /** What is known of the server's protocol from before. */
  readonly prior?: PriorDiscovery | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told when the connection is gone without our doing. */
  readonly onEnd: (reason: string) => void;
  /** Told when the server says that its tools have changed. */
  readonly onListChanged: () => void;
  /** What the server asks of the person, outside of any call's own answer. */
  readonly onElicit: (params: ElicitRequest["params"]) => Promise<ElicitResult>;
}

/** A connection that is up. */
export class UpstreamConnection {
  readonly client: Client;
  readonly #transport: AnyTransport;

  private constructor(client: Client, transport: AnyTransport) {
    this.client = client;
    this.#transport = transport;
  }

  /**
   * Connects to `spec` over `reached`, which is its transport with the variables expanded.
   *
   * @throws {Error} that says why not, the program's last words on lines of their own
   */
  static async open(
    spec: ServerSpec,
    reached: StdioSpec | UrlSpec,
    options: ConnectOptions,
  ): Promise<UpstreamConnection> {
    const deadline = AbortSignal.timeout(connectMs);
    const signal = AbortSignal.any([deadline, ...(options.signal ? [options.signal] : [])]);
    try {
      return await UpstreamConnection.#try(spec, reached, { ...options, signal });
    } catch (error) {
      if (!(error instanceof ConnectFailure) || signal.aborted) throw error;
      const old = { ...options, signal, prior: { kind: "legacy" } as const };
      // A server that ends at a question it does not know is an old one
      if (error.whileProbing) return await UpstreamConnection.#try(spec, reached, old);
      if (reached.kind !== "http" || !error.isUnknownThere) throw error;
      // One that takes no messages there may be older still
      return await UpstreamConnection.#try(spec, reached, old, true).catch(() => {
        throw error;
      });
    }
  }

  static async #try(
    spec: ServerSpec,
    reached: StdioSpec | UrlSpec,
    { prior, signal, onEnd, onListChanged, onElicit }: ConnectOptions,
    withEvents = false,
  ): Promise<UpstreamConnection> {
    const transport = withEvents
      ? sseTransport(reached as UrlSpec)
      : transportTo(spec.name, reached);
    const client = new Client({ name: "climax", version }, {
      capabilities: { elicitation: { form: {}, url: {} } },
      versionNegotiation: { mode: "auto", probe: { timeoutMs: probeMs } },
      inputRequired: { autoFulfill: false },
      listChanged: { tools: { autoRefresh: false, debounceMs: 50, onChanged: onListChanged } },
    });
    client.onerror = (error) => log("debug", `server '${spec.name}': ${messageOf(error)}`);
    client.setRequestHandler("elicitation/create", ({ params }) => onElicit(params));
    const connection = new UpstreamConnection(client, transport);
    const onAbort = () => void transport.close();
    signal?.addEventListener("abort", onAbort);
    try {
      const timeout = { timeout: connectMs, ...(signal === undefined ? {} : { signal }) };
      await client.connect(transport, { ...timeout, ...(prior === undefined ? {} : { prior }) });
    } catch (error) {
      const reason = connection.#failure(error, signal);
      await transport.close();
      const whileProbing = error instanceof SdkError &&
        error.code === SdkErrorCode.EraNegotiationFailed;
      const { status } = error as { status?: unknown };
      throw new ConnectFailure(reason, whileProbing, [400, 404, 405].includes(Number(status)));
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
    client.onclose = () => onEnd(connection.#endReason());
    connection.#listen();
    return connection;
  }

  /** Has a server of 2026-07-28 tell of changes; others do so by themselves, and the SDK may have. */
  #listen(): void {
    const { client } = this;
    if (client.getProtocolEra() !== "modern" || client.autoOpenedSubscription !== undefined) return;
    if (client.getServerCapabilities()?.tools?.listChanged !== true) return;
    client.listen({ toolsListChanged: true }).catch((error) => client.onerror?.(error));
  }

  /** What to hand over as {@linkcode ConnectOptions.prior} the next time. */
  get prior(): PriorDiscovery {
    const discover = this.client.getDiscoverResult();
    return discover === undefined ? { kind: "legacy" } : { kind: "modern", discover };
  }

  /**
   * Gives `take` one page of the server's tools after the other, until it wants no more.
   *
   * @returns why there is more that was not asked for; nothing where there is no more
   */
  async list(
    take: (tools: readonly unknown[]) => boolean,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    if (this.client.getServerCapabilities()?.tools === undefined) return undefined;
    const deadline = AbortSignal.timeout(connectMs);
    const options = {
      timeout: connectMs,
      signal: AbortSignal.any([deadline, ...(signal ? [signal] : [])]),
    };
    let cursor: string | undefined;
    for (let page = 0; page < maxPages; page++) {
      // A first page without a cursor would have the SDK walk all of them
      const listed = await this.client.request(
        { method: "tools/list", params: cursor === undefined ? {} : { cursor } },
        // The SDK's own schema would refuse a whole page for one tool
        pageSchema,
        options,
      );
      const isEnough = !take(listed.tools);
      if (listed.nextCursor === undefined || listed.nextCursor === cursor) return undefined;
      if (isEnough) return "there is no room for it";
      cursor = listed.nextCursor;
    }
    return `it has over ${maxPages} pages`;
  }

  /** The last lines a program of ours wrote on stderr. */
  stderrTail(): string[] {
    return this.#transport instanceof StdioClientTransport ? this.#transport.tail.lines() : [];
  }

  /** Ends the connection, and the program behind it with everything it started. */
  async close(hurry?: AbortSignal): Promise<void> {
    delete this.client.onclose;
    if (this.#transport instanceof StdioClientTransport) await this.#transport.close(hurry);
    await this.client.close().catch(() => {});
  }

  #failure(error: unknown, signal: AbortSignal | undefined): string {
    const ended = this.#transport instanceof StdioClientTransport
      ? this.#transport.ended
      : undefined;
    const cause = messageOf(signal?.reason ?? "");
    const reason = signal?.aborted
      ? /timed? ?out/i.test(cause) ? `no answer within ${connectMs / 1000} s` : "cancelled"
      : ended === undefined
      ? messageOf(error)
      : ended.startsWith("it ")
      ? ended
      : `it ended with ${ended}`;
    return [reason, ...this.stderrTail().map((line) => `  ${line}`)].join("\n");
  }

  #endReason(): string {
    const ended = this.#transport instanceof StdioClientTransport
      ? this.#transport.ended
      : undefined;
    if (ended === undefined) return "the connection was closed";
    const reason = ended.startsWith("it ") ? ended : `it ended with ${ended}`;
    return [reason, ...this.stderrTail().map((line) => `  ${line}`)].join("\n");
  }
}

const pageSchema = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

/** The reason why a connection did not come up. */
class ConnectFailure extends Error {
  constructor(
    message: string,
    /** True if the program ended when it was asked which protocol it speaks. */
    readonly whileProbing: boolean,
    /** True if an HTTP server does not know what we do there. */
    readonly isUnknownThere: boolean,
  ) {
    super(message);
  }
}

type AnyTransport =
  | StdioClientTransport
  | WebSocketTransport
  | ReturnType<typeof httpTransport>
  | ReturnType<typeof sseTransport>;

function transportTo(name: string, reached: StdioSpec | UrlSpec): AnyTransport {
  switch (reached.kind) {
    case "stdio":
      return new StdioClientTransport(name, reached);
    case "http":
      return httpTransport(reached);
    case "websocket":
      return new WebSocketTransport(reached.url, reached.headers);
  }
}
