/** START HERE for sub-agents: makes a sub-agent of each group of tools, and a runner that plans calls of sub-agents. */

import { type CallContext, callContext, narrowContext } from "../call/context.ts";
import { Catalog } from "../catalog/catalog.ts";
import { ToolTable } from "../catalog/tool_table.ts";
import { ClimaxError, formatProblem, type Problem } from "../errors.ts";
import type { GroupsFile } from "./groups.ts";
import { agentKind, agentSourceOf, agentTools, toolsOfGroup } from "./tools.ts";
import { type Clock, systemClock } from "../async/clock.ts";
import type { LanguageModel } from "ai";
import { call } from "../call/call.ts";
import { CallQueue } from "../call/call_queue.ts";
import { redact } from "./llm/credential.ts";
import type { Environment } from "../files/expand.ts";
import type { Credential } from "./llm/lookup.ts";
import { type LlmSettings, modelName } from "./llm/settings.ts";
import { log } from "../log.ts";
import { excerpt } from "../text/excerpt.ts";
import { plural } from "../text/plural.ts";
import { type CallResult, textResult } from "../tool/result.ts";
import {
  argumentStage,
  type Plan,
  type PlanOptions,
  type Refusal,
  type Runner,
} from "../tool/runner.ts";
import type { ArgValues, Tool } from "../tool/tool.ts";
import { type AgentBudget, type AgentRequest, maxPromptLength } from "./request.ts";

export interface Agents {
  readonly context: CallContext;
  readonly runner: Runner;
  readonly warnings: readonly Problem[];
}

/** Makes a sub-agent of each group, and makes the sub-agents again when the tools in the catalogue change. */
export function openAgents(groups: GroupsFile, file: string, options: AgentRunnerOptions): Agents {
  const { context: { catalog: whole, audit }, budget: { timeoutMs } } = options;
  const make = () => agentTools(groups, whole.index, { file, timeoutMs });
  const { tools, warnings } = make();
  const runner = new AgentRunner(options);
  const catalog = Catalog.of(new ToolTable(tools));
  whole.subscribe(() => catalog.replace(new ToolTable(make().tools)));
  const context = callContext(catalog, { runners: new Map([[agentKind, runner]]), audit });
  return { context, runner, warnings };
}

/** Logs show at most this many characters of a request. */
const shownLength = 200;

interface AgentRunnerOptions {
  readonly context: CallContext;
  readonly settings: LlmSettings;
  readonly credential: Credential;
  readonly environment: Environment;
  readonly budget: AgentBudget;
  readonly clock?: Clock | undefined;
}

class AgentRunner implements Runner {
  readonly #options: AgentRunnerOptions;
  #model: Promise<Exclude<LanguageModel, string>> | undefined;

  constructor(options: AgentRunnerOptions) {
    this.#options = options;
  }

  prepare(tool: Tool, values: ArgValues): Plan | Refusal {
    const prompt = String(values.get("prompt") ?? "");
    const context = values.get("context");
    const given = context === undefined ? {} : { context };
    const isObject = typeof context === "object" && !Array.isArray(context);
    const tooLong = (name: string) => `Argument '${name}' is over ${maxPromptLength} characters`;
    const reasons = [
      prompt.trim() === "" && "Argument 'prompt' is empty: expected a request in words",
      prompt.length > maxPromptLength && tooLong("prompt"),
      context !== undefined && !isObject && "Argument 'context': expected an object",
      JSON.stringify(context ?? {}).length > maxPromptLength && tooLong("context"),
    ].filter((reason) => reason !== false);
    if (reasons.length > 0) return { ok: false, stage: argumentStage, reasons, rule: "arguments" };
    const requestId = crypto.randomUUID();
    // The prompt may contain the key of the model's provider, which must not be logged
    const shown = excerpt(this.#redact(prompt), shownLength);
    return {
      ok: true,
      preview: {
        record: { request_id: requestId, prompt: shown },
        details: {
          group: agentSourceOf(tool).group.id,
          ...JSON.parse(this.#redact(JSON.stringify(given))),
        },
        generated: requestId,
        line: `${tool.name}: ${shown}`,
      },
      // Each call of a sub-agent's tools needs a permit. If the sub-agent held one too, both could wait for ever
      needsPermit: false,
      run: (options) => this.#answer(tool, { requestId, prompt, ...given }, options),
    };
  }

  async #answer(tool: Tool, request: AgentRequest, options: PlanOptions): Promise<CallResult> {
    const { context, settings, budget, clock = systemClock } = this.#options;
    const { group } = agentSourceOf(tool);
    const client = `${tool.name}, request ${request.requestId}`;
    let model: Exclude<LanguageModel, string>;
    try {
      model = await this.#openModel();
    } catch (error) {
      if (!(error instanceof ClimaxError)) throw error;
      const reasons = [`${error.message}:`, ...error.problems.map(formatProblem)];
      return textResult(this.#redact(reasons.join("\n")), true);
    }
    const { work } = await import("./loop.ts");
    const { context: scoped, stop } = narrowContext(context, {
      make: (index) => new ToolTable(toolsOfGroup(group, index)),
      // Calls of a sub-agent never become background jobs, because it has no tool to read their results
      background: undefined,
      redact: (text) => this.#redact(text),
    });
    const queue = new CallQueue(undefined);
    const response = await work(request, {
      group,
      index: scoped.index,
      model,
      modelName: modelName(settings),
      budget,
      clock,
      redact: (text) => this.#redact(text),
      call: (name, args, each) => {
        const ticket = queue.enter();
        return call(scoped, { tool: name, args }, { ...each, client, ticket })
          .finally(() => ticket.leave());
      },
    }, options).finally(stop);
    log("info", `${client}: ${plural(response.steps, "step")}`);
    const { result, error } = response;
    return {
      content: [{ type: "text", text: result ?? error ?? "" }],
      structured: { ...response },
      isError: error !== undefined,
      record: { ending: error === undefined ? "answered" : "no answer" },
    };
  }

  #redact(text: string): string {
    return redact(this.#options.credential, text);
  }

  #openModel(): Promise<Exclude<LanguageModel, string>> {
    const { settings, credential, environment } = this.#options;
    return this.#model ??= import("./llm/model.ts")
      .then(({ openModel }) => openModel(settings, credential, environment))
      .catch((error) => {
        this.#model = undefined;
        throw error;
      });
  }
}
