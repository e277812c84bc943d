/** START HERE for command-line programs: loads the tools of configs, and reports problems of the configs. */

import { formatPlace, type Problem } from "../../errors.ts";
import type { Finding } from "../../files/finding.ts";
import type { NamedText } from "../../text/named_text.ts";
import type { CommandTool } from "./source.ts";
import type { Environment } from "../../files/expand.ts";
import { plural } from "../../text/plural.ts";
import { shellWord } from "../../text/shell_word.ts";
import { findBuiltConfig, withoutSets } from "./bundled.ts";
import { type ConfigText, locateConfigs, type LocatedConfigs } from "./locate.ts";
import { resolveConfig } from "./resolve.ts";
import type { ConfigFile } from "./schema.ts";
import { climax } from "../../process/own_command.ts";
import type { Executor } from "../../exec/executor.ts";
import type { Runner } from "../../tool/runner.ts";
import { commandKind } from "../../tool/tool.ts";
import type { ToolSource } from "../source.ts";
import { commandRunner, type CommandRunnerOptions } from "./runner.ts";

interface CommandToolSourceOptions
  extends LoadConfigsOptions, Omit<CommandRunnerOptions, "executor"> {
  readonly more?: (() => Promise<readonly string[]>) | undefined;
}

export class CommandToolSource implements ToolSource {
  readonly kind = commandKind;
  readonly #pinned = new Map<string, readonly (string | NamedText)[]>();
  files: readonly string[] = [];
  #runner: Runner;

  constructor(
    readonly specs: readonly (string | NamedText)[],
    readonly environment: Environment,
    readonly options: CommandToolSourceOptions,
  ) {
    this.#runner = commandRunner(options);
  }

  get runner(): Runner {
    return this.#runner;
  }

  async load(): Promise<LoadedConfigs> {
    const specs = [...this.specs, ...await this.options.more?.() ?? []];
    const known = specs.map((spec) => {
      return typeof spec === "string" && this.#pinned.get(spec) || [spec];
    });
    const loaded = await loadConfigs(known.flat(), this.environment, this.options);
    let at = 0;
    for (const [index, spec] of specs.entries()) {
      const end = at + withoutSets(known[index]!).length;
      if (typeof spec === "string") this.#pinned.set(spec, loaded.pinned.slice(at, end));
      at = end;
    }
    // A config that was deleted is watched too, since it may be written again
    this.files = [...new Set([...this.files, ...loaded.files])];
    return loaded;
  }

  useExecutor(executor: Executor): Runner {
    return this.#runner = commandRunner({ ...this.options, executor });
  }
}

export interface LoadedConfigs extends Omit<LocatedConfigs, "configs"> {
  /** The tools by order of first definition. A later config that defines a tool again replaces it in its place. */
  readonly tools: readonly CommandTool[];
  /** Problems for which climax does not start. If there are any, `tools` is not complete. */
  readonly problems: readonly Problem[];
  readonly unreadable: boolean;
  readonly warnings: readonly Problem[];
}

export interface LoadConfigsOptions {
  readonly thorough?: boolean | undefined;
  readonly skipsBroken?: boolean | undefined;
}

export async function loadConfigs(
  specs: readonly (string | NamedText)[],
  environment: Environment,
  options: LoadConfigsOptions = {},
): Promise<LoadedConfigs> {
  const { configs, ...located } = await locateConfigs(specs);
  const { skipsBroken = false } = options;
  const problems = skipsBroken ? [] : [...located.problems];
  const warnings = configs.flatMap(({ warning }) => warning ?? []);
  if (skipsBroken) warnings.push(...located.problems);
  const tools = new Map<string, Defined>();
  const again: Redefined[] = [];
  for (const config of configs) {
    const loaded = await loadConfigText(config, environment, options);
    if (skipsBroken && loaded.problems.length > 0) {
      warnings.push(problemOfSkipped(config, loaded.problems));
      continue;
    }
    problems.push(...loaded.problems);
    warnings.push(...loaded.warnings);
    for (const [index, tool] of loaded.tools.entries()) {
      const defined = { tool, config, index };
      const before = tools.get(tool.name);
      if (before !== undefined) again.push({ defined, before });
      tools.set(tool.name, defined);
    }
  }
  warnings.push(...await redefinitions(again));
  return {
    ...located,
    tools: [...tools.values().map(({ tool }) => tool)],
    problems,
    unreadable: !skipsBroken && located.problems.length > 0,
    warnings,
  };
}

