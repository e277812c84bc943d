/**
 * The patterns in the schemas of one server, compiled once, and what a check may spend on them: both their
 * size and the texts come from strangers, and everybody waits for the thread that matches them.
 */

import { RE2JS } from "re2js";
import { writtenOutSize } from "../../files/searchable.ts";

/** Instructions of the patterns that are kept of one server; beyond, all are forgotten. */
const keptInstructions = 50_000;

/** Instructions times characters that one check may match, which takes 20 ms at worst. */
const maxWork = 800_000;

/** What an instruction that is compiled counts for, and how many there are of the smallest pattern. */
const workToCompile = 100;
const leastInstructions = 30;

/** The compiled patterns of one server. */
export class SchemaPatterns {
  readonly #compiled = new Map<string, RE2JS | undefined>();
  #instructions = 0;

  /** What one check may spend. */
  budget(): PatternBudget {
    return new PatternBudget(this);
  }

  /** `pattern`, if it is known; `undefined` in it is one that RE2 does not know. */
  known(pattern: string): { readonly expression: RE2JS | undefined } | undefined {
    return this.#compiled.has(pattern) ? { expression: this.#compiled.get(pattern) } : undefined;
  }

  /** Compiles `pattern`, of about `size` instructions, and keeps it. */
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

/** What one check has left to spend. */
export class PatternBudget {
  readonly #patterns: SchemaPatterns;
  #left = maxWork;

  constructor(patterns: SchemaPatterns) {
    this.#patterns = patterns;
  }

  /** Returns whether `pattern` occurs in `text`, if that can be told. */
  isFound(pattern: string, text: string): boolean | undefined {
    const expression = this.#expressionOf(pattern);
    if (expression === undefined) return undefined;
    if (!this.#spend(expression.programSize() * (text.length + 1))) return undefined;
    return expression.matcher(text).find();
  }

  #expressionOf(pattern: string): RE2JS | undefined {
    const known = this.#patterns.known(pattern);
    if (known !== undefined) return known.expression;
    // One that is very long takes its time before it is compiled
    const size = pattern.length > maxWork / workToCompile ? Infinity : writtenOutSize(pattern);
    return this.#spend((size + leastInstructions) * workToCompile)
      ? this.#patterns.compile(pattern, size)
      : undefined;
  }

  /** What does not fit does not count: others may. */
  #spend(work: number): boolean {
    if (work > this.#left) return false;
    this.#left -= work;
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
