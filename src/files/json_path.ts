/** Selects values by JSONPath (RFC 9535). Patterns use RE2 and steps are counted, so that no path takes too long. */

import {
  FunctionExpressionType,
  JSONPathEnvironment,
  JSONPathError,
  JSONPathNode,
  JSONPathQuery,
  type JSONValue,
} from "json-p3";
import { type RE2JS, RE2JSException } from "re2js";
import { messageOf } from "../errors.ts";
import { jsonWithoutControls } from "../text/escape.ts";
import { excerpt } from "../text/excerpt.ts";
import { thousands } from "../text/plural.ts";
import { expressionOf, isSearchable } from "./bounded_expression.ts";
import { BudgetClock, type WorkBudget, workerBudget } from "./work_budget.ts";
import { exactNumber, parseExactly } from "./json.ts";

const maxPathLength = 1_000;
const maxLevels = 200;
const maxSteps = 2_000_000;
const looksBetween = 16;

export interface Selecting {
  (value: unknown): Iterable<unknown>;
  /** True when the path can select at most one value (RFC 9535, 2.3.5.1). */
  readonly isSingular: boolean;
}

export class PathError extends Error {}

export function compilePath(
  path: string,
  steps = new PathSteps(),
): Selecting | { readonly reason: string } {
  if (path.length > maxPathLength) {
    return { reason: `it has more than ${maxPathLength} characters` };
  }
  try {
    const environment = new JSONPathEnvironment({ maxRecursionDepth: maxLevels });
    // An object may stand for a number with many digits (see `parseExactly`); a path must not look into it
    environment.entries = (value) => exactNumber(value) === undefined ? Object.entries(value) : [];
    const functions = environment.functionRegister;
    functions.set("match", matching(steps, (expression, text) => expression.matches(text)));
    functions.set("search", matching(steps, (expression, text) => expression.test(text)));
    const query = environment.compile(path);
    countEvaluations(steps, query);
    const selectFrom = (value: unknown) => selectNodes(query, value, steps);
    return Object.assign(selectFrom, { isSingular: query.singularQuery() });
  } catch (error) {
    return { reason: reasonOf(error) };
  }
}

