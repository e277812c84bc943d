/** START HERE for sub-agents: makes a catalogue of agents from groups, with the runner that plans requests to them. */

import { type CallContext, callContext, narrowContext } from "../call/context.ts";
import { Catalog } from "../catalog/catalog.ts";
import { ToolTable } from "../catalog/tool_table.ts";
import { ClimaxError, formatProblem, type Problem } from "../errors.ts";
import type { GroupsFile } from "./groups.ts";
import { agentKind, agentSourceOf, agentTools, toolsOfGroup } from "./tools.ts";
import { type Clock, systemClock } from "../async/clock.ts";
import type { LanguageModel } from "ai";
import { call } from "../call/call.ts";
import { redact } from "./llm/credential.ts";
import type { Credential } from "./llm/lookup.ts";
import { defaultEndpoints, type LlmSettings, modelName } from "./llm/settings.ts";
import { log } from "../log.ts";
import { excerpt } from "../text/excerpt.ts";
import { type CallResult, textResult } from "../tool/result.ts";
import {
  argumentStage,
  type Permissions,
  type Plan,
  type PlanOptions,
  type Refusal,
  type Runner,
} from "../tool/runner.ts";
import type { ArgValues, Tool } from "../tool/tool.ts";
import {
  type AgentBudget,
  type AgentRequest,
  type AgentResponse,
  maxPromptLength,
  type RequestRecord,
} from "./request.ts";
import type { WriteTrace } from "./trace.ts";

/** Sub-agents as tools of a catalogue of their own. The caller closes the runner. */
export interface Agents {
  /** Shares only the audit log with the other catalogue. */
  readonly context: CallContext;
  readonly runner: Runner;
  readonly warnings: readonly Problem[];
}

/** Makes each group of `groups`, from the file `file`, a sub-agent. The agents follow changes of the catalogue. */
export function openAgents(groups: GroupsFile, file: string, options: AgentRunnerOptions): Agents {
  const { context: { catalog: whole, audit }, budget: { timeoutMs } } = options;
  const make = () => agentTools(groups, whole.index, { file, timeoutMs });
  const { tools, warnings } = make();
  const runner = agentRunner(options);
  const catalog = Catalog.of(new ToolTable(tools));
  whole.subscribe(() => catalog.replace(new ToolTable(make().tools)));
  const context = callContext(catalog, { runners: new Map([[agentKind, runner]]), audit });
  return { context, runner, warnings };
}

/** Most characters of a request in logs. */
const shownLength = 200;

interface AgentRunnerOptions {
  /** The whole catalogue; a sub-agent gets that of its group. */
  readonly context: CallContext;
  readonly settings: LlmSettings;
  readonly credential: Credential;
  readonly environment: (name: string) => string | undefined;
  readonly budget: AgentBudget;
  readonly writeTrace?: WriteTrace | undefined;
  /** Absent: no spans are recorded. */
  readonly recordSpans?: ((record: RequestRecord) => void) | undefined;
  /** @default {@linkcode systemClock} */
  readonly clock?: Clock | undefined;
}

function agentRunner(options: AgentRunnerOptions): Runner {
  const { settings, credential, environment } = options;
  let opening: ReturnType<AnswerOptions["openModel"]> | undefined;
  const loadModel = async () => {
    const { openModel } = await import("./llm/model.ts");
    return await openModel(settings, credential, environment);
  };
  /** A failure is tried again. */
  const openModel = () =>
    opening ??= loadModel().catch((error) => {
      opening = undefined;
      throw error;
    });
  return {
    prepare: (tool, values) =>
      prepare(tool, values, {
        redact: (text) => redact(options.credential, text),
        run: (request, planOptions) => {
          return answer(tool, request, { ...options, openModel }, planOptions);
        },
      }),
    permissions: () => Promise.resolve(needsOf(settings)),
  };
}

