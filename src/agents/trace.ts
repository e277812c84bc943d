/**
 * Writes down requests to sub-agents: traces, for each a JSON file with every step, which only its owner can read, and
 * spans without contents, by the GenAI conventions of OpenTelemetry (1.37).
 */

import { type Attributes, context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { join } from "node:path";
import { systemPath } from "../io.ts";
import { FileError, messageOf } from "../errors.ts";
import { log } from "../log.ts";
import { version } from "../process/build_info.ts";
import type { RequestRecord, StepRecord } from "./request.ts";

/** Writes the trace of a request; `redact` removes secrets. A failure is logged. */
export type WriteTrace = (
  record: RequestRecord,
  redact: (text: string) => string,
) => Promise<void>;

/** Makes `directory`, and a function that writes traces into it. @throws {ClimaxError} if that fails */
export async function openTraces(directory: string): Promise<WriteTrace> {
  try {
    await Deno.mkdir(systemPath(directory), { recursive: true, mode: 0o700 });
  } catch (error) {
    const message = `The directory for traces cannot be made: ${messageOf(error)}`;
    throw new FileError("No traces can be written", { file: directory, message });
  }
  return async (record, redact) => {
    const time = new Date(record.startedAt).toISOString().replaceAll(/[:.]/g, "-");
    const path = join(directory, `${time}-${record.requestId}.json`);
    const text = `${redact(JSON.stringify(readable(record), null, 2))}\n`;
    try {
      await Deno.writeTextFile(systemPath(path), text, { createNew: true, mode: 0o600 });
    } catch (error) {
      log("error", `trace '${path}' cannot be written: ${messageOf(error)}`);
    }
  };
}

function readable({ startedAt, steps, ...rest }: RequestRecord): object {
  const withTime = <T extends { startedAt: number }>({ startedAt, ...each }: T) => {
    return { startedAt: new Date(startedAt).toISOString(), ...each };
  };
  return {
    ...withTime({ startedAt, ...rest }),
    steps: steps.map(({ calls, ...step }) => ({ ...withTime(step), calls: calls.map(withTime) })),
  };
}

/** Names of providers in the conventions, where they are others than here. */
const providerNames: Readonly<Record<string, string>> = {
  gemini: "gcp.gemini",
  bedrock: "aws.bedrock",
};

interface Span {
  readonly name: string;
  /** @default SpanKind.INTERNAL */
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

/** Records a span, and returns the context for its children. */
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

/** Returns how long the model took to answer. Tools run after that. */
function modelMs({ startedAt, durationMs, calls }: StepRecord): number {
  const first = Math.min(...calls.map((call) => call.startedAt));
  return Number.isFinite(first) ? Math.max(0, first - startedAt) : durationMs;
}
