/**
 * One request to a sub-agent: a language model works over the group's tools until it answers or its
 * budget ends. Whatever happens ends in a {@linkcode RequestRecord}.
 */

import { monotonicNow } from "../process/monotonic.ts";
import "./llm/quiet_sdk.ts";
import { generateText, isStepCount, type LanguageModel, wrapLanguageModel } from "ai";
import type { ToolIndex } from "../catalog/tool_index.ts";
import { modelFailure } from "./llm/failure.ts";
import { excerpt } from "../text/excerpt.ts";
import { excessOf, scanMessage } from "../text/message_scan.ts";
import type { CallResult } from "../tool/result.ts";
import type { PlanOptions } from "../tool/runner.ts";
import { type AgentBudget, concurrentToolCalls, maxToolCalls } from "./budget.ts";
import type { ToolGroup } from "./groups.ts";
import { type AgentEnding, endingOf, tokensOf, totalOf, withWork } from "./_ending.ts";
import { instructionsFor, promptFor } from "./_prompt.ts";
import { recordOf } from "./_step.ts";
import type { AgentRequest } from "./request.ts";
import type { AgentResponse, RequestRecord, StepRecord } from "./response.ts";
import { Workbench } from "./workbench.ts";

/**
 * Times a request to the model is repeated that the provider could not take. The pauses double from
 * 2 s, so that it is the time budget that ends them.
 */
const maxRetries = 8;

/** What a sub-agent works with. */
export interface AgentWork {
  readonly group: ToolGroup;
  /** The group's tools and no others, as they are when it begins. */
  readonly index: ToolIndex;
  readonly model: Exclude<LanguageModel, string>;
  readonly modelName: string;
  readonly budget: AgentBudget;
  readonly call: (tool: string, args: unknown, options: PlanOptions) => Promise<CallResult>;
  /** Takes out of a text what must not leave. */
  readonly redact: (text: string) => string;
}

/** Works on `request`; never rejects. */
export async function work(
  request: AgentRequest,
  agent: AgentWork,
  options: PlanOptions,
): Promise<RequestRecord> {
  const startedAt = monotonicNow();
  const started = performance.now();
  const loop = new Loop(request, agent, options);
  const ending = await loop.run();
  const { group, modelName, redact } = agent;
  const { steps } = loop;
  const response: AgentResponse = {
    requestId: request.requestId,
    agentId: group.id,
    ...(ending.error === undefined
      ? { result: redact(ending.text) }
      : { error: redact(withWork({ ...ending, error: ending.error }, steps)) }),
    toolsUsed: loop.toolsUsed,
    timestamp: new Date().toISOString(),
    usage: totalOf(steps),
    // One that was interrupted has not answered
    steps: steps.filter(({ finishReason }) => finishReason !== interrupted).length,
  };
  const durationMs = Math.round(performance.now() - started);
  const { id: agentId, name: agentName } = group;
  return {
    ...request,
    agentId,
    agentName,
    model: modelName,
    startedAt,
    durationMs,
    steps,
    response,
  };
}

/** How the step ended that was under way when the request did. */
const interrupted = "interrupted";

/** The model and its tools at work on one request. */
class Loop {
  readonly steps: StepRecord[] = [];
  readonly #request: AgentRequest;
  readonly #agent: AgentWork;
  readonly #cancel: AbortSignal | undefined;
  readonly #timeout: AbortSignal;
  readonly #signal: AbortSignal;
  readonly #news: ((message: string) => void) | undefined;
  /** Random marker around data, unknown to the author of the data. */
  readonly #mark = crypto.randomUUID().slice(0, 8);
  readonly #workbench: Workbench;
  #stepStartedAt = monotonicNow();
  /** The reason why the model was asked again, should that be what took the time. */
  #lastFailure: unknown;

  constructor(request: AgentRequest, agent: AgentWork, options: PlanOptions) {
    this.#request = request;
    this.#agent = agent;
    this.#cancel = options.signal;
    this.#timeout = AbortSignal.timeout(agent.budget.timeoutMs);
    this.#signal = this.#cancel ? AbortSignal.any([this.#cancel, this.#timeout]) : this.#timeout;
    this.#news = newsOf(options);
    this.#workbench = this.#openWorkbench(options);
  }

  /** Names of the tools that were called. */
  get toolsUsed(): readonly string[] {
    return this.#workbench.used;
  }