function prepare(
  tool: Tool,
  values: ArgValues,
  { redact: hide, run }: {
    readonly redact: (text: string) => string;
    readonly run: (request: AgentRequest, options: PlanOptions) => Promise<CallResult>;
  },
): Plan | Refusal {
  const prompt = String(values.get("prompt") ?? "");
  const context = values.get("context");
  const reasons: string[] = [];
  if (prompt.trim() === "") reasons.push("Argument 'prompt' is empty: expected a request in words");
  if (prompt.length > maxPromptLength) {
    reasons.push(`Argument 'prompt' is over ${maxPromptLength} characters`);
  }
  if (context !== undefined && (typeof context !== "object" || Array.isArray(context))) {
    reasons.push("Argument 'context': expected an object");
  }
  if (JSON.stringify(context ?? {}).length > maxPromptLength) {
    reasons.push(`Argument 'context' is over ${maxPromptLength} characters`);
  }
  if (reasons.length > 0) return { ok: false, stage: argumentStage, reasons, rule: "arguments" };
  const requestId = crypto.randomUUID();
  // The key is in no log, even if the prompt has it
  const shortPrompt = excerpt(hide(prompt), shownLength);
  const shownContext = context === undefined
    ? {}
    : { context: JSON.parse(hide(JSON.stringify(context))) };
  return {
    ok: true,
    preview: {
      record: { request_id: requestId, prompt: shortPrompt },
      details: { group: agentSourceOf(tool).group.id, ...shownContext },
      generated: requestId,
      line: `${tool.name}: ${shortPrompt}`,
    },
    // It waits for its tools, which need permits: with a permit of its own it might wait for itself
    needsPermit: false,
    run: (options) =>
      run({ requestId, prompt, ...(context === undefined ? {} : { context }) }, options),
  };
}

interface AnswerOptions extends AgentRunnerOptions {
  readonly openModel: () => Promise<Exclude<LanguageModel, string>>;
}

async function answer(tool: Tool, request: AgentRequest, own: AnswerOptions, options: PlanOptions) {
  const { context, settings, credential, budget, openModel, writeTrace, recordSpans } = own;
  const { group } = agentSourceOf(tool);
  const hide = (text: string) => redact(credential, text);
  const client = `${tool.name}, request ${request.requestId}`;
  let model: Awaited<ReturnType<typeof openModel>>;
  try {
    model = await openModel();
  } catch (error) {
    if (!(error instanceof ClimaxError)) throw error;
    const reasons = error.problems.map(formatProblem).map(hide);
    return textResult([`${error.message}:`, ...reasons].join("\n"), true);
  }
  const { work } = await import("./loop.ts");
  // Configs that are reloaded meanwhile apply to its next calls
  const { context: scoped, stop } = narrowContext(context, {
    make: (index) => new ToolTable(toolsOfGroup(group, index)),
    // No client would read its background jobs
    background: undefined,
    redact: hide,
  });
  const record = await work(request, {
    group,
    index: scoped.index,
    model,
    modelName: modelName(settings),
    budget,
    clock: own.clock ?? systemClock,
    redact: hide,
    call: (name, args, each) => call(scoped, { tool: name, args }, { ...each, client }),
  }, options).finally(stop);
  await writeTrace?.(record, hide);
  recordSpans?.(record);
  log("info", `${client}: ${record.steps.length} steps in ${record.durationMs} ms`);
  return resultOf(record.response);
}

function resultOf(response: AgentResponse): CallResult {
  const { result, error } = response;
  return {
    content: [{ type: "text", text: result ?? error ?? "" }],
    structured: { ...response },
    isError: error !== undefined,
    record: { ending: error === undefined ? "answered" : "no answer" },
  };
}

function needsOf({ type, endpointOverride }: LlmSettings): Permissions {
  const endpoint = endpointOverride ?? defaultEndpoints[type];
  // The host of Bedrock depends on a region that is not known yet
  if (endpoint === undefined) return { net: "all" };
  return { net: [new URL(endpoint).host] };
}
