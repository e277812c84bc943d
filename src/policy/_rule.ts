/** Applies one rule of a policy to the tools that it names: their effect, and constraints of their arguments. */

import { systemPath } from "../io.ts";
import type { Finding } from "../files/finding.ts";
import { messageOf } from "../errors.ts";
import type { Executor } from "../exec/executor.ts";
import { nearHint } from "../text/similar_names.ts";
import { effectOf, exceeds } from "../tool/annotations.ts";
import {
  type Arg,
  type Constraint,
  isBuiltin,
  type ObjectSchema,
  type Tool,
  withSelect,
} from "../tool/tool.ts";
import { InvalidValue, readValue, validateValue } from "../tool/value.ts";
import { type Environment, expandFor } from "../files/expand.ts";
import { compilePattern, patternProblem } from "./pattern.ts";
import type { ConstraintFile, PolicyFile, ToolPolicyFile } from "./schema.ts";
import { checkSelect, selectOf } from "../files/select_file.ts";
import { ownProperty, withoutUndefined } from "../text/own_property.ts";

export interface RuleReading {
  readonly policy: PolicyFile;
  readonly executor: Executor;
  readonly environment: Environment;
  readonly problems: Finding[];
}

export class Rule {
  readonly #constraints = new Map<string, Promise<Constraint>>();

  constructor(
    readonly key: string,
    readonly written: ToolPolicyFile,
    readonly reading: RuleReading,
  ) {}

  async apply(tools: readonly Tool[]): Promise<Tool[]> {
    for (const [arg, constraint] of Object.entries(this.written.args ?? {})) {
      // Constraints of a rule for no tool have no effect, but mistakes in them are reported all the same
      if (tools.length === 0) await this.#constraint(constraint, ["args", arg]);
      else if (!tools.some(({ args }) => args.some(({ name }) => name === arg))) {
        this.#refuseUnknown(arg, tools);
      }
    }
    const { description, select } = this.written;
    if (select !== undefined) {
      const path = ["tools", this.key, "select"];
      this.reading.problems.push(...await checkSelect(select, path));
    }
    const isBroad = tools.some(({ name, aliases = [] }) => ![name, ...aliases].includes(this.key));
    if (description !== undefined && isBroad) {
      const message = `'description' belongs to one tool, and '${this.key}' may be several`;
      this.#refuse(["description"], message);
    }
    return await Promise.all(tools.map((tool) => this.#applyTo(tool)));
  }

  #refuse(path: readonly string[], message: string, hint?: string): undefined {
    this.reading.problems.push({
      path: ["tools", this.key, ...path],
      message,
      ...(hint === undefined ? {} : { hint }),
    });
  }

  async #applyTo(tool: Tool): Promise<Tool> {
    const { description, concurrency, max_output, background, select } = this.written;
    const args = await Promise.all(tool.args.map((arg) => this.#constrain(arg, tool)));
    const judged = this.#judge(select === undefined ? tool : withSelect(tool, selectOf(select)));
    return {
      ...judged,
      ...withoutUndefined({
        description,
        input: tool.input && narrowSchema(tool.input, args),
        concurrency,
        keepBytes: max_output && max_output * 1024,
        background,
      }),
      args,
      ...demandsOf(judged, this.reading.policy, this.written),
      rule: `tools.${this.key}`,
    };
  }

  #judge(tool: Tool): Tool {
    const { effect } = this.written;
    if (effect === undefined) return tool;
    if (tool.effect !== undefined && exceeds(tool.effect, effect) && !tool.keepsEffect) {
      const message = `'effect': tool '${tool.name}' says itself that it is '${tool.effect}'`;
      this.#refuse(["effect"], message, "A policy may make an effect worse, and not better");
      return tool;
    }
    const { readOnlyHint: _, destructiveHint: __, idempotentHint: ___, ...annotations } =
      tool.annotations ?? {};
    return { ...tool, effect, policyEffect: effect, annotations };
  }

  async #constrain(arg: Arg, tool: Tool): Promise<Arg> {
    const written = ownProperty(this.written.args, arg.name);
    if (written === undefined) return arg;
    const path = ["args", arg.name];
    const constraint = this.#constraints.getOrInsertComputed(
      arg.name,
      () => this.#constraint(written, path),
    );
    return {
      ...arg,
      ...withoutUndefined({
        required: written.required,
        fixed: this.#fixArgument(arg, written, tool, path),
      }),
      constraint: await constraint,
      ...(written.pattern === undefined ? {} : { patternWords: written.pattern_words }),
    };
  }

  #fixArgument(arg: Arg, { value }: ConstraintFile, tool: Tool, path: readonly string[]) {
    if (value === undefined) return undefined;
    const read = readValue(value, arg);
    const reasons = read instanceof InvalidValue
      ? [`Argument '${arg.name}': ${read.reason}`]
      : validateValue(read, arg);
    for (const reason of reasons) {
      this.#refuse([...path, "value"], `Tool '${tool.name}': ${reason}`);
    }
    return read instanceof InvalidValue ? undefined : read;
  }

  /** Reports an argument that no tool of the rule has: it must be a mistake, since its constraint has no effect. */
  #refuseUnknown(arg: string, tools: readonly Tool[]): void {
    const names = new Set(tools.flatMap(({ args }) => args.map(({ name }) => name)));
    const message = tools.length === 1
      ? `Tool '${tools[0]!.name}' has no argument '${arg}'`
      : `No tool of '${this.key}' has an argument '${arg}'`;
    const known = [...names].join(", ") || "none";
    this.#refuse(["args", arg], message, nearHint(arg, names) ?? `Its arguments: ${known}`);
  }

  async #constraint(written: ConstraintFile, path: readonly string[]): Promise<Constraint> {
    const { min, max, max_length: maxLength, pattern, within } = written;
    if (min !== undefined && max !== undefined && min > max) {
      this.#refuse([...path, "min"], "'min' is more than 'max': no value can be right");
    }
    return {
      ...withoutUndefined({
        pattern: pattern === undefined ? undefined : this.#pattern(pattern, path),
        min,
        max,
        maxLength,
        within: within === undefined ? undefined : await this.#directory(within, path),
      }),
      allowLeadingDash: written.allow_leading_dash ?? false,
      secret: written.secret ?? false,
    };
  }

  #pattern(source: string, path: readonly string[]) {
    const compiled = compilePattern(source);
    if ("matches" in compiled) return compiled;
    const { message, hint } = patternProblem(source)!;
    return this.#refuse([...path, "pattern"], message, hint);
  }

  async #directory(text: string, path: readonly string[]): Promise<string | undefined> {
    const at = [...path, "within"];
    const { executor, environment, problems } = this.reading;
    if (executor.kind !== "local") {
      const message = "'within' cannot be checked in a container: its files are not seen from here";
      return this.#refuse(at, message, "Use 'pattern', and mount nothing else with 'volumes'");
    }
    const before = problems.length;
    const expanded = expandFor(text, ["tools", this.key, ...at], environment, problems);
    if (problems.length > before) return undefined;
    try {
      const { isDirectory } = await Deno.stat(systemPath(expanded));
      return isDirectory
        ? await Deno.realPath(systemPath(expanded))
        : this.#refuse(at, `'within': '${expanded}' is not a directory`);
    } catch (error) {
      return this.#refuse(at, `'within': '${expanded}' cannot be read: ${messageOf(error)}`);
    }
  }
}

