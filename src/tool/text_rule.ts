/**
 * The rules for characters in a text that a program gets. Programs disagree on the meaning of control
 * characters and line breaks: git, for one, drops some from a name, so the name that was checked is not the
 * one that is used.
 */

import { excerpt, quote } from "../text/excerpt.ts";
import { escapeInvisible } from "../text/escape.ts";

/** The kinds of texts, the strictest first. */
export const textRules = ["url", "line", "multiline", "any"] as const;

/**
 * - `url`: no control characters, no marks of format, no white space
 * - `line`: no control characters but tab, no line breaks
 * - `multiline`: no control characters but tab and the line breaks LF and CR LF
 * - `any`: every character; NUL and lone surrogates are refused wherever a text is read
 */
export type TextRule = typeof textRules[number];

/** The characters that a rule refuses, and the words of the refusal. */
interface Characters {
  readonly refused: RegExp;
  readonly accepted: string;
  /** The next rule that allows the character, if a config can name one. */
  readonly wider?: (found: string) => TextRule;
}

/** The line breaks of a `multiline` text; a CR alone is not one. */
const lineBreaks = ["\n", "\r\n", "\u2028", "\u2029"];

const characters: Readonly<Record<Exclude<TextRule, "any">, Characters>> = {
  url: {
    refused: /[\p{Cc}\p{Cf}\p{Cs}\p{Z}]/u,
    accepted: "a URL, without control characters and white space (%20 is a space)",
  },
  line: {
    // deno-lint-ignore no-control-regex
    refused: /\r\n|[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]/,
    accepted: "one line, without control characters but tab",
    wider: (found) => lineBreaks.includes(found) ? "multiline" : "any",
  },
  multiline: {
    // deno-lint-ignore no-control-regex
    refused: /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)/,
    accepted: "a text without control characters but tab and line breaks (LF, CR LF)",
    wider: () => "any",
  },
};

/**
 * Returns the reason why the characters of `text` break the rule; `undefined` when they do not.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(
 * textReason("a\nb", "line"),
 * "'a\\u{a}b' contains U+000A and must be one line, without control characters but tab; " +
 * "a config can allow it with 'text: multiline'",
 * );
 * assert.equal(textReason("a\nb", "multiline"), undefined);
 * ```
 */
export function textReason(text: string, rule: TextRule): string | undefined {
  if (rule === "any") return undefined;
  const { refused, accepted, wider } = characters[rule];
  const found = refused.exec(text)?.[0];
  if (found === undefined) return undefined;
  const code = found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
  const allowed = wider === undefined ? "" : `; a config can allow it with 'text: ${wider(found)}'`;
  return `${
    quote(escapeInvisible(excerpt(text, 100)))
  } contains U+${code} and must be ${accepted}${allowed}`;
}
