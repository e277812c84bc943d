/**
 * One request to a sub-agent: a language model works over the group's tools until it answers or its
 * budget ends. Whatever happens ends in a {@linkcode RequestRecord}.
 */

import {
  generateText,
  isStepCount,
  type LanguageModel,
  type StepResult,
  type ToolSet,
  wrapLanguageModel,
} from "ai";
import { ToolIndex } from "../../catalog/tool_index.ts";
import { modelFailure } from "../../llm/failure.ts";
import { excerpt } from "../../text/excerpt.ts";
import type { CallResult } from "../../tool/result.ts";
import type { PlanOptions } from "../../tool/runner.ts";
import type { Tool } from "../../tool/tool.ts";
import { type AgentBudget, concurrentToolCalls } from "./budget.ts";
import type { ToolGroup } from "./groups.ts";
import { type Ending, endingOf, tokensOf, totalOf, withWork } from "./_ending.ts";
import { instructionsFor, promptFor } from "./_prompt.ts";
import type { AgentResponse, RequestRecord, StepRecord } from "./response.ts";
import { Workbench } from "./workbench.ts";

/**
 * Times a request to the model is repeated that the provider could not take. The pauses double from
 * 2 s, so that it is the time budget that ends them.
 */
const maxRetries = 8;

/** A request as it came in, names as in the data model (entity 9). */
export interface AgentRequest {
  readonly requestId: string;
  readonly prompt: string;
  readonly context?: unknown;
}

/** What a sub-agent works with. */
export interface AgentWork {
  readonly group: ToolGroup;
  /** The group's tools and no others. */
  readonly tools: readonly Tool[];
  readonly model: Exclude<LanguageModel, string>;
  readonly modelName: string;
  readonly budget: AgentBudget;
  readonly call: (
    index: ToolIndex,
    tool: string,
    args: unknown,
    options: PlanOptions,
  ) => Promise<CallResult>;
  /** Takes out of a text what must not leave. */
  readonly redact: (text: string) => string;
}

/** Works on `request`; never rejects. */
export async function work(
  request: AgentRequest,
  { group, tools, model, modelName, budget, call, redact }: AgentWork,
  options: PlanOptions,
): Promise<RequestRecord> {
  const startedAt = Date.now();
  const started = performance.now();
  const mark = crypto.randomUUID().slice(0, 8);
  const timeout = AbortSignal.timeout(budget.timeoutMs);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  const news = newsOf(options);
  const index = new ToolIndex(tools);
  const workbench = new Workbench({
    index,
    mark,
    redact,
    call: (tool, args) => {
      const onProgress = news && ((event: { message?: string }) => {
        news(`${tool}: ${event.message ?? "still running"}`);
      });
      return call(index, tool, args, { ...options, signal, onProgress });
    },
    onCall: (tool) => news?.(`running ${tool}`),
  });
  const steps: StepRecord[] = [];
  let stepStarted = startedAt;
  let lastFailure: unknown;

  const end = (ending: Ending): RequestRecord => {
    const calls = workbench.takeRecords();
    const usage = totalOf(steps);
    const error = ending.error &&
      redact(withWork(ending.error, [...steps.flatMap((s) => s.calls), ...calls], ending.text));
    const response: AgentResponse = {
      requestId: request.requestId,
      agentId: group.id,
      ...(error === undefined ? { result: redact(ending.text) } : { error }),
      toolsUsed: workbench.used,
      timestamp: new Date().toISOString(),
      usage,
      steps: steps.length,
    };
    const durationMs = Math.round(performance.now() - started);
    return {
      ...request,
      agentId: group.id,
      agentName: group.name,
      model: modelName,
      startedAt,
      durationMs,
      steps,
      response,
    };
  };

  try {
    const result = await generateText({
      model: wrapLanguageModel({
        model,
        middleware: {
          specificationVersion: "v4",
          wrapGenerate: async ({ doGenerate }) => {
            try {
              return await doGenerate();
            } catch (error) {
              if (!signal.aborted) lastFailure = error;
              throw error;
            }
          },
        },
      }),
      instructions: instructionsFor(group, budget, mark),
      prompt: promptFor(request, mark, redact),
      tools: workbench.toolSet(),
      toolCallConcurrency: concurrentToolCalls,
      stopWhen: [isStepCount(budget.maxSteps), () => tokensOf(totalOf(steps)) >= budget.maxTokens],
      abortSignal: signal,
      maxRetries,
      telemetry: { isEnabled: false },
      // A model that answers with addresses does not make us fetch them
      experimental_download: (files) => Promise.resolve(files.map(() => null)),
      onStepStart: ({ stepNumber }) => {
        stepStarted = Date.now();
        news?.(`step ${stepNumber + 1}: asking ${modelName}`);
      },
      onStepEnd: (step) => {
        steps.push(recordOf(step, stepStarted, workbench));
      },
    });
    return end(endingOf(result, steps, budget));
  } catch (error) {
    const text = steps.at(-1)?.text ?? "";
    if (options.signal?.aborted) return end({ error: "The request was cancelled", text });
    if (timeout.aborted) {
      const seconds = budget.timeoutMs / 1000;
      const why = lastFailure === undefined
        ? ""
        : `. ${modelFailure(lastFailure, modelName).message}`;
      return end({
        error: `The time of the request is used up: ${seconds} s (--timeout)${why}`,
        text,
      });
    }
    return end({ error: modelFailure(error, modelName).message, text });
  }
}

function recordOf(
  step: StepResult<ToolSet>,
  startedAt: number,
  workbench: Workbench,
): StepRecord {
  const { text, finishReason, usage, toolCalls } = step;
  // What the model got wrong about a call never came to one
  const broken = toolCalls.filter((call) => call.invalid === true).map((call) => ({
    tool: call.toolName,
    input: call.input,
    isError: true,
    output: `Not called: ${
      call.error instanceof Error ? call.error.message : "the call is malformed"
    }`,
    startedAt,
    durationMs: 0,
  }));
  return {
    text,
    finishReason,
    usage: { inputTokens: usage.inputTokens ?? 0, outputTokens: usage.outputTokens ?? 0 },
    startedAt,
    durationMs: Date.now() - startedAt,
    calls: [...workbench.takeRecords(), ...broken],
  };
}

/** Passes a message on as the next event; nothing when nobody listens. */
function newsOf({ onProgress }: PlanOptions): ((message: string) => void) | undefined {
  if (onProgress === undefined) return undefined;
  let progress = 0;
  return (message) => onProgress({ progress: ++progress, message: excerpt(message, 200) });
}