export function demandsOf(
  tool: Tool,
  policy: PolicyFile,
  own: ToolPolicyFile = {},
): Pick<Tool, "needsConsent" | "refusesUnknown"> {
  const needsConsent = own.confirm ?? byEffect(tool, policy);
  const unknownArgs = own.unknown_args ?? policy.unknown_args;
  return {
    needsConsent,
    ...(unknownArgs && { refusesUnknown: unknownArgs === "refuse" }),
  };
}

function byEffect(tool: Tool, { confirm }: PolicyFile): boolean | "outside" {
  // The tool that runs scripts asks nothing itself: a person is asked once about all calls of the script
  if (tool.owner.isScripts) return false;
  // Built-in tools that only read are not asked about: they show a client what it has made itself, such as its jobs
  if (confirm === "outside") return tool.needsConsent !== false && "outside";
  const effect = effectOf(tool);
  if (effect === "read" && isBuiltin(tool)) return false;
  return confirm !== undefined && !exceeds(confirm, effect);
}

function narrowSchema(schema: ObjectSchema, args: readonly Arg[]): ObjectSchema {
  const fixed = new Set(args.flatMap((arg) => arg.fixed === undefined ? [] : [arg.name]));
  const required = new Set(schema.required);
  for (const arg of args) if (arg.required) required.add(arg.name);
  const remaining = [...required].filter((name) => !fixed.has(name));
  const { required: _, properties = {}, ...rest } = schema;
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !fixed.has(name))),
    ...(remaining.length === 0 ? {} : { required: remaining }),
  } as ObjectSchema;
}
