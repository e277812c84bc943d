/**
 * JSONPath (RFC 9535) within bounds: what a path costs is counted while it is followed, and its
 * expressions are RE2, so that neither a path nor a value can hang the process.
 */

import {
  FunctionExpressionType,
  JSONPathEnvironment,
  JSONPathError,
  JSONPathNode,
  JSONPathQuery,
  type JSONValue,
} from "json-p3";
import { RE2JS, RE2JSException } from "re2js";
import { messageOf } from "../errors.ts";
import { excerpt } from "../text/excerpt.ts";

/** Characters of a path. */
const longestPath = 1_000;
/** Levels of a value that `..` goes down. */
const mostLevels = 200;
/** Nodes that are visited, and conditions that are decided: some seconds. */
const mostSteps = 2_000_000;

/** Selects the values that a path has in one value, one after the other. */
export interface Selecting {
  (value: unknown): Iterable<unknown>;
  /** Whether it can select no more than one, as RFC 9535, 2.3.5.1, has it. */
  readonly isSingular: boolean;
}

/** A path that takes too long, goes too deep, or asks for what cannot be told. */
export class PathError extends Error {}

/**
 * Compiles `path`, or says what is wrong with it. What it gives throws {@linkcode PathError}, once it
 * takes more steps than it may each time, or, of paths that share `steps`, all of them together.
 */
export function compilePath(
  path: string,
  shared?: PathSteps,
): Selecting | { readonly reason: string } {
  if (path.length > longestPath) return { reason: `it has more than ${longestPath} characters` };
  try {
    const environment = new JSONPathEnvironment({ maxRecursionDepth: mostLevels });
    environment.functionRegister.set(
      "match",
      matching((expression, text) => expression.matches(text)),
    );
    environment.functionRegister.set(
      "search",
      matching((expression, text) => expression.matcher(text).find()),
    );
    const query = environment.compile(path);
    const steps = shared ?? new PathSteps();
    holdTo(steps, query);
    const selecting = (value: unknown) => {
      if (shared === undefined) steps.renew();
      return selected(query, value, steps);
    };
    return Object.assign(selecting, { isSingular: query.singularQuery() });
  } catch (error) {
    return { reason: reasonOf(error) };
  }
}

function* selected(query: JSONPathQuery, value: unknown, steps: PathSteps): Iterable<unknown> {
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

/** Counts what following paths costs. */
export class PathSteps {
  #left = mostSteps;

  /** Begins anew. */
  renew(): void {
    this.#left = mostSteps;
  }

  /** One step. */
  take(): void {
    if (this.#left-- > 0) return;
    const most = mostSteps.toLocaleString("en-US");
    throw new PathError(
      `it takes more than ${most} steps: name more of the way, or fewer conditions`,
    );
  }
}

/**
 * The place of a node, which nobody asks for. A child's place is made of its parent's, so that each
 * node that is visited is counted here.
 */
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

/** Has every query and every condition inside of `part` counted, those in filters among them. */
function holdTo(steps: PathSteps, part: unknown): void {
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
  for (const value of Object.values(part)) {
    if (Array.isArray(value)) { for (const each of value) holdTo(steps, each); }
    else holdTo(steps, value);
  }
}

function matching(holds: (expression: RE2JS, text: string) => boolean) {
  const known = new Map<string, RE2JS | undefined>();
  return {
    argTypes: [FunctionExpressionType.ValueType, FunctionExpressionType.ValueType],
    returnType: FunctionExpressionType.LogicalType,
    call(text: unknown, pattern: unknown): boolean {
      if (typeof text !== "string" || typeof pattern !== "string") return false;
      if (!known.has(pattern)) {
        // Patterns may come out of the value itself
        if (known.size > 100) throw new PathError("it has more than 100 expressions");
        known.set(pattern, compiled(pattern));
      }
      const expression = known.get(pattern);
      return expression !== undefined && holds(expression, text);
    },
  };
}

/** An expression that is none matches nothing, as RFC 9535, 2.4.6, has it. */
function compiled(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof RE2JSException) return undefined;
    throw error;
  }
}
