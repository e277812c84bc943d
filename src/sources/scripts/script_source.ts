/** START HERE for scripts: many calls in one, in a VM that reaches only `call()`. QuickJS is imported to run one. */

import type { Clock } from "../../async/clock.ts";
import { type PolicyChoice, readPolicyText } from "../../policy/policy_file.ts";
import { homeVariables } from "../../process/folders.ts";
import type { NamedText } from "../../text/named_text.ts";
import type { Runner } from "../../tool/runner.ts";
import type { Tool } from "../../tool/tool.ts";
import type { LoadResult, ToolSource } from "../source.ts";
import type { ArgReader } from "./header.ts";
import { trustFile } from "../../trust/accepted.ts";
import { findKeptFolders } from "./kept_folders.ts";
import type { KeptTools } from "./kept_tools.ts";
import { runTool } from "./script_tools.ts";
import { scriptKind } from "./source.ts";

/** Kept scripts that are given as texts, in place of those in folders. */
export interface GivenScripts {
  readonly texts: readonly NamedText[];
  /** Their calls that change something are collected. @default false */
  readonly isDryRun?: boolean | undefined;
}

interface ScriptSourceOptions {
  /** `--scripts`; without it a policy has to name the tool. */
  readonly isOn: boolean;
  readonly policy: PolicyChoice;
  /** The paths of the configs, known when they are loaded. */
  readonly files: () => readonly string[];
  readonly given?: GivenScripts | undefined;
  /** How a config writes arguments. */
  readonly argReader: () => Promise<ArgReader>;
  readonly clock?: Clock | undefined;
}

const none: Omit<KeptTools, "files"> = { tools: [], warnings: [], withheld: [] };

export class ScriptToolSource implements ToolSource {
  readonly kind = scriptKind;
  readonly runner: Runner;
  readonly #options: ScriptSourceOptions;
  /** Files and folders whose change is one of the kept scripts. */
  files: readonly string[] = [];
  #runner: Runner | undefined;

  constructor(options: ScriptSourceOptions) {
    this.#options = options;
    this.runner = {
      prepare: (tool, values) => this.#runner!.prepare(tool, values),
      permissions: (tools) => this.#runner!.permissions(tools),
      close: async () => await this.#runner?.close?.(),
    };
  }

  /** Names of the environment variables that are used to find accepted scripts. */
  get foundBy(): readonly string[] {
    return this.files.length === 0 ? [] : homeVariables;
  }

  async load(taken: readonly Tool[]): Promise<LoadResult> {
    const { tools: kept, warnings, withheld } = await this.#loadKept(taken);
    const tools = [...kept, ...await this.#ofAgents([...taken, ...kept])];
    if (tools.length > 0) await this.#openRunner();
    return { tools, problems: [], unreadable: false, warnings, withheld };
  }

  async #openRunner(): Promise<void> {
    const { scriptRunner } = await import("./runner.ts");
    const { clock, given } = this.#options;
    this.#runner ??= scriptRunner({ clock, isDryRun: given?.isDryRun });
  }

  async #loadKept(taken: readonly Tool[]): Promise<Omit<KeptTools, "files">> {
    const { given, files, argReader } = this.#options;
    if (given !== undefined) {
      if (given.texts.length === 0) return none;
      const { loadKeptTools: keptToolsOf } = await import("./kept_tools.ts");
      return await keptToolsOf(given.texts, taken, await argReader());
    }
    const folders = findKeptFolders(files());
    if (folders.length === 0) return none;
    const { loadKeptToolsIn: keptToolsIn } = await import("./kept_tools.ts");
    const found = await keptToolsIn(folders, taken, await argReader());
    const accepted = trustFile();
    const looked = [...folders, ...found.files, ...(accepted === undefined ? [] : [accepted])];
    // One that is missing now may come back
    this.files = [...new Set([...this.files, ...looked])];
    return found;
  }

  /** The tool with which agents run scripts of their own. */
  async #ofAgents(taken: readonly Tool[]): Promise<readonly Tool[]> {
    const { isOn, policy } = this.#options;
    const names = new Set(taken.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
    if (names.has(runTool)) return [];
    if (!isOn && !await isNamed(policy)) return [];
    const { scriptTool } = await import("./script_tool.ts");
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