  /** Works until there is an answer, or a reason why there is none. */
  async run(): Promise<AgentEnding> {
    try {
      const { text, finishReason } = await this.#generate();
      return endingOf({ text, finishReason }, this.steps, this.#agent.budget);
    } catch (error) {
      // Tools that were told to end have not ended yet
      await this.#workbench.settled();
      const calls = this.#workbench.takeRecords();
      if (calls.length > 0) this.steps.push({ ...this.#brokenStep(), calls });
      return { error: this.#reasonFor(error), text: this.steps.at(-1)?.text ?? "" };
    }
  }

  #generate() {
    const { group, budget, modelName, redact } = this.#agent;
    return generateText({
      model: this.#watchedModel(),
      instructions: instructionsFor(group, budget, this.#mark),
      prompt: promptFor(this.#request, this.#mark, redact),
      tools: this.#workbench.toolSet(),
      toolCallConcurrency: concurrentToolCalls,
      stopWhen: [
        isStepCount(budget.maxSteps),
        () => tokensOf(totalOf(this.steps)) >= budget.maxTokens,
      ],
      abortSignal: this.#signal,
      maxRetries,
      telemetry: { isEnabled: false },
      // A model that answers with addresses does not make us fetch them
      experimental_download: (files) => Promise.resolve(files.map(() => null)),
      onStepStart: ({ stepNumber }) => {
        this.#stepStartedAt = monotonicNow();
        this.#news?.(`step ${stepNumber + 1}: asking ${modelName}`);
      },
      onStepEnd: (step) => {
        this.steps.push(recordOf(step, this.#stepStartedAt, this.#workbench));
      },
    });
  }

  #watchedModel(): LanguageModel {
    return wrapLanguageModel({
      model: this.#agent.model,
      middleware: {
        specificationVersion: "v4",
        wrapGenerate: async ({ doGenerate }) => {
          try {
            const answer = await doGenerate();
            refuseExcess(answer.content);
            return answer;
          } catch (error) {
            if (!this.#signal.aborted) this.#lastFailure = error;
            throw error;
          }
        },
      },
    });
  }

  #openWorkbench(options: PlanOptions): Workbench {
    const { index, call, redact } = this.#agent;
    const news = this.#news;
    return new Workbench({
      index,
      mark: this.#mark,
      redact,
      onCall: (tool) => news?.(`running ${tool}`),
      call: (tool, args) => {
        const onProgress = news && (({ message = "still running" }: { message?: string }) => {
          news(`${tool}: ${message}`);
        });
        return call(tool, args, { ...options, signal: this.#signal, onProgress });
      },
    });
  }

  #reasonFor(error: unknown): string {
    const { modelName, budget: { timeoutMs } } = this.#agent;
    if (this.#cancel?.aborted) return "The request was cancelled";
    if (!this.#timeout.aborted) return modelFailure(error, modelName).message;
    const reason = `Time limit of the request reached: ${timeoutMs / 1000} s (--timeout)`;
    if (this.#lastFailure === undefined) return reason;
    return `${reason}. ${modelFailure(this.#lastFailure, modelName).message}`;
  }

  #brokenStep(): Omit<StepRecord, "calls"> {
    return {
      text: "",
      finishReason: interrupted,
      usage: { inputTokens: 0, outputTokens: 0 },
      startedAt: this.#stepStartedAt,
      durationMs: monotonicNow() - this.#stepStartedAt,
    };
  }
}

type Answer = Awaited<ReturnType<AgentWork["model"]["doGenerate"]>>;

/**
 * Each call would be answered and sent back to the model, refused ones too, and the arguments of each, a
 * text so far, would be parsed. @throws {Error}
 */
function refuseExcess(content: Answer["content"]): void {
  const inputs = content.flatMap((part) => part.type === "tool-call" ? [part.input] : []);
  const { length } = inputs;
  if (length > maxToolCalls) {
    throw new Error(`The answer asks for ${length} calls, expected at most ${maxToolCalls}`);
  }
  const excess = inputs
    .map((input) => excessOf(scanMessage(new TextEncoder().encode(input))))
    .find((excess) => excess !== undefined);
  if (excess !== undefined) throw new Error(`The arguments of a call have ${excess}`);
}

/** Passes a message on as the next event, if there is a listener. */
function newsOf({ onProgress }: PlanOptions): ((message: string) => void) | undefined {
  if (onProgress === undefined) return undefined;
  let progress = 0;
  return (message) => onProgress({ progress: ++progress, message: excerpt(message, 200) });
}