function* selectNodes(query: JSONPathQuery, value: unknown, steps: PathSteps): Iterable<unknown> {
  try {
    for (const node of nodesOf(query, value as JSONValue, steps)) yield node.value;
  } catch (error) {
    throw new PathError(reasonOf(error));
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return "it goes too deep";
  if (error instanceof JSONPathError || error instanceof PathError) {
    return excerpt(messageOf(error), 300);
  }
  throw error;
}

export class PathSteps {
  readonly #clock: BudgetClock;
  #left = maxSteps;

  constructor(readonly budget: WorkBudget = workerBudget) {
    this.#clock = new BudgetClock(budget, looksBetween);
  }

  renew(): void {
    this.#left = maxSteps;
    this.#clock.start();
  }

  take(): void {
    if (this.#left-- <= 0) throw tooLong(`${thousands(maxSteps)} steps`);
    this.look();
  }

  look(isLong = false): void {
    if (this.#clock.isOver(isLong)) throw tooLong(`${this.budget.ms / 1000} seconds`);
  }
}

function tooLong(most: string): PathError {
  return new PathError(`it takes more than ${most}: name more of the way, or fewer conditions`);
}

/** Counts the nodes that a query visits: json-p3 calls `concat` for each, with a result that climax never uses. */
class CountedPlace extends Array<string | number> {
  readonly #steps: PathSteps;

  constructor(steps: PathSteps) {
    super();
    this.#steps = steps;
  }

  override concat(): this {
    this.#steps.take();
    return this;
  }
}

function nodesOf(query: JSONPathQuery, value: JSONValue, steps: PathSteps): Iterable<JSONPathNode> {
  const root = new JSONPathNode(value, new CountedPlace(steps), value);
  let nodes: IterableIterator<JSONPathNode> = [root][Symbol.iterator]();
  for (const segment of query.segments) nodes = segment.lazyResolve(nodes);
  return nodes;
}

function countEvaluations(steps: PathSteps, part: unknown): void {
  if (typeof part !== "object" || part === null || part instanceof JSONPathEnvironment) return;
  if (part instanceof JSONPathQuery) {
    const inner = part as { lazyQuery: unknown; query: unknown };
    inner.lazyQuery = (value: JSONValue) => nodesOf(part, value, steps);
    inner.query = (value: JSONValue) => [...nodesOf(part, value, steps)];
  }
  const condition = part as { evaluate?: (context: unknown) => unknown };
  if (typeof condition.evaluate === "function") {
    const evaluate = condition.evaluate.bind(part);
    condition.evaluate = (context) => {
      steps.take();
      return evaluate(Object.assign(context as object, { lazy: true }));
    };
  }
  const selector = part as { resolve?: (node: JSONPathNode) => unknown };
  if (typeof selector.resolve === "function") {
    const resolve = selector.resolve.bind(part);
    selector.resolve = (node) => {
      steps.look(); // a missing member is not counted as a node
      return exactNumber(node.value) === undefined ? resolve(node) : [];
    };
  }
  for (const value of Object.values(part)) {
    if (Array.isArray(value)) { for (const each of value) countEvaluations(steps, each); }
    else countEvaluations(steps, value);
  }
}

function matching(steps: PathSteps, holds: (expression: RE2JS, text: string) => boolean) {
  const known = new Map<string, RE2JS | undefined>();
  return {
    argTypes: [FunctionExpressionType.ValueType, FunctionExpressionType.ValueType],
    returnType: FunctionExpressionType.LogicalType,
    call(text: unknown, pattern: unknown): boolean {
      if (typeof text !== "string" || typeof pattern !== "string") return false;
      if (!known.has(pattern)) {
        if (known.size > 100) throw new PathError("it has more than 100 expressions");
        steps.look(true);
        known.set(pattern, compilePattern(pattern, steps.budget));
      }
      const expression = known.get(pattern);
      if (expression === undefined) return false;
      steps.look(true);
      if (!isSearchable(expression, text.length, steps.budget)) {
        throw new PathError(
          `its expression is too large for a text of ${thousands(text.length)} characters`,
        );
      }
      return holds(expression, text);
    },
  };
}

/** Compiles an expression; an invalid one matches nothing (RFC 9535, 2.4.6). */
function compilePattern(pattern: string, budget: WorkBudget): RE2JS | undefined {
  if (pattern.length > maxPathLength) throw new PathError("it has a longer expression than a path");
  try {
    return expressionOf(pattern, 0, budget);
  } catch (error) {
    if (error instanceof RE2JSException) return undefined;
    throw error;
  }
}

export interface PathInput {
  readonly text: string;
  readonly path: string;
  readonly from: number;
  readonly most: number;
  readonly characters: number;
}

export type PathValues =
  | { readonly rows: readonly string[]; readonly hasMore: boolean; readonly isBehind: boolean }
  | { readonly noPath: string }
  | { readonly noJson: string };

/** Selects values by a JSONPath. @throws {BudgetExceeded} if `budget` is too small; a larger one may be enough */
export function pathValues({ text, path, ...range }: PathInput, budget: WorkBudget): PathValues {
  const steps = new PathSteps(budget);
  const selecting = compilePath(path, steps);
  if (typeof selecting !== "function") return { noPath: selecting.reason };
  steps.renew();
  try {
    const read = valueOf(text, () => steps.look());
    if ("reason" in read) return { noJson: read.reason };
    steps.renew();
    return taken(selecting(read.value), range);
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    return { noPath: error.message };
  }
}

function taken(
  values: Iterable<unknown>,
  { from, most, characters }: Pick<PathInput, "from" | "most" | "characters">,
): PathValues {
  const rows: string[] = [];
  let count = 0;
  let length = 0;
  for (const value of values) {
    count++;
    if (count < from) continue;
    if (rows.length === most || length > characters) {
      return { rows, hasMore: true, isBehind: false };
    }
    const row = jsonWithoutControls(value);
    rows.push(row);
    length += row.length;
  }
  return { rows, hasMore: false, isBehind: count > 0 && rows.length === 0 };
}

function valueOf(
  text: string,
  look: () => void,
): { readonly value: unknown } | { readonly reason: string } {
  try {
    return { value: parseExactly(text, look) };
  } catch (error) {
    if (!isNoJson(error)) throw error;
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    const reason = excerpt(messageOf(error).split("\n", 1)[0]!, 200);
    if (lines.length < 2) return { reason };
    try {
      const value = lines.map((line) => {
        look();
        return parseExactly(line, look);
      });
      return { value };
    } catch (error) {
      if (!isNoJson(error)) throw error;
      return { reason };
    }
  }
}

function isNoJson(error: unknown): boolean {
  return error instanceof SyntaxError || error instanceof RangeError;
}
