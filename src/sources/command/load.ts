/**
 * Configs the user named → the tools of all of them, or every problem of all of them at once.
 */

import { formatPlace, type Problem } from "../../errors.ts";
import type { DocumentResult, Finding } from "../../document/document.ts";
import type { NamedText } from "../../document/text_file.ts";
import type { CommandTool } from "./source.ts";
import type { Environment } from "../../document/expand.ts";
import { homeVariables } from "../../process/folders.ts";
import { checkOutputs } from "./_check_outputs.ts";
import { compiledConfig } from "./compiled.ts";
import { type ConfigText, locateConfig } from "./locate.ts";
import { acceptedConfigsFile } from "./accepted_configs.ts";
import { isPersonalConfig, isProjectConfig } from "./own_configs.ts";
import { resolveConfig } from "./resolve.ts";
import { withoutSets } from "./sets.ts";
import type { ConfigFile } from "./schema.ts";

/** What the configs come to. */
export interface LoadedConfigs {
  /** In load order; of a name that is defined twice the last definition, in the place of the first. */
  readonly tools: readonly CommandTool[];
  /** Why there must be no start; when not empty, `tools` is incomplete. */
  readonly problems: readonly Problem[];
  /** Whether a config was not found or could not be read at all. */
  readonly unreadable: boolean;
  readonly warnings: readonly Problem[];
  /** Paths of the configs that were read from files. */
  readonly files: readonly string[];
  /** What was named, by the files that it was: another that comes to be found is not taken. */
  readonly pinned: readonly (string | NamedText)[];
  /** Names of the variables that said where these are. */
  readonly foundBy: readonly string[];
}

/** Settings of {@linkcode loadConfigs}. */
export interface LoadOptions {
  /** Whether warnings have advice too, which takes time to look for. @default false */
  readonly thorough?: boolean | undefined;
}

/** Loads the configs that `specs` name (bundled names or paths) or hold, each once. */
export async function loadConfigs(
  specs: readonly (string | NamedText)[],
  environment: Environment,
  options: LoadOptions = {},
): Promise<LoadedConfigs> {
  const named = withoutSets(specs);
  const located = await Promise.all(
    named.map((spec) => {
      return typeof spec === "string" ? locateConfig(spec) : { ...spec, key: spec.file };
    }),
  );
  const texts = new Map<string, ConfigText>();
  const problems: Problem[] = [];
  for (const each of located) {
    if ("text" in each) texts.set(each.key, texts.get(each.key) ?? each);
    else problems.push(each);
  }
  const unreadable = problems.length > 0;

  const tools = new Map<string, Defined>();
  const warnings: Problem[] = [...texts.values()].flatMap(({ warning }) => warning ?? []);
  const files = located.flatMap((each, index) => {
    // What was at hand was not read, and a bundled one stands in no file
    const isRead = typeof named[index] === "string" && !each.file?.startsWith("bundled:");
    return isRead && each.file !== undefined ? [each.file] : [];
  });
  // What hides another is taken where a file of the person's says so
  const accepted = located.some((each) => isHiding(each)) ? acceptedConfigsFile() : undefined;
  const isPersonal = located.some(({ file = "" }) => isPersonalConfig(file));
  const foundBy = isPersonal || accepted !== undefined ? homeVariables : [];
  for (const config of texts.values()) {
    const loaded = await loadConfigText(config, environment, options);
    problems.push(...loaded.problems);
    warnings.push(...loaded.warnings);
    for (const [index, tool] of loaded.tools.entries()) {
      const defined = { tool, config, index };
      const before = tools.get(tool.name);
      if (before !== undefined) warnings.push(await redefinition(defined, before));
      tools.set(tool.name, defined);
    }
  }
  return {
    tools: [...tools.values().map(({ tool }) => tool)],
    problems,
    unreadable,
    warnings,
    files: [...new Set([...files, ...accepted === undefined ? [] : [accepted]])],
    foundBy,
    pinned: located.map((each, index) => pin(each, named[index]!)),
  };
}

/** Whether it is a project's that stands for another. */
function isHiding(located: ConfigText | Problem): boolean {
  return "text" in located && located.warning !== undefined && isProjectConfig(located.file);
}

/** What stands for `spec` from now on: a file by its path, what is bundled by its text. */
function pin(located: ConfigText | Problem, spec: string | NamedText): string | NamedText {
  if (typeof spec !== "string" || !("text" in located)) return spec;
  return located.file.startsWith("bundled:") ? located : located.file;
}

/** A tool with where it is defined. */
interface Defined {
  readonly tool: CommandTool;
  readonly config: ConfigText;
  /** Its position in its config. */
  readonly index: number;
}

async function redefinition(defined: Defined, before: Defined): Promise<Problem> {
  const message = `Tool '${defined.tool.name}' is defined again; this one is used`;
  const place = await placeOfTool(defined);
  const other = formatPlace(await placeOfTool(before));
  return { ...place, message, hint: `Not used: the one at ${other}` };
}

async function placeOfTool({ config: { file, text }, index }: Defined) {
  const [problem] = await locateAll(file, text, [{ path: ["tools", index, "name"], message: "" }]);
  const { line, column } = problem!;
  return { file, line: line!, column: column! };
}

async function loadConfigText(
  { file, text }: ConfigText,
  environment: Environment,
  { thorough = false }: LoadOptions,
): Promise<Pick<LoadedConfigs, "tools" | "problems" | "warnings">> {
  const result = await readConfig(file, text);
  if (!result.ok) return { tools: [], problems: result.problems, warnings: [] };
  const { tools, problems, warnings } = resolveConfig(result.value, environment);
  const isKnown = file.startsWith("bundled:");
  const wrongPatterns = isKnown ? [] : await checkPatterns(result.value);
  const wrongOutputs = isKnown ? [] : await checkOutputs(result.value);
  const advice = thorough ? (await import("./_advice.ts")).adviceOn(result.value) : [];
  return {
    tools,
    problems: await locateAll(file, text, [...problems, ...wrongPatterns, ...wrongOutputs]),
    warnings: await locateAll(file, text, [...warnings, ...advice]),
  };
}

async function readConfig(file: string, text: string): Promise<DocumentResult<ConfigFile>> {
  const value = compiledConfig(file);
  if (value !== undefined) return { ok: true, value };
  const reader = await import("./read_config.ts");
  return await reader.readConfig(file, text);
}

/** `findings` with their places, which only those take the parsers to find. */
async function locateAll(
  file: string,
  text: string,
  findings: readonly Finding[],
): Promise<readonly Problem[]> {
  if (findings.length === 0) return [];
  const { locate } = await import("../../document/document.ts");
  return await locate(file, text, findings);
}

/** The patterns that are no RE2 expressions; what reads them is loaded only where there are any. */
async function checkPatterns({ tools }: ConfigFile): Promise<Finding[]> {
  const patterns = tools.flatMap(({ args }, tool) => {
    return (args ?? []).flatMap(({ pattern, items }, arg) => {
      const path = ["tools", tool, "args", arg];
      return [
        ...(pattern ? [{ pattern, path: [...path, "pattern"] }] : []),
        ...(items?.pattern
          ? [{ pattern: items.pattern, path: [...path, "items", "pattern"] }]
          : []),
      ];
    });
  });
  if (patterns.length === 0) return [];
  const { patternProblem } = await import("../../policy/pattern.ts");
  return patterns.flatMap(({ pattern, path }) => {
    const problem = patternProblem(pattern);
    return problem === undefined ? [] : [{ path, ...problem }];
  });
}
