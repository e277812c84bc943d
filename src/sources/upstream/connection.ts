/** A connection to an MCP server: its transport and the SDK's client. `server.ts` opens and replaces connections. */

import {
  type CallToolResult,
  Client,
  type ElicitRequest,
  type ElicitResult,
  type JSONRPCMessage,
  type PriorDiscovery,
  ProtocolError,
  ProtocolErrorCode,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  type Transport,
} from "@modelcontextprotocol/client";
import { connectMs, probeMs } from "./_bounds.ts";
import { httpTransport, type MaskMessage, maskMessages, sseTransport } from "./_http.ts";
import { findLoginNeeded, type Login } from "./login/login.ts";
import {
  headerSecrets,
  maskedSecrets,
  type ServerSpec,
  type TransportSpec,
  type UrlSpec,
} from "./spec.ts";
import { StdioClientTransport } from "./_stdio.ts";
import { callTool, type ToolRequest } from "./_tool_calls.ts";
import { WebSocketTransport } from "./_websocket.ts";
import { messageOf } from "../../errors.ts";
import { maskTexts } from "../../files/json.ts";
import { log } from "../../log.ts";
import { reasonOf, requireEncryption, secretMasker } from "../../net/send_once.ts";
import { version } from "../../process/build_info.ts";

interface ConnectOptions {
  readonly timeoutMs?: number;
  readonly prior?: PriorDiscovery | undefined;
  readonly isModern?: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly login?: Login | undefined;
  readonly onEnd: (reason: string) => void;
  readonly onListChanged: () => void;
  readonly onResourceUpdated?: (uri: string) => void;
  readonly onLog?: (params: unknown) => void;
  /** Called when a server before MCP 2026-07-28 asks a person something. */
  readonly onElicit: (params: ElicitRequest["params"]) => Promise<ElicitResult>;
}

export class UpstreamConnection {
  private constructor(readonly client: Client, private readonly transport: AnyTransport) {}

  /** Connects to the command or URL `reached`, in which variables have their values. @throws {Error} if that fails */
  static async open(
    spec: ServerSpec,
    reached: TransportSpec,
    options: ConnectOptions,
  ): Promise<UpstreamConnection> {
    const deadline = AbortSignal.timeout(options.timeoutMs ?? connectMs);
    const signal = AbortSignal.any([deadline, ...(options.signal ? [options.signal] : [])]);
    try {
      return await UpstreamConnection.#try(spec, reached, { ...options, signal });
    } catch (error) {
      if (!(error instanceof ConnectFailure) || signal.aborted) throw error;
      const needed = findLoginNeeded(error);
      if (needed !== undefined) throw needed;
      const retry = (change: Partial<ConnectOptions>, withEvents = false) => {
        const changed = { ...options, signal, ...change };
        return UpstreamConnection.#try(spec, reached, changed, withEvents);
      };
      const old = { prior: { kind: "legacy" } } as const;
      if (error.retry === undefined) throw error;
      if (error.retry === "old protocol") return await retry(old);
      const next = error.retry === "new protocol" ? retry({ isModern: true }) : retry(old, true);
      return await next.catch(() => Promise.reject(error));
    }
  }

  static async #try(
    spec: ServerSpec,
    reached: TransportSpec,
    options: ConnectOptions,
    withEvents = false,
  ): Promise<UpstreamConnection> {
    const { signal, timeoutMs = connectMs, login, prior, isModern = false } = options;
    const secrets = reached.kind === "stdio" ? [] : headerSecrets(spec.transport, reached);
    const repeated = reached.kind === "stdio" ? [] : maskedSecrets(spec.transport, reached);
    const hide = secretMasker(repeated);
    const mask: MaskMessage = (message) => {
      const masked = repeated.length === 0 ? message : maskTexts(message, hide) as JSONRPCMessage;
      return login?.maskText(masked) ?? masked;
    };
    if (reached.kind === "websocket") requireEncryption(new URL(reached.url), secrets);
    const transport = withEvents
      ? sseTransport(reached as UrlSpec, { login, secrets, mask })
      : reached.kind === "stdio"
      ? new StdioClientTransport(spec.name, reached)
      : reached.kind === "http"
      ? httpTransport(reached, { login, secrets, mask })
      : maskMessages(new WebSocketTransport(reached.url, reached.headers), mask);
    const onAbort = () => void transport.close();
    signal?.addEventListener("abort", onAbort);
    const probed = isPipe(transport) && !isModern ? probeMs : timeoutMs;
    const client = newClient(spec.name, options, probed);
    try {
      await client.connect(transport, {
        timeout: timeoutMs,
        ...(signal && { signal }),
        ...(prior && { prior }),
      });
    } catch (error) {
      const reason = failureOf(transport, error, { signal, timeoutMs });
      await transport.close();
      throw new ConnectFailure(reason, error, retryAfter(error, transport, options));
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
    if (transport instanceof StdioClientTransport) transport.tail.clear();
    const connection = new UpstreamConnection(client, transport);
    client.onclose = () => options.onEnd(endOf(transport) ?? "the connection was closed");
    connection.#listen();
    return connection;
  }

  #listen(): void {
    const { client } = this;
    if (client.getProtocolEra() !== "modern" || client.autoOpenedSubscription !== undefined) return;
    const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
    const filter = {
      ...(tools?.listChanged && { toolsListChanged: true }),
      ...(prompts?.listChanged && { promptsListChanged: true }),
      ...(resources?.listChanged && { resourcesListChanged: true }),
    };
    if (Object.keys(filter).length === 0) return;
    client.listen(filter).catch((error) => client.onerror?.(error));
  }

  get prior(): PriorDiscovery {
    const discover = this.client.getDiscoverResult();
    return discover === undefined ? { kind: "legacy" } : { kind: "modern", discover };
  }

  get hasSession(): boolean {
    return "sessionId" in this.transport && this.transport.sessionId !== undefined;
  }

  async close(forceSignal?: AbortSignal): Promise<void> {
    delete this.client.onclose;
    if (this.transport instanceof StdioClientTransport) await this.transport.close(forceSignal);
    await this.client.close().catch(() => {});
  }

  async callTool(request: ToolRequest, options: RequestOptions): Promise<CallToolResult> {
    const transport = this.transport;
    const plain = transport instanceof StdioClientTransport ? transport.plain : undefined;
    return await callTool({ client: this.client, plain }, request, options);
  }
}

