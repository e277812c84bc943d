/**
 * The patterns in the schemas of one server, compiled once, with a budget for each check: size and texts come from
 * untrusted parties, and all clients wait for the thread that matches them.
 */

import { RE2JS } from "re2js";
import { writtenOutSize } from "../../files/searchable.ts";

/** Most instructions of stored patterns of one server; beyond that, all are removed. */
const keptInstructions = 50_000;

/** Most instructions times characters of one check, which take at most 20 ms. */
const maxWork = 800_000;

/** Work to compile one instruction, and the instructions of the smallest pattern. */
const workToCompile = 100;
const leastInstructions = 30;

/** The compiled patterns of one server. */
export class SchemaPatterns {
  readonly #compiled = new Map<string, RE2JS | undefined>();
  #instructions = 0;

  budget(): PatternBudget {
    return new PatternBudget(this);
  }

  /** The compiled pattern, if known; `undefined` in it if RE2 does not accept it. */
  known(pattern: string): { readonly expression: RE2JS | undefined } | undefined {
    return this.#compiled.has(pattern) ? { expression: this.#compiled.get(pattern) } : undefined;
  }

  /** Compiles and stores `pattern`, of about `size` instructions. */
  compile(pattern: string, size: number): RE2JS | undefined {
    if (this.#instructions + size > keptInstructions) {
      this.#compiled.clear();
      this.#instructions = 0;
    }
    this.#instructions += size;
    const expression = compiled(pattern);
    this.#compiled.set(pattern, expression);
    return expression;
  }
}

/** The remaining budget of one check. */
export class PatternBudget {
  readonly #patterns: SchemaPatterns;
  #rest = maxWork;

  constructor(patterns: SchemaPatterns) {
    this.#patterns = patterns;
  }

  /** Returns whether `pattern` occurs in `text`; `undefined` if that exceeds the budget. */
  isFound(pattern: string, text: string): boolean | undefined {
    const expression = this.#expressionOf(pattern);
    if (expression === undefined) return undefined;
    if (!this.#spend(expression.programSize() * (text.length + 1))) return undefined;
    return expression.matcher(text).find();
  }

  #expressionOf(pattern: string): RE2JS | undefined {
    const known = this.#patterns.known(pattern);
    if (known !== undefined) return known.expression;
    // A very long pattern takes long even before it is compiled
    const size = pattern.length > maxWork / workToCompile ? Infinity : writtenOutSize(pattern);
    return this.#spend((size + leastInstructions) * workToCompile)
      ? this.#patterns.compile(pattern, size)
      : undefined;
  }

  /** A pattern beyond the budget costs nothing: smaller ones may still fit. */
  #spend(work: number): boolean {
    if (work > this.#rest) return false;
    this.#rest -= work;
    return true;
  }
}

function compiled(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}
