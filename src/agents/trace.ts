/** Records requests to sub-agents as spans, without prompts or outputs, by OpenTelemetry's GenAI conventions (1.37). */

import { type Attributes, context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { version } from "../process/build_info.ts";
import type { RequestRecord, StepRecord } from "./request.ts";

/** Some providers have another name in the conventions than in climax. */
const providerNames: Readonly<Record<string, string>> = {
  gemini: "gcp.gemini",
  bedrock: "aws.bedrock",
};

interface Span {
  readonly name: string;
  readonly kind?: SpanKind;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly isError: boolean;
  readonly attributes: Attributes;
}

export function recordSpans(record: RequestRecord): void {
  const [provider = "", ...model] = record.model.split("/");
  const common = {
    "gen_ai.provider.name": providerNames[provider] ?? provider,
    "gen_ai.request.model": model.join("/"),
  };
  const { usage, error } = record.response;
  const above = recordSpan({
    ...record,
    name: `invoke_agent ${record.agentName}`,
    isError: error !== undefined,
    attributes: {
      ...common,
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.id": record.agentId,
      "gen_ai.agent.name": record.agentName,
      "gen_ai.conversation.id": record.requestId,
      "gen_ai.usage.input_tokens": usage.inputTokens,
      "gen_ai.usage.output_tokens": usage.outputTokens,
    },
  });
  for (const step of record.steps) {
    recordSpan({
      name: `chat ${common["gen_ai.request.model"]}`,
      kind: SpanKind.CLIENT,
      startedAt: step.startedAt,
      durationMs: modelMs(step),
      isError: false,
      attributes: {
        ...common,
        "gen_ai.operation.name": "chat",
        "gen_ai.usage.input_tokens": step.usage.inputTokens,
        "gen_ai.usage.output_tokens": step.usage.outputTokens,
      },
    }, above);
    for (const call of step.calls) {
      const attributes = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": call.tool };
      recordSpan({ ...call, name: `execute_tool ${call.tool}`, attributes }, above);
    }
  }
}

function recordSpan(
  { name, kind = SpanKind.INTERNAL, startedAt, durationMs, isError, attributes }: Span,
  above = context.active(),
): typeof above {
  const settings = { kind, startTime: startedAt, attributes };
  const span = trace.getTracer("climax", version).startSpan(name, settings, above);
  span.setStatus({ code: isError ? SpanStatusCode.ERROR : SpanStatusCode.OK });
  span.end(startedAt + durationMs);
  return trace.setSpan(above, span);
}

/** The model has answered when the first call begins, since calls run after the answer. */
function modelMs({ startedAt, durationMs, calls }: StepRecord): number {
  const first = Math.min(...calls.map((call) => call.startedAt));
  return Number.isFinite(first) ? Math.max(0, first - startedAt) : durationMs;
}
