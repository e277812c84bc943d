/** Runs one request to a sub-agent within its budget, and records its steps in a {@linkcode RequestRecord}. */

import "./llm/quiet_sdk.ts";
import rulesTemplate from "./prompts/sub_agent.md" with { type: "text" };
import { abortAfter, type CancelTimer, type Clock } from "../async/clock.ts";
import {
  generateText,
  isStepCount,
  type LanguageModel,
  type StepResult,
  type ToolSet,
  wrapLanguageModel,
} from "ai";
import type { ToolTable } from "../catalog/tool_table.ts";
import { modelFailure } from "./llm/model.ts";
import { excerpt } from "../text/excerpt.ts";
import { excessOf, scanMessage } from "../text/message_scan.ts";
import type { CallResult } from "../tool/result.ts";
import type { PlanOptions } from "../tool/runner.ts";
import {
  type AgentBudget,
  type AgentEnding,
  type AgentRequest,
  type AgentResponse,
  concurrentToolCalls,
  endingOf,
  maxToolCalls,
  type RequestRecord,
  type StepRecord,
  tokenUsage,
  totalOf,
  withWork,
} from "./request.ts";
import type { ToolGroup } from "./groups.ts";
import { Workbench } from "./workbench.ts";
import { estimateTokens } from "../text/tokens.ts";

/** A failed request to the model is repeated at most so often; as pauses double from 2 s, the budget ends it first. */
const maxRetries = 8;

interface AgentWork {
  readonly group: ToolGroup;
  /** The tools of the group when the request began. */
  readonly index: ToolTable;
  readonly model: Exclude<LanguageModel, string>;
  readonly modelName: string;
  readonly budget: AgentBudget;
  readonly clock: Clock;
  readonly call: (tool: string, args: unknown, options: PlanOptions) => Promise<CallResult>;
  readonly redact: (text: string) => string;
}

/** Works on a request until it ends, by an answer or an error. Never rejects. */
export async function work(
  request: AgentRequest,
  agent: AgentWork,
  options: PlanOptions,
): Promise<RequestRecord> {
  const { group, modelName, redact, clock } = agent;
  const startedAt = clock.now();
  const loop = new Loop(request, agent, options);
  const ending = await loop.run();
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
    // An interrupted step has no answer of the model, so it does not count
    steps: steps.filter(({ finishReason }) => finishReason !== interrupted).length,
  };
  const durationMs = clock.now() - startedAt;
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

/** The `finishReason` of a step during which the request ended. */
const interrupted = "interrupted";

class Loop {
  readonly steps: StepRecord[] = [];
  readonly #request: AgentRequest;
  readonly #agent: AgentWork;
  readonly #cancel: AbortSignal | undefined;
  readonly #timeout: AbortSignal;
  readonly #cancelTimeout: CancelTimer;
  readonly #signal: AbortSignal;
  readonly #report: ((message: string) => void) | undefined;
  /** A random marker around outputs and other data, which their authors cannot imitate. */
  readonly #mark = crypto.randomUUID().slice(0, 8);
  readonly #workbench: Workbench;
  #stepStartedAt: number;
  /** The tokens that the provider has counted, or an estimate if that is more: a count may be missing or wrong. */
  #spentTokens = 0;
  /** The last error of a repeated request, to be reported if the repetitions use up the time. */
  #lastFailure: unknown;

  constructor(request: AgentRequest, agent: AgentWork, options: PlanOptions) {
    this.#request = request;
    this.#agent = agent;
    this.#cancel = options.signal;
    this.#stepStartedAt = agent.clock.now();
    const { signal: timeout, cancel } = abortAfter(agent.clock, agent.budget.timeoutMs);
    this.#timeout = timeout;
    this.#cancelTimeout = cancel;
    this.#signal = this.#cancel ? AbortSignal.any([this.#cancel, this.#timeout]) : this.#timeout;
    this.#report = newsOf(options);
    this.#workbench = this.#openWorkbench(options);
  }

  get toolsUsed(): readonly string[] {
    return this.#workbench.used;
  }

