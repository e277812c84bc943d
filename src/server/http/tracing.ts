/** Records spans of calls as children of their callers' spans; Deno exports them (`OTEL_DENO=true`). */

import { context, propagation, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { version } from "../../process/build_info.ts";
import type { CallResult } from "../../tool/result.ts";
import type { CallTrace } from "../../tool/runner.ts";
import type { TraceParent } from "../requests.ts";

export async function traceRequest(
  name: string,
  parent: TraceParent,
  run: (trace: CallTrace) => Promise<CallResult>,
): Promise<CallResult> {
  const tracer = trace.getTracer("climax", version);
  const above = propagation.extract(context.active(), { ...parent });
  const attributes = { "mcp.method.name": "tools/call", "gen_ai.tool.name": name };
  const settings = { kind: SpanKind.SERVER, attributes };
  return await tracer.startActiveSpan(`tools/call ${name}`, settings, above, async (span) => {
    try {
      const result = await run(span.spanContext());
      if (result.isError) span.setStatus({ code: SpanStatusCode.ERROR });
      return result;
    } finally {
      span.end();
    }
  });
}
