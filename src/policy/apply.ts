/**
 * Policy as written → tools with their constraints. A tool that the policy does not list is gone
 * before anything else sees it, unless the policy's default is to enable.
 */

import type { Finding } from "../document/document.ts";
import { type Environment, expand } from "../document/expand.ts";
import { messageOf } from "../errors.ts";
import type { Executor } from "../exec/executor.ts";
import { nearNames } from "../text/near_names.ts";
import type { Arg, Constraint, Tool } from "../tool/tool.ts";
import { compilePattern, patternProblem } from "./pattern.ts";
import type { ConstraintFile, ExecutorFile, PolicyFile, ToolPolicyFile } from "./schema.ts";

/** What a policy makes of a catalogue. */
export interface AppliedPolicy {
  readonly tools: readonly Tool[];
  readonly executor: Executor;
  /** Paths of `within`, variables expanded. */
  readonly looksAt: readonly string[];
  readonly problems: readonly Finding[];
  readonly warnings: readonly Finding[];
  /** Tools the policy names and no config has. */
  readonly unknownTools: readonly Finding[];
  /** Whether a tool that was misspelt would be served without its limits. */
  readonly enablesOthers: boolean;
}

/** Applies `policy` to `tools`; `environment` answers for the variables it uses. */
export async function applyPolicy(
  policy: PolicyFile,
  tools: readonly Tool[],
  environment: Environment,
): Promise<AppliedPolicy> {
  const problems: Finding[] = [];
  const executor = resolveExecutor(policy.executor ?? { type: "local" }, environment, problems);
  const listed = new Map(Object.entries(policy.tools ?? {}));
  const served: Tool[] = [];
  const looksAt: string[] = [];
  for (const tool of tools) {
    if (listed.has(tool.name)) {
      const rules = new Rules(tool, executor, environment, problems, looksAt);
      served.push(await rules.apply(listed.get(tool.name) ?? {}));
    } else if (policy.default === "enabled") {
      served.push({ ...tool, rule: "default: enabled" });
    }
  }
  return {
    tools: served,
    executor,
    looksAt,
    problems,
    warnings: served.length > 0 ? [] : [{ path: [], message: "The policy leaves no tool" }],
    unknownTools: unknownTools([...listed.keys()], tools),
    enablesOthers: policy.default === "enabled",
  };
}

/** Unknown names that are worth a suggestion: a policy may name a third of a million. */
const maxSuggested = 20;

function unknownTools(names: readonly string[], tools: readonly Tool[]): Finding[] {
  const known = new Set(tools.map((tool) => tool.name));
  return names.filter((name) => !known.has(name)).map((name, index) => {
    const near = index < maxSuggested ? nearNames(name, known) : [];
    const finding = { path: ["tools", name], message: `No config has a tool '${name}'` };
    return near.length === 0 ? finding : { ...finding, hint: `Did you mean: ${near.join(", ")}` };
  });
}

/** The rules of a policy for one tool. */
class Rules {
  constructor(
    readonly tool: Tool,
    readonly executor: Executor,
    readonly environment: Environment,
    readonly problems: Finding[],
    readonly looksAt: string[],
  ) {}

  async apply({ description, args, concurrency, max_output }: ToolPolicyFile): Promise<Tool> {
    const { name } = this.tool;
    const constraints = new Map<string, Constraint>();
    for (const [arg, constraint] of Object.entries(args ?? {})) {
      const path = ["tools", name, "args", arg];
      const known = this.tool.args.find((each) => each.name === arg);
      if (known === undefined) this.#unknownArgument(arg, path);
      else constraints.set(arg, await this.#constraint(constraint, path));
    }
    return {
      ...this.tool,
      ...(description === undefined ? {} : { description }),
      args: this.tool.args.map((arg) => withConstraint(arg, constraints.get(arg.name))),
      ...(concurrency ? { concurrency } : {}),
      ...(max_output ? { keepBytes: max_output * 1024 } : {}),
      rule: `tools.${name}`,
    };
  }

  /** A constraint that holds nothing would lift a limit without a word. */
  #unknownArgument(arg: string, path: string[]): void {
    const near = nearNames(arg, this.tool.args.map(({ name }) => name));
    const names = this.tool.args.map(({ name }) => name).join(", ") || "none";
    const hint = near.length > 0 ? `Did you mean: ${near.join(", ")}` : `Its arguments: ${names}`;
    const message = `Tool '${this.tool.name}' has no argument '${arg}'`;
    this.problems.push({ path, message, hint });
  }

