/** Runs one request to a sub-agent within its budget. */

import "./llm/quiet_sdk.ts";
import rulesTemplate from "./prompts/sub_agent.md" with { type: "text" };
import { abortAfter, type Clock } from "../async/clock.ts";
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
  type AgentUsage,
  concurrentToolCalls,
  endingOf,
  maxToolCalls,
  tokenUsage,
  withWork,
} from "./request.ts";
import type { ToolGroup } from "./groups.ts";
import { Workbench } from "./workbench.ts";
import { estimateTokens } from "../text/tokens.ts";
import { ownProperty } from "../text/own_property.ts";

/** A failed request to the model is repeated at most this many times; the pauses double, beginning with 2 s. */
const maxRetries = 8;

interface AgentWork {
  readonly group: ToolGroup;
  readonly index: ToolTable;
  readonly model: Exclude<LanguageModel, string>;
  readonly modelName: string;
  readonly budget: AgentBudget;
  readonly clock: Clock;
  readonly call: (tool: string, args: unknown, options: PlanOptions) => Promise<CallResult>;
  readonly redact: (text: string) => string;
}

export async function work(
  request: AgentRequest,
  agent: AgentWork,
  options: PlanOptions,
): Promise<AgentResponse> {
  const { group, redact } = agent;
  const loop = new Loop(request, agent, options);
  const { text, error } = await loop.run();
  const { calls, used } = loop.workbench;
  return {
    requestId: request.requestId,
    agentId: group.id,
    ...error === undefined
      ? { result: redact(text) }
      : { error: redact(withWork({ text, error }, calls)) },
    toolsUsed: [...used],
    timestamp: new Date().toISOString(),
    usage: loop.usage,
    steps: loop.steps,
  };
}

class Loop {
  readonly workbench: Workbench;
  usage: AgentUsage = tokenUsage();
  steps = 0;
  readonly #request: AgentRequest;
  readonly #agent: AgentWork;
  readonly #cancel: AbortSignal | undefined;
  readonly #timeout: ReturnType<typeof abortAfter>;
  readonly #signal: AbortSignal;
  readonly #report: ((message: string) => void) | undefined;
  readonly #mark = crypto.randomUUID().slice(0, 8);
  #lastText = "";
  #spentTokens = 0;
  /** The last error of a repeated request, to be reported if the repetitions use up the time. */
  #lastFailure: unknown;

  constructor(request: AgentRequest, agent: AgentWork, options: PlanOptions) {
    this.#request = request;
    this.#agent = agent;
    this.#cancel = options.signal;
    this.#timeout = abortAfter(agent.clock, agent.budget.timeoutMs);
    this.#signal = AbortSignal.any([this.#timeout.signal, ...this.#cancel ? [this.#cancel] : []]);
    this.#report = newsOf(options);
    this.workbench = this.#openWorkbench(options);
  }

  async run(): Promise<AgentEnding> {
    try {
      const { text, finishReason } = await this.#generate();
      const ending = { text, finishReason, tokens: this.#spentTokens, steps: this.steps };
      return endingOf(ending, this.#agent.budget);
    } catch (error) {
      await this.workbench.settle();
      return { error: this.#reasonFor(error), text: this.#lastText };
    } finally {
      this.#timeout.cancel();
    }
  }

  #generate() {
    const { group, budget, modelName, redact } = this.#agent;
    return generateText({
      model: this.#watchModel(),
      instructions: instructionsFor(group, budget, this.#mark),
      prompt: promptFor(this.#request, this.#mark, redact),
      tools: this.workbench.toolSet(),
      toolCallConcurrency: concurrentToolCalls,
      stopWhen: [isStepCount(budget.maxSteps), () => this.#spentTokens >= budget.maxTokens],
      abortSignal: this.#signal,
      maxRetries,
      telemetry: { isEnabled: false },
      // Without this function, the AI SDK would fetch URLs of files in messages, which the model can choose
      experimental_download: (files) => Promise.resolve(files.map(() => null)),
      onStepStart: ({ stepNumber }) => {
        this.#report?.(`step ${stepNumber + 1}: asking ${modelName}`);
      },
      onStepEnd: (step) => this.#count(step),
    });
  }

  #count({ text, usage, toolCalls }: StepResult<ToolSet>): void {
    const { inputTokens = 0, outputTokens = 0 } = usage;
    this.steps++;
    this.#lastText = text;
    this.usage = {
      inputTokens: this.usage.inputTokens + Math.max(0, inputTokens),
      outputTokens: this.usage.outputTokens + Math.max(0, outputTokens),
    };
    // The AI SDK does not run calls with invalid arguments, so they are recorded here
    const broken = toolCalls.filter(({ invalid }) => invalid === true);
    this.workbench.calls.push(...broken.map(({ toolName }) => ({ tool: toolName, isError: true })));
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
    const { index, call, redact } = this.#agent;
    const report = this.#report;
    return new Workbench({
      index,
      mark: this.#mark,
      redact,
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
    if (!this.#timeout.signal.aborted) return modelFailure(error, modelName);
    const reason = `Time limit of the request reached: ${timeoutMs / 1000} s (--timeout)`;
    if (this.#lastFailure === undefined) return reason;
    return `${reason}. ${modelFailure(this.#lastFailure, modelName)}`;
  }
}

type Answer = Awaited<ReturnType<AgentWork["model"]["doGenerate"]>>;

/** Refuses an answer with too many or too large calls, since even a refused call costs tokens. @throws {Error} */
function refuseExcess(content: Answer["content"]): void {
  const calls = content.filter((part) => part.type === "tool-call");
  if (calls.length > maxToolCalls) {
    throw new Error(`The answer asks for ${calls.length} calls, expected at most ${maxToolCalls}`);
  }
  for (const { input } of calls) {
    const excess = excessOf(scanMessage(new TextEncoder().encode(input)));
    if (excess !== undefined) throw new Error(`The arguments of a call have ${excess}`);
  }
}

function newsOf({ onProgress }: PlanOptions): ((message: string) => void) | undefined {
  if (onProgress === undefined) return undefined;
  let progress = 0;
  return (message) => onProgress({ progress: ++progress, message: excerpt(message, 200) });
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

export function tokensOfExchange({ prompt, content, usage }: Exchange): number {
  return Math.max(tokenCount(usage.inputTokens), estimateOf(prompt)) +
    Math.max(tokenCount(usage.outputTokens), estimateOf(content));
}

function tokenCount(counted: unknown): number {
  const total = typeof counted === "number" ? counted : ownProperty(counted, "total");
  return Number.isFinite(total) ? total as number : 0;
}

function estimateOf(value: unknown): number {
  if (typeof value === "string") return estimateTokens(value);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return 0;
  return Object.values(value).reduce((sum, inner) => sum + estimateOf(inner), 0);
}
