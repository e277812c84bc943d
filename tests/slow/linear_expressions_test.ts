/**
 * No regular expression of `src` takes more than linear time: a stranger's text would stop everybody. Each one reads texts
 * that repeat a piece of what it matches, behind a piece that it matches and in front of one that it does not.
 */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { maxLineLength } from "../../src/help/read_help.ts";
import { threadCpuUsage } from "node:process";

const root = fileURLToPath(new URL("../../", import.meta.url));

interface Expression {
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

/** Lengths of the texts: exponential time shows at one of the first, before it takes for ever. */
const sizes = [20, 30, 45, 70, 100, 150, 400, 16_000];

/** What reads only the lines of a help, which are bounded. */
const ofLines = /^src\/(?:help\/|setup\/_(?:tool_draft|excluded_options)\.ts)/;

/** Milliseconds that a text may take: quadratic time takes a hundred. */
const mostMs = 30;

/** Finds the literals by the parser of `deno lint`. */
async function expressionsOf(folder: string): Promise<Expression[]> {
  const found: Expression[] = [];
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) found.push(...await expressionsOf(path));
    else if (entry.name.endsWith(".ts")) {
      Deno.lint.runPlugin(
        {
          name: "expressions",
          rules: {
            literals: {
              create: () => ({
                Literal(node) {
                  if (!("regex" in node) || node.regex === undefined) return;
                  const { pattern: source, flags } = node.regex;
                  found.push({ place: path.slice(root.length), source, flags });
                },
              }),
            },
          },
        },
        path,
        await Deno.readTextFile(path),
      );
    }
  }
  return found;
}

/** True if `source` repeats something without a bound where it can begin at more than one place. */
function canBeSlow({ source, flags }: Expression): boolean {
  const bare = source.replace(/\\./g, "x").replace(/\[[^\]]*\]/g, "x");
  const repeats = bare.match(/[*+]|\{\d+,\d*\}/g)?.length ?? 0;
  return repeats > 1 || (repeats === 1 && (!bare.startsWith("^") || flags.includes("m")));
}

/** Texts that `source` matches, but for what it looks at without taking it. */
function examplesOf({ source, flags }: Expression): readonly string[] {
  // A class with a property of Unicode takes minutes, and one without all of ASCII is drawn for ever
  const plain = withoutLooks(source).replace(/\\[1-9]|\\[bB]/g, "")
    .replace(/\\[pP]\{[^}]*\}/g, "a-z").replace(/\\(?:0|x00)-\\x7f/g, "");
  try {
    const own = flags.replace(/[gmyd]/g, "");
    return fc.sample(fc.stringMatching(new RegExp(plain, own), { size: "small" }), {
      seed: 1,
      numRuns: 6,
    });
  } catch {
    return source.match(/[\w.:/@ -]+/g) ?? [];
  }
}

/** `source` without `(?=…)`, `(?!…)`, `(?<=…)` and `(?<!…)`. */
function withoutLooks(source: string): string {
  let text = "";
  let depth = 0;
  const parts = source.match(/\\.|\[(?:\\.|[^\]\\])*\]|\(\?<?[=!]|[^]/g) ?? [];
  for (const part of parts) {
    if (depth === 0 && !/^\(\?<?[=!]$/.test(part)) text += part;
    else if (part.startsWith("(")) depth++;
    else if (part === ")") depth--;
  }
  return text;
}

/** Texts of `length` that repeat pieces of `examples`. */
function* worstTexts(examples: readonly string[], length: number): Generator<string> {
  const pieces = new Set([" ", "\t", "\n", "-", "0", "a", "\\", '"']);
  for (const example of examples) {
    for (let start = 0; start < Math.min(example.length, 24); start++) {
      for (const width of [1, 2, 4, example.length]) {
        pieces.add(example.slice(start, start + width));
      }
    }
  }
  const example = examples.toSorted((a, b) => b.length - a.length)[0] ?? "";
  const heads = ["", example, example.slice(0, example.length / 2)];
  for (const piece of [...pieces].filter((each) => each !== "").slice(0, 48)) {
    const pumped = piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
    for (const head of heads) yield `${head}${pumped}\0\n`;
  }
}

function firstSlow(
  sizes: readonly number[],
  examples: readonly string[],
  isSlow: (text: string) => boolean,
) {
  for (const size of sizes) {
    const text = worstTexts(examples, size).find(isSlow);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** Milliseconds that this thread computes. */
function computedMs(work: () => unknown): number {
  const began = threadCpuUsage();
  work();
  const { user, system } = threadCpuUsage(began);
  return (user + system) / 1000;
}

function took(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

const all = await expressionsOf(fileURLToPath(new URL("../../src", import.meta.url)));

Deno.test("every regular expression of src takes linear time", () => {
  assert.ok(all.length > 500, `only ${all.length} expressions were found`);
  const slow: string[] = [];
  for (const expression of all.filter(canBeSlow)) {
    const { source, flags, place } = expression;
    const pattern = new RegExp(source, `${flags.replace("g", "")}g`);
    const read = (text: string) => {
      for (const _ of text.matchAll(pattern));
    };
    const examples = examplesOf(expression);
    // A busy machine makes a run longer, never what it computes
    const isSlow = (text: string) =>
      took(() => read(text)) > mostMs && computedMs(() => read(text)) > mostMs;
    const text = firstSlow(
      ofLines.test(place) ? [...sizes.slice(0, -1), maxLineLength] : sizes,
      examples,
      isSlow,
    );
    if (text === undefined) continue;
    slow.push(
      `${place}: /${source}/${flags} on ${JSON.stringify(text.slice(0, 60))}`,
    );
  }
  assert.deepEqual(slow, []);
});
