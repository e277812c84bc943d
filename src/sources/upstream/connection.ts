/**
 * One connection to one server: its transport, its protocol revision, and its messages. It is not reopened;
 * `server.ts` opens another one.
 */

import {
  Client,
  type ElicitRequest,
  type ElicitResult,
  type PriorDiscovery,
  SdkError,
  SdkErrorCode,
} from "@modelcontextprotocol/client";
import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import { version } from "../../process/version.ts";
import { skillsExtension } from "../../tool/feature.ts";
import { connectMs, firstConnectMs, probeMs } from "./_bounds.ts";
import { httpTransport, sseTransport } from "./_http.ts";
import type { Login } from "./login/login.ts";
import { loginNeededIn } from "./login/needed.ts";
import type { ServerSpec, StdioSpec, UrlSpec } from "./spec.ts";
import { StdioClientTransport } from "./_stdio.ts";
import { WebSocketTransport } from "./_websocket.ts";

export interface ConnectOptions {
  /** The protocol, as detected by an earlier connection. */
  readonly prior?: PriorDiscovery | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whose requests they are; absent: the server takes no login. */
  readonly login?: Login | undefined;
  /** Called when the connection ends unexpectedly. */
  readonly onEnd: (reason: string) => void;
  /** Called when the server reports changed tools. */
  readonly onListChanged: () => void;
  /** Called with the address of a resource that has changed. */
  readonly onResourceUpdated?: (uri: string) => void;
  /** Called with the parameters of a log message. */
  readonly onLog?: (params: unknown) => void;
  /** Called when the server asks the user outside of the result of a call. */
  readonly onElicit: (params: ElicitRequest["params"]) => Promise<ElicitResult>;
}

export class UpstreamConnection {
  readonly client: Client;
  readonly #transport: AnyTransport;

  readonly #limitMs: number;

  private constructor(client: Client, transport: AnyTransport, limitMs: number) {
    this.client = client;
    this.#transport = transport;
    this.#limitMs = limitMs;
  }