function failureOf(
  transport: AnyTransport,
  error: unknown,
  { signal, timeoutMs }: { readonly signal: AbortSignal | undefined; readonly timeoutMs: number },
): string {
  if (!signal?.aborted) return endOf(transport) ?? withTail(reasonOf(error), transport);
  const isLate = (signal.reason as { name?: unknown } | undefined)?.name === "TimeoutError";
  const advice = timeoutMs > connectMs ? "; if its first start installs it, try again" : "";
  const late = `no answer within ${timeoutMs / 1000} s${advice}`;
  return withTail(isLate ? late : "cancelled", transport);
}

function endOf(transport: AnyTransport): string | undefined {
  const ended = transport instanceof StdioClientTransport ? transport.ended : undefined;
  if (ended === undefined) return undefined;
  return withTail(ended.startsWith("it ") ? ended : `it ended with ${ended}`, transport);
}

function withTail(reason: string, transport: AnyTransport): string {
  const lines = transport instanceof StdioClientTransport ? transport.tail.lines() : [];
  return lines.length === 0 ? reason : `${reason}: ${lines.join("\n  ")}`;
}

class ConnectFailure extends Error {
  constructor(message: string, cause: unknown, readonly retry: Retry | undefined) {
    super(message, { cause });
  }
}

type Retry = "old protocol" | "new protocol" | "events";

const endsOfProbe = [SdkErrorCode.EraNegotiationFailed, SdkErrorCode.ConnectionClosed];

/** A server that speaks only MCP 2026-07-28 answers `initialize` with one of these codes. */
const refusalsOfInitialize: readonly number[] = [
  ProtocolErrorCode.UnsupportedProtocolVersion,
  ProtocolErrorCode.MethodNotFound,
];

function retryAfter(
  error: unknown,
  transport: AnyTransport,
  { prior, isModern = false }: ConnectOptions,
): Retry | undefined {
  const wasEnded = transport instanceof StdioClientTransport && transport.ended?.startsWith("it ");
  const isOfProbe = error instanceof SdkError && endsOfProbe.includes(error.code);
  // An old server may exit at a request that it does not know, so an older version of MCP is tried
  if (prior === undefined && isOfProbe && !wasEnded) return "old protocol";
  if (isPipe(transport)) {
    const isRefused = error instanceof ProtocolError && refusalsOfInitialize.includes(error.code);
    return isRefused && prior === undefined && !isModern ? "new protocol" : undefined;
  }
  const { status } = error as { status?: unknown };
  return [400, 404, 405].includes(Number(status)) ? "events" : undefined;
}

type AnyTransport =
  | StdioClientTransport
  | WebSocketTransport
  | ReturnType<typeof httpTransport>
  | ReturnType<typeof sseTransport>;

/** The media type by which climax tells servers that clients can show pages of tools (MCP Apps, 2026-01-26). */
const appType = "text/html;profile=mcp-app";

function isPipe(transport: Transport): boolean {
  return transport instanceof StdioClientTransport || transport instanceof WebSocketTransport;
}

function newClient(
  name: string,
  { onElicit, onListChanged, onResourceUpdated, onLog, login }: ConnectOptions,
  probeTimeoutMs: number,
): Client {
  const changed = { autoRefresh: false, debounceMs: 50, onChanged: onListChanged };
  const client = new Client({ name: "climax", version }, {
    capabilities: {
      elicitation: { form: {}, url: {} },
      extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [appType] } },
    },
    versionNegotiation: { mode: "auto", probe: { timeoutMs: probeTimeoutMs } },
    inputRequired: { autoFulfill: false },
    listChanged: { tools: changed, prompts: changed, resources: changed },
  });
  client.onerror = (error) => {
    const text = messageOf(error);
    log("debug", `server '${name}': ${login?.maskText(text) ?? text}`);
  };
  client.setRequestHandler("elicitation/create", ({ params }) => onElicit(params));
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    onResourceUpdated?.(params.uri);
  });
  client.setNotificationHandler("notifications/message", ({ params }) => onLog?.(params));
  return client;
}