  async run(): Promise<AgentEnding> {
    try {
      const { text, finishReason } = await this.#generate();
      const ending = { text, finishReason, tokens: this.#spentTokens };
      return endingOf(ending, this.steps, this.#agent.budget);
    } catch (error) {
      // Calls that were cancelled may still be running, and belong to the record
      await this.#workbench.settle();
      const calls = this.#workbench.takeRecords();
      if (calls.length > 0) this.steps.push({ ...this.#recordBrokenStep(), calls });
      return { error: this.#reasonFor(error), text: this.steps.at(-1)?.text ?? "" };
    } finally {
      this.#cancelTimeout();
    }
  }

  #generate() {
    const { group, budget, modelName, redact } = this.#agent;
    return generateText({
      model: this.#watchModel(),
      instructions: instructionsFor(group, budget, this.#mark),
      prompt: promptFor(this.#request, this.#mark, redact),
      tools: this.#workbench.toolSet(),
      toolCallConcurrency: concurrentToolCalls,
      stopWhen: [isStepCount(budget.maxSteps), () => this.#spentTokens >= budget.maxTokens],
      abortSignal: this.#signal,
      maxRetries,
      telemetry: { isEnabled: false },
      // The SDK must not fetch URLs in messages of the model
      experimental_download: (files) => Promise.resolve(files.map(() => null)),
      onStepStart: ({ stepNumber }) => {
        this.#stepStartedAt = this.#agent.clock.now();
        this.#report?.(`step ${stepNumber + 1}: asking ${modelName}`);
      },
      onStepEnd: (step) => {
        this.steps.push(recordOf(step, this.#stepStartedAt, this.#workbench));
      },
    });
  }

  #watchModel(): LanguageModel {
    return wrapLanguageModel({
      model: this.#agent.model,
      middleware: {
        specificationVersion: "v4",
        wrapGenerate: async ({ doGenerate, params }) => {
          try {
            const answer = await doGenerate();
            this.#spentTokens += tokensOfExchange({ ...answer, prompt: params.prompt });
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
    const { index, call, clock, redact } = this.#agent;
    const report = this.#report;
    return new Workbench({
      index,
      mark: this.#mark,
      redact,
      clock,
      onCall: (tool) => report?.(`running ${tool}`),
      call: (tool, args) => {
        const onProgress = report && (({ message = "still running" }: { message?: string }) => {
          report(`${tool}: ${message}`);
        });
        return call(tool, args, { ...options, signal: this.#signal, onProgress });
      },
    });
  }

  #reasonFor(error: unknown): string {
    const { modelName, budget: { timeoutMs } } = this.#agent;
    if (this.#cancel?.aborted) return "The request was cancelled";
    if (!this.#timeout.aborted) return modelFailure(error, modelName);
    const reason = `Time limit of the request reached: ${timeoutMs / 1000} s (--timeout)`;
    if (this.#lastFailure === undefined) return reason;
    return `${reason}. ${modelFailure(this.#lastFailure, modelName)}`;
  }

  #recordBrokenStep(): Omit<StepRecord, "calls"> {
    return {
      text: "",
      finishReason: interrupted,
      usage: tokenUsage(),
      startedAt: this.#stepStartedAt,
      durationMs: this.#agent.clock.now() - this.#stepStartedAt,
    };
  }
}

type Answer = Awaited<ReturnType<AgentWork["model"]["doGenerate"]>>;

/** Refuses an answer with too many or too large calls, since even a refused call costs tokens. @throws {Error} */
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

function newsOf({ onProgress }: PlanOptions): ((message: string) => void) | undefined {
  if (onProgress === undefined) return undefined;
  let progress = 0;
  return (message) => onProgress({ progress: ++progress, message: excerpt(message, 200) });
}

/** Makes the record of a step, with the calls that `workbench` has made since the last record. */
function recordOf(step: StepResult<ToolSet>, startedAt: number, workbench: Workbench): StepRecord {
  const { text, finishReason, usage, toolCalls } = step;
  // The SDK makes no call with invalid arguments, so the record of such a call is added here
  const broken = toolCalls.filter((call) => call.invalid === true).map((call) => {
    return { tool: call.toolName, isError: true, startedAt, durationMs: 0 };
  });
  return {
    text,
    finishReason,
    usage: tokenUsage(usage),
    startedAt,
    durationMs: workbench.clock.now() - startedAt,
    calls: [...workbench.takeRecords(), ...broken],
  };
}

function instructionsFor({ systemPrompt }: ToolGroup, { maxSteps }: AgentBudget, mark: string) {
  const values: Record<string, string> = { maxSteps: String(maxSteps), mark };
  const rules = rulesTemplate.replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole);
  return `${systemPrompt.trim()}\n\n${rules.trim()}`;
}

function promptFor(
  { prompt, context }: AgentRequest,
  mark: string,
  redact: (text: string) => string,
): string {
  if (context === undefined) return redact(prompt);
  const data = JSON.stringify(context, null, 2).replaceAll(mark, "…");
  return redact(`${prompt}\n\n<context-${mark}>\n${data}\n</context-${mark}>`);
}

interface Exchange {
  readonly prompt: unknown;
  readonly content: unknown;
  readonly usage: { readonly inputTokens?: unknown; readonly outputTokens?: unknown };
}

/** Returns the tokens of a request and its answer as the provider counts them, but at least an estimate. */
export function tokensOfExchange({ prompt, content, usage }: Exchange): number {
  return Math.max(tokenCount(usage.inputTokens), estimateOf(prompt)) +
    Math.max(tokenCount(usage.outputTokens), estimateOf(content));
}

function tokenCount(counted: unknown): number {
  const total = typeof counted === "number"
    ? counted
    : (counted as { total?: unknown } | undefined)?.total;
  return typeof total === "number" && Number.isFinite(total) ? total : 0;
}

function estimateOf(value: unknown): number {
  return collectTexts(value).reduce((sum, text) => sum + estimateTokens(text), 0);
}

function collectTexts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return [];
  return Object.values(value).flatMap(collectTexts);
}
