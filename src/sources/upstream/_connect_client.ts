/** The client of the SDK over one transport: what it offers to servers, and how it finds out their protocol. */

import {
  Client,
  type ElicitRequest,
  type ElicitResult,
  type PriorDiscovery,
  type Transport,
} from "@modelcontextprotocol/client";
import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import { version } from "../../process/version.ts";
import { skillsExtension } from "../../tool/feature.ts";
import { probeMs } from "./_bounds.ts";
import type { Login } from "./login/login.ts";
import { LateProbeTransport } from "./_late_probe.ts";
import { StdioClientTransport } from "./_stdio.ts";
import { WebSocketTransport } from "./_websocket.ts";

/** The type of the page of an App (MCP Apps, 2026-01-26). */
const appType = "text/html;profile=mcp-app";

export interface ClientOptions {
  /** The protocol, as detected by an earlier connection. */
  readonly prior?: PriorDiscovery | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whose requests they are; absent: the server takes no login. */
  readonly login?: Login | undefined;
  /** Called when the server reports changed tools, prompts or resources. */
  readonly onListChanged: () => void;
  /** Called with the address of a resource that has changed. */
  readonly onResourceUpdated?: (uri: string) => void;
  /** Called with the parameters of a log message. */
  readonly onLog?: (params: unknown) => void;
  /** Called when the server asks the user outside of the result of a call. */
  readonly onElicit: (params: ElicitRequest["params"]) => Promise<ElicitResult>;
}

/** A client over `transport`, for which the protocol is known from `prior` or detected. */
export async function connectClient(
  name: string,
  transport: Transport,
  options: ClientOptions & { readonly timeoutMs: number },
): Promise<Client> {
  const { prior, signal, timeoutMs: timeout } = options;
  const request = { timeout, ...(signal === undefined ? {} : { signal }) };
  const isPipe = transport instanceof StdioClientTransport ||
    transport instanceof WebSocketTransport;
  const client = newClient(name, options, isPipe ? probeMs : timeout);
  if (!isPipe || prior !== undefined) {
    await client.connect(transport, { ...request, ...(prior === undefined ? {} : { prior }) });
    return client;
  }
  const pipe = new LateProbeTransport(transport);
  const connecting = client.connect(pipe, request);
  const late = await Promise.race([connecting.then(() => undefined), pipe.late]);
  if (late === undefined) return client;
  const next = newClient(name, options, probeMs);
  const handedOver = pipe.handOver();
  connecting.catch(() => {});
  void client.close();
  await next.connect(handedOver, { ...request, prior: late });
  return next;
}

function newClient(
  name: string,
  { onElicit, onListChanged, onResourceUpdated, onLog, login }: ClientOptions,
  probeTimeoutMs: number,
): Client {
  const changed = { autoRefresh: false, debounceMs: 50, onChanged: onListChanged };
  const client = new Client({ name: "climax", version }, {
    capabilities: {
      elicitation: { form: {}, url: {} },
      // A server may keep its Apps from clients that do not say this
      extensions: {
        "io.modelcontextprotocol/ui": { mimeTypes: [appType] },
        [skillsExtension]: {},
      },
    },
    versionNegotiation: { mode: "auto", probe: { timeoutMs: probeTimeoutMs } },
    inputRequired: { autoFulfill: false },
    listChanged: { tools: changed, prompts: changed, resources: changed },
  });
  client.onerror = (error) => {
    const text = messageOf(error);
    log("debug", `server '${name}': ${login?.masked(text) ?? text}`);
  };
  client.setRequestHandler("elicitation/create", ({ params }) => onElicit(params));
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    onResourceUpdated?.(params.uri);
  });
  client.setNotificationHandler("notifications/message", ({ params }) => onLog?.(params));
  return client;
}
