/**
 * OpenTelemetry spans of requests, by the semantic conventions for generative AI (1.37): the agent, each
 * answer of its model, each tool. Names, times and counts, never what was said. Sent as OTLP in JSON,
 * behind the answer, where an endpoint is set.
 */

import { messageOf } from "../../errors.ts";
import { log } from "../../log.ts";
import { version } from "../../process/version.ts";
import type { RequestRecord } from "./response.ts";

/** Milliseconds that a collector has to take a request's spans. */
const sendMs = 5000;

/** Requests whose spans may be under way; those of further ones are dropped. */
const maxUnderWay = 32;

/** Sends spans to a collector. */
export class SpanExporter {
  readonly #url: string;
  readonly #headers: Headers;
  readonly #service: string;
  readonly #underWay = new Set<Promise<void>>();

  private constructor(url: string, headers: Headers, service: string) {
    this.#url = url;
    this.#headers = headers;
    this.#service = service;
  }

  /** The exporter that OpenTelemetry's variables ask for, if they do. */
  static from(environment: (name: string) => string | undefined): SpanExporter | undefined {
    if (environment("OTEL_SDK_DISABLED") === "true") return undefined;
    const base = environment("OTEL_EXPORTER_OTLP_ENDPOINT");
    const url = environment("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") ||
      (base && `${base.replace(/\/+$/, "")}/v1/traces`);
    if (!url) return undefined;
    if (environment("OTEL_EXPORTER_OTLP_PROTOCOL") === "grpc") {
      log("warning", "OTEL_EXPORTER_OTLP_PROTOCOL is 'grpc': spans are sent over HTTP, in JSON");
    }
    const headers = new Headers({ "content-type": "application/json" });
    const given = environment("OTEL_EXPORTER_OTLP_TRACES_HEADERS") ||
      environment("OTEL_EXPORTER_OTLP_HEADERS") || "";
    for (const pair of given.split(",")) {
      const [name = "", ...value] = pair.split("=");
      if (name.trim() !== "") headers.set(name.trim(), decodeURIComponent(value.join("=").trim()));
    }
    return new SpanExporter(url, headers, environment("OTEL_SERVICE_NAME") || "climax");
  }

  /** Where spans go, as `HOST:PORT`. */
  get host(): string {
    return new URL(this.#url).host;
  }

  /** Sends the spans of `record` in its own time. */
  send(record: RequestRecord): void {
    if (this.#underWay.size >= maxUnderWay) {
      return log("info", `spans of request ${record.requestId} are dropped: the collector is slow`);
    }
    const sending = this.#post(record).finally(() => this.#underWay.delete(sending));
    this.#underWay.add(sending);
  }

  /** Resolves when what is under way has been taken, or given up. */
  async close(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  async #post(record: RequestRecord): Promise<void> {
    try {
      const response = await fetch(this.#url, {
        method: "POST",
        headers: this.#headers,
        body: JSON.stringify(spansOf(record, this.#service)),
        redirect: "error",
        signal: AbortSignal.timeout(sendMs),
      });
      await response.body?.cancel();
      if (!response.ok) log("info", `spans were refused: ${response.status} from ${this.host}`);
    } catch (error) {
      log("info", `spans were not sent to ${this.host}: ${messageOf(error)}`);
    }
  }
}

/** The providers' names in the conventions. */
const providerNames: Readonly<Record<string, string>> = {
  gemini: "gcp.gemini",
  bedrock: "aws.bedrock",
};

/** OTLP's kinds of spans. */
const kinds = { internal: 1, client: 3 } as const;

interface Span {
  readonly name: string;
  readonly kind: keyof typeof kinds;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly isError: boolean;
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
}

/** The body of an OTLP request. */
function spansOf(record: RequestRecord, service: string): object {
  const traceId = hex(16);
  const rootId = hex(8);
  const [provider = "", ...model] = record.model.split("/");
  const common = {
    "gen_ai.provider.name": providerNames[provider] ?? provider,
    "gen_ai.request.model": model.join("/"),
  };
  const written = (span: Span, spanId: string, parentSpanId?: string) => ({
    traceId,
    spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name: span.name,
    kind: kinds[span.kind],
    startTimeUnixNano: nanoseconds(span.startedAt),
    endTimeUnixNano: nanoseconds(span.startedAt + span.durationMs),
    attributes: attributesOf(span.attributes),
    status: { code: span.isError ? 2 : 1 },
  });
  const { response } = record;
  const root = written({
    name: `invoke_agent ${record.agentName}`,
    kind: "internal",
    startedAt: record.startedAt,
    durationMs: record.durationMs,
    isError: response.error !== undefined,
    attributes: {
      ...common,
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.id": record.agentId,
      "gen_ai.agent.name": record.agentName,
      "gen_ai.conversation.id": record.requestId,
      "gen_ai.usage.input_tokens": response.usage.inputTokens,
      "gen_ai.usage.output_tokens": response.usage.outputTokens,
    },
  }, rootId);
  const children = record.steps.flatMap((step) => [
    written(
      {
        name: `chat ${common["gen_ai.request.model"]}`,
        kind: "client",
        // The tools of a step run after the model has answered
        startedAt: step.startedAt,
        durationMs: modelMs(step),
        isError: false,
        attributes: {
          ...common,
          "gen_ai.operation.name": "chat",
          "gen_ai.usage.input_tokens": step.usage.inputTokens,
          "gen_ai.usage.output_tokens": step.usage.outputTokens,
        },
      },
      hex(8),
      rootId,
    ),
    ...step.calls.map((call) =>
      written(
        {
          name: `execute_tool ${call.tool}`,
          kind: "internal",
          startedAt: call.startedAt,
          durationMs: call.durationMs,
          isError: call.isError,
          attributes: { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": call.tool },
        },
        hex(8),
        rootId,
      )
    ),
  ]);
  return {
    resourceSpans: [{
      resource: {
        attributes: attributesOf({ "service.name": service, "service.version": version }),
      },
      scopeSpans: [{ scope: { name: "climax", version }, spans: [root, ...children] }],
    }],
  };
}

function modelMs({ startedAt, durationMs, calls }: RequestRecord["steps"][number]): number {
  const first = Math.min(...calls.map((call) => call.startedAt));
  return Number.isFinite(first) ? Math.max(0, first - startedAt) : durationMs;
}

function attributesOf(values: Span["attributes"]): object[] {
  return Object.entries(values).filter(([, value]) => value !== undefined).map(([key, value]) => ({
    key,
    value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value },
  }));
}

function nanoseconds(milliseconds: number): string {
  return `${Math.round(milliseconds)}000000`;
}

function hex(bytes: number): string {
  return crypto.getRandomValues(new Uint8Array(bytes)).toHex();
}
