/**
 * START HERE for scripts: many calls in one, written by an agent, run in a room that reaches nothing but `call()`.
 * Everything is imported once the tool is served, and QuickJS once a script runs.
 */

import type { Clock } from "../../async/clock.ts";
import { type PolicyChoice, readPolicyText } from "../../policy/policy_file.ts";
import type { Runner } from "../../tool/runner.ts";
import type { Tool } from "../../tool/tool.ts";
import type { LoadResult, ToolSource } from "../source.ts";
import type { Tape } from "./recording.ts";
import { runTool } from "./names.ts";
import { scriptKind } from "./source.ts";

export interface ScriptSourceOptions {
  /** `--scripts`; without it a policy has to name the tool. */
  readonly isOn: boolean;
  readonly policy: PolicyChoice;
  readonly clock?: Clock | undefined;
  readonly tape?: Tape | undefined;
}

export class ScriptToolSource implements ToolSource {
  readonly kind = scriptKind;
  readonly runner: Runner;
  readonly #options: ScriptSourceOptions;
  #runner: Runner | undefined;

  constructor(options: ScriptSourceOptions) {
    this.#options = options;
    this.runner = {
      prepare: (tool, values) => this.#runner!.prepare(tool, values),
      permissions: (tools) => this.#runner!.permissions(tools),
      check: () => Promise.resolve({ problems: [], warnings: [] }),
      close: async () => await this.#runner?.close(),
    };
  }

  async load(taken: readonly Tool[]): Promise<LoadResult> {
    return { tools: await this.#tools(taken), problems: [], unreadable: false, warnings: [] };
  }

  async #tools(taken: readonly Tool[]): Promise<readonly Tool[]> {
    const { isOn, policy, ...rest } = this.#options;
    if (taken.some(({ name, aliases = [] }) => [name, ...aliases].includes(runTool))) return [];
    if (!isOn && !await isNamed(policy)) return [];
    const [{ scriptRunner }, { scriptTool }] = await Promise.all([
      import("./runner.ts"),
      import("./script_tool.ts"),
    ]);
    this.#runner ??= scriptRunner(rest);
    return [scriptTool(taken)];
  }
}

/** Whether the policy names the tool, also to deny it: a pattern that fits it would turn scripts on by chance. */
async function isNamed(policy: PolicyChoice): Promise<boolean> {
  const read = await readPolicyText(policy);
  if (typeof read !== "object" || !read.text.includes(runTool)) return false;
  const { readPolicy } = await import("../../policy/load.ts");
  const document = await readPolicy(read);
  if (!document.ok) return false;
  const { tools, deny } = document.policy;
  return Object.hasOwn(tools ?? {}, runTool) || deny?.includes(runTool) === true;
}