function problemOfSkipped({ file }: ConfigText, problems: readonly Problem[]): Problem {
  const message = `This config is left out: it has ${plural(problems.length, "problem")}`;
  return { file, message, hint: `See ${climax()} validate ${shellWord(file)}` };
}

interface Defined {
  readonly tool: CommandTool;
  readonly config: ConfigText;
  readonly index: number;
}

type Redefined = Record<"defined" | "before", Defined>;

async function redefinitions(all: readonly Redefined[]): Promise<Problem[]> {
  const pairs = Map.groupBy(all, ({ defined, before }) => {
    return JSON.stringify([defined.config.file, before.config.file]);
  });
  return await Promise.all(
    pairs.values().map(async ([first, ...more]) => {
      const { defined, before } = first!;
      const others = more.length === 0
        ? "is defined again; this one is used"
        : `and ${plural(more.length, "other tool")} are defined again; these are used`;
      return {
        ...await placeOfTool(defined),
        message: `Tool '${defined.tool.name}' ${others}`,
        hint: `Not used: the one at ${formatPlace(await placeOfTool(before))}`,
      };
    }),
  );
}

async function placeOfTool({ config, index }: Defined) {
  const [problem] = await locateAll(config, [{ path: ["tools", index, "name"], message: "" }]);
  const { line, column } = problem!;
  return { file: config.file, line: line!, column: column! };
}

async function loadConfigText(
  config: ConfigText,
  environment: Environment,
  { thorough = false }: LoadConfigsOptions,
): Promise<Pick<LoadedConfigs, "tools" | "problems" | "warnings">> {
  const { file } = config;
  const isBundled = file.startsWith("bundled:");
  const built = findBuiltConfig(file);
  const result = built === undefined
    ? await (await import("./read_config.ts")).readConfig(file, config.text)
    : { ok: true, value: built, notes: [] } as const;
  if (!result.ok) return { tools: [], problems: result.problems, warnings: [] };
  const { tools, problems, warnings } = resolveConfig(result.value, environment, isBundled);
  if (!isBundled || thorough) {
    const { adviceOn, lintConfig } = await import("./_lint.ts");
    warnings.push(...lintConfig(result.value));
    if (thorough) warnings.push(...adviceOn(result.value));
  }
  if (!isBundled) {
    const { checkExpressions } = await import("./read_config.ts");
    problems.push(...await checkExpressions(result.value));
    warnings.push(...sandboxWarnings(result.value));
  }
  const isForeign = !isBundled && config.isForeign === true;
  return {
    tools: isBundled ? tools : tools.map((tool) => withoutRequest(tool, isForeign)),
    problems: await locateAll(config, problems),
    warnings: [...result.notes ?? [], ...await locateAll(config, warnings)],
  };
}

function withoutRequest(tool: CommandTool, isForeign: boolean): CommandTool {
  const { sandboxRequest: _, ...source } = tool.source;
  const { needsHost: __, ...plain } = tool;
  return { ...plain, source: isForeign ? { ...source, isForeign: true } : source };
}

/** Warns that `sandbox` has no effect in this config: only bundled configs can widen the sandbox of their programs. */
function sandboxWarnings({ sandbox, tools }: ConfigFile): Finding[] {
  const paths = [
    ...(sandbox ? [["sandbox"]] : []),
    ...tools.flatMap(({ sandbox }, index) => sandbox ? [["tools", index, "sandbox"]] : []),
  ];
  const message = "'sandbox' counts only in configs that come with climax";
  const hint = "Delete it, or use a policy: executor, or tools.NAME.sandbox";
  return paths.slice(0, 1).map((path) => ({ path, message, hint }));
}

async function locateAll(config: NamedText, findings: readonly Finding[]) {
  if (findings.length === 0) return [];
  const { file, text } = config;
  const { locate } = await import("../../files/document.ts");
  return await locate(file, text, findings);
}
