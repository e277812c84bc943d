/**
 * How many tokens a text costs a language model, estimated without a tokenizer: words, numbers and runs
 * of signs are parted about as o200k_base parts them, and each counted by its length. What programs
 * print is met within 15 %, as `deno task bench` shows; a text of random letters costs more than is said.
 */

/** Tokens of `text`, never more than its UTF-16 code units; behind more than `most` nothing is counted. */
export function estimateTokens(text: string, most = Infinity): number {
  let tokens = 0;
  for (const [run] of text.matchAll(runs)) {
    tokens += costOf(run);
    if (tokens > most) break;
  }
  return Math.min(text.length, Math.ceil(tokens));
}

/** A word with the sign or blank before it, digits, signs, line breaks, blanks, anything else. */
const runs =
  // deno-lint-ignore no-control-regex
  /[^\r\n\w]?(?:[A-Z]+(?![a-z])|[A-Z]?[a-z]+)|\d{1,3}| ?[!-/:-@[-`{-~]+[\r\n/]*|\s*[\r\n]+|[^\S\r\n]+(?=\s|$|[^\S\r\n]\S)|[^\x00-\x7f]+|\s|[^]/g;

/** The numbers are fitted to the outputs of a dozen programs. */
function costOf(run: string): number {
  const { length } = run;
  const last = run.charCodeAt(length - 1);
  // Alphabets are read in words, what is written without blanks and pictures sign by sign
  if (last > 0x7f) return last < 0x2000 ? Math.max(1, length * 0.3) : length * 0.8;
  if (isLetter(last)) return 1 + Math.max(0, length - 6) / 5;
  if (last <= 0x20) return 1 + length / 128;
  if (length <= 2) return 1;
  return isUniform(run) ? 1 + length / 24 : 1 + (length - 2) / 2.5;
}

function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

/** Whether it is a line drawn of one sign, which is few tokens. */
function isUniform(run: string): boolean {
  return run[1] === run.at(-1) && run[1] === run[run.length >> 1];
}