  async #constraint(written: ConstraintFile, path: string[]): Promise<Constraint> {
    const { min, max, pattern, within } = written;
    if (min !== undefined && max !== undefined && min > max) {
      const message = `'min' is more than 'max': no value can be right`;
      this.problems.push({ path: [...path, "min"], message });
    }
    const compiled = pattern === undefined ? undefined : this.#pattern(pattern, path);
    const directory = within === undefined ? undefined : await this.#directory(within, path);
    return {
      ...(compiled === undefined ? {} : { pattern: compiled }),
      ...(min === undefined ? {} : { min }),
      ...(max === undefined ? {} : { max }),
      ...(directory === undefined ? {} : { within: directory }),
      allowLeadingDash: written.allow_leading_dash ?? false,
      secret: written.secret ?? false,
    };
  }

  #pattern(source: string, path: string[]) {
    const compiled = compilePattern(source);
    if ("matches" in compiled) return compiled;
    this.problems.push({ path: [...path, "pattern"], ...patternProblem(source)! });
    return undefined;
  }

  async #directory(text: string, path: string[]): Promise<string | undefined> {
    const at = [...path, "within"];
    if (this.executor.kind === "docker") {
      const message = "'within' cannot be checked in a container: its files are not seen from here";
      const hint = "Use 'pattern', and mount nothing else with 'volumes'";
      this.problems.push({ path: at, message, hint });
      return undefined;
    }
    const before = this.problems.length;
    const expanded = expandFor(text, at, this.environment, this.problems);
    if (this.problems.length > before) return undefined;
    // Not to be taken for the server's directory
    if (expanded === "") return this.#refuse(at, `'${text}' is empty`);
    this.looksAt.push(expanded);
    try {
      const { isDirectory } = await Deno.stat(expanded);
      return isDirectory
        ? await Deno.realPath(expanded)
        : this.#refuse(at, `'${expanded}' is not a directory`);
    } catch (error) {
      return this.#refuse(at, `'${expanded}' cannot be read: ${messageOf(error)}`);
    }
  }

  #refuse(path: string[], reason: string): undefined {
    this.problems.push({ path, message: `'within': ${reason}` });
  }
}

function withConstraint(arg: Arg, constraint: Constraint | undefined): Arg {
  return constraint === undefined ? arg : { ...arg, constraint };
}

function resolveExecutor(
  written: ExecutorFile,
  environment: Environment,
  problems: Finding[],
): Executor {
  const path = ["executor"];
  const { type, image, volumes, working_dir, network } = written;
  if (type === "local") {
    for (const key of ["image", "volumes", "working_dir", "network"] as const) {
      if (written[key] === undefined) continue;
      const message = `'${key}' has no meaning for 'type: local'`;
      problems.push({ path: [...path, key], message });
    }
    return { kind: "local" };
  }
  if (!image) problems.push({ path, message: "'type: docker' needs an 'image'" });
  // Docker would take its default without a word
  for (const key of ["working_dir", "network"] as const) {
    if (written[key] !== "") continue;
    problems.push({ path: [...path, key], message: `'${key}' is empty; leave it out` });
  }
  // Whatever begins with a dash here would be an option of docker
  for (const key of ["image", "working_dir", "network"] as const) {
    if (!written[key]?.startsWith("-")) continue;
    problems.push({ path: [...path, key], message: `'${key}' begins with '-'` });
  }
  return {
    kind: "docker",
    image: image ?? "",
    volumes: (volumes ?? []).map((volume, index) => {
      return expandFor(volume, [...path, "volumes", String(index)], environment, problems);
    }),
    ...(working_dir ? { workingDir: working_dir } : {}),
    ...(network ? { network } : {}),
  };
}

function expandFor(
  text: string,
  path: string[],
  environment: Environment,
  problems: Finding[],
): string {
  // A variable that is set to nothing would widen what it is a part of
  const { text: expanded, unset } = expand(text, (name) => environment(name) || undefined);
  for (const name of unset) {
    problems.push({ path, message: `'${text}': variable $${name} is not set, or empty` });
  }
  return expanded;
}