  /**
   * Connects to `spec`; `reached` is its transport with expanded variables.
   *
   * @throws {Error} with the reason, and the end of stderr on lines of its own
   */
  static async open(
    spec: ServerSpec,
    reached: StdioSpec | UrlSpec,
    options: ConnectOptions,
  ): Promise<UpstreamConnection> {
    const isFirst = options.prior === undefined && reached.kind === "stdio";
    const limitMs = isFirst ? firstConnectMs : connectMs;
    const deadline = AbortSignal.timeout(limitMs);
    const signal = AbortSignal.any([deadline, ...(options.signal ? [options.signal] : [])]);
    try {
      return await UpstreamConnection.#try(spec, reached, { ...options, signal, limitMs });
    } catch (error) {
      if (!(error instanceof ConnectFailure) || signal.aborted) throw error;
      const needed = loginNeededIn(error);
      if (needed !== undefined) throw needed;
      const old = { ...options, signal, limitMs, prior: { kind: "legacy" } as const };
      // A server that exits at an unknown request is an old one
      if (error.whileProbing) return await UpstreamConnection.#try(spec, reached, old);
      if (reached.kind !== "http" || !error.isUnknownThere) throw error;
      // A server that rejects these messages may be older still
      return await UpstreamConnection.#try(spec, reached, old, true).catch(() => {
        throw error;
      });
    }
  }

  static async #try(
    spec: ServerSpec,
    reached: StdioSpec | UrlSpec,
    { prior, signal, limitMs, login, onEnd, onListChanged, onElicit, ...hooks }: ConnectOptions & {
      readonly limitMs: number;
    },
    withEvents = false,
  ): Promise<UpstreamConnection> {
    const transport = withEvents
      ? sseTransport(reached as UrlSpec, login)
      : transportTo(spec.name, reached, login);
    const client = new Client({ name: "climax", version }, {
      capabilities: {
        elicitation: { form: {}, url: {} },
        // A server may keep its Apps from clients that do not say this
        extensions: {
          "io.modelcontextprotocol/ui": { mimeTypes: [appType] },
          [skillsExtension]: {},
        },
      },
      versionNegotiation: { mode: "auto", probe: { timeoutMs: probeMs } },
      inputRequired: { autoFulfill: false },
      listChanged: {
        tools: { autoRefresh: false, debounceMs: 50, onChanged: onListChanged },
        prompts: { autoRefresh: false, debounceMs: 50, onChanged: onListChanged },
        resources: { autoRefresh: false, debounceMs: 50, onChanged: onListChanged },
      },
    });
    client.onerror = (error) => {
      const text = messageOf(error);
      log("debug", `server '${spec.name}': ${login?.masked(text) ?? text}`);
    };
    client.setRequestHandler("elicitation/create", ({ params }) => onElicit(params));
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
      hooks.onResourceUpdated?.(params.uri);
    });
    client.setNotificationHandler("notifications/message", ({ params }) => hooks.onLog?.(params));
    const connection = new UpstreamConnection(client, transport, limitMs);
    const onAbort = () => void transport.close();
    signal?.addEventListener("abort", onAbort);
    try {
      const timeout = { timeout: limitMs, ...(signal === undefined ? {} : { signal }) };
      await client.connect(transport, { ...timeout, ...(prior === undefined ? {} : { prior }) });
    } catch (error) {
      const reason = connection.#failure(error, signal);
      await transport.close();
      const whileProbing = error instanceof SdkError &&
        error.code === SdkErrorCode.EraNegotiationFailed;
      const { status } = error as { status?: unknown };
      const isUnknownThere = [400, 404, 405].includes(Number(status));
      throw new ConnectFailure(reason, whileProbing, isUnknownThere, error);
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
    client.onclose = () => onEnd(connection.#endReason());
    connection.#listen();
    return connection;
  }

  /** Subscribes to changes on a server of 2026-07-28; older ones notify without a subscription. */
  #listen(): void {
    const { client } = this;
    if (client.getProtocolEra() !== "modern" || client.autoOpenedSubscription !== undefined) return;
    const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
    const filter = {
      ...(tools?.listChanged ? { toolsListChanged: true } : {}),
      ...(prompts?.listChanged ? { promptsListChanged: true } : {}),
      ...(resources?.listChanged ? { resourcesListChanged: true } : {}),
    };
    if (Object.keys(filter).length === 0) return;
    client.listen(filter).catch((error) => client.onerror?.(error));
  }

  /** The value of {@linkcode ConnectOptions.prior} for the next connection. */
  get prior(): PriorDiscovery {
    const discover = this.client.getDiscoverResult();
    return discover === undefined ? { kind: "legacy" } : { kind: "modern", discover };
  }

  /** The last lines on stderr of a child process. */
  stderrTail(): string[] {
    return this.#transport instanceof StdioClientTransport ? this.#transport.tail.lines() : [];
  }

  /** Ends the connection, and the process tree of a child process. */
  async close(forceSignal?: AbortSignal): Promise<void> {
    delete this.client.onclose;
    if (this.#transport instanceof StdioClientTransport) await this.#transport.close(forceSignal);
    await this.client.close().catch(() => {});
  }

  #failure(error: unknown, signal: AbortSignal | undefined): string {
    const ended = this.#transport instanceof StdioClientTransport
      ? this.#transport.ended
      : undefined;
    const cause = messageOf(signal?.reason ?? "");
    const reason = signal?.aborted
      ? /timed? ?out/i.test(cause) ? this.#lateness() : "cancelled"
      : ended === undefined
      ? messageOf(error)
      : ended.startsWith("it ")
      ? ended
      : `it ended with ${ended}`;
    return [reason, ...this.stderrTail().map((line) => `  ${line}`)].join("\n");
  }

  #lateness(): string {
    const advice = this.#limitMs > connectMs ? "; if its first start installs it, try again" : "";
    return `no answer within ${this.#limitMs / 1000} s${advice}`;
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

/** The type of the page of an App (MCP Apps, 2026-01-26). */
const appType = "text/html;profile=mcp-app";

class ConnectFailure extends Error {
  constructor(
    message: string,
    /** The program exited when it was asked about the protocol. */
    readonly whileProbing: boolean,
    /** The HTTP server does not support this transport at this URL. */
    readonly isUnknownThere: boolean,
    cause: unknown,
  ) {
    super(message, { cause });
  }
}

type AnyTransport =
  | StdioClientTransport
  | WebSocketTransport
  | ReturnType<typeof httpTransport>
  | ReturnType<typeof sseTransport>;

function transportTo(
  name: string,
  reached: StdioSpec | UrlSpec,
  login: Login | undefined,
): AnyTransport {
  switch (reached.kind) {
    case "stdio":
      return new StdioClientTransport(name, reached);
    case "http":
      return httpTransport(reached, login);
    case "websocket":
      return new WebSocketTransport(reached.url, reached.headers);
  }
}
