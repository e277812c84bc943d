/** Estimates how many tokens a text has for the tokenizer o200k_base; docs/benchmarks.md has the error. */

/** Returns whether `text` surely has at most `tokens`: a UTF-16 code unit has at most 3 bytes, a token one or more. */
export function costsNoMore(text: string, tokens: number): boolean {
  return text.length * 3 <= tokens;
}

/** Estimates how many tokens `text` has. It stops counting once there are more than `most`. */
export function estimateTokens(text: string, most = Infinity): number {
  let tokens = 0;
  for (const [run] of text.matchAll(runs)) {
    tokens += costOf(run);
    if (tokens > most) break;
  }
  return Math.ceil(tokens);
}

/** Splits text into runs as o200k_base does: words with a sign or blank in front, digits, signs, white space. */
const runs =
  // deno-lint-ignore no-control-regex
  /[^\r\n0-9A-Za-z\x80-\uffff]?(?:[A-Z]{1,512}(?![a-z])|[A-Z]?[a-z]{1,512})|\d{1,3}| ?[!-/:-@[-`{-~]{1,512}[\r\n/]{0,512}|[\t-\r ]{0,512}[\r\n]{1,512}|[\t\v\f ]{1,512}(?=\s|$|[\t\v\f ]\S)| ?[^\x00-\x7f]{1,512}|[^]/g;

/**
 * Returns how many tokens a run has: a word, digits, signs or white space. The factors in this file are fitted to
 * outputs of programs and to noise, so that the estimate is hardly ever much too low.
 */
function costOf(run: string): number {
  const first = run.charCodeAt(0);
  const last = run.charCodeAt(run.length - 1);
  if (last > 0x7f) return foreignCost(run);
  if (isLetter(last)) return wordCost(run);
  if (last >= 0x30 && last <= 0x39) return 1;
  if (isWhite(first) && (run.length === 1 || isWhite(run.charCodeAt(1)))) return whiteCost(run);
  return signCost(run);
}

function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

function isWhite(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

function wordCost(run: string): number {
  const from = isLetter(run.charCodeAt(0)) ? 0 : 1;
  let broken = 0;
  for (let at = from + 1; at < run.length; at++) {
    broken += breaks[letterAt(run, at - 1) * 26 + letterAt(run, at)]!;
  }
  const rest = Math.max(0, run.length - from - 6);
  return 0.95 + rest / 6 + broken + (from === 1 ? signBefore(run) : 0);
}

function letterAt(text: string, at: number): number {
  return (text.charCodeAt(at) | 0x20) - 0x61;
}

/** Returns how many tokens the sign in front of a word adds; most words are one token together with the sign. */
function signBefore(word: string): number {
  if (word.startsWith(" ")) return 0;
  return word.startsWith("_") ? 0.45 : word.length <= 3 ? 0.5 : 0.15;
}

const often =
  "abacadagaialamanaparasataubabebiblbobubycacechckclcocrctcudadddedidodueaecedeeefegelemeneperesetevexfafefifnfofrfugegigngshahehihohtiaibicidieifigiliminioipirisitjskeknlalcldlelflilllolsltlulymamemimjmlmmmompnancndnenfngninknonpnsntnuobocodofoiolomonoooporosotouovowpapepiplpmpoppprptrarcrergrirmrnrorrrsrtrurysascseshsisksospsrssstsutatethtitmtotrtstttutyubueuiulumunupurusutuxvavewawhwiwnwoxpxtypze";
const seldom =
  "aaafakavawaxaybcbjbmbrbscccfcicjcmcpcscvcydbdcdkdldpdrdsdtdyebeheieoeqeweyfdfffgflfsftfygagcghglgmgogpgrgtguhrhuhyikiuivixizjajejojukakiklkokskzlplvmbmdmsmtmumynlnmnnnvnyoaoeogokpcpdphpnpspupyqlqurdrfrkrlrprvrwsdsgslsmsnsqswsxsytctdtftltptwtxuaucudufugvcvivmvovrvsvtwewrwswtxaxcxexiyayeymynyoysytzizo";

const breaks = new Float64Array(26 * 26).fill(0.75);
for (const [pairs, value] of [[seldom, 0.3], [often, 0]] as const) {
  for (let at = 0; at < pairs.length; at += 2) {
    breaks[(pairs.charCodeAt(at) - 0x61) * 26 + pairs.charCodeAt(at + 1) - 0x61] = value;
  }
}

function foreignCost(run: string): number {
  let tokens = 0;
  let before = "";
  for (const character of run) {
    if (character === before) tokens += 0.3;
    else tokens += foreignCosts.find(([last]) => character <= last)![1];
    before = character;
  }
  return tokens;
}

/** How many tokens a character costs, by Unicode block: each row names the last character of its block. */
const foreignCosts: readonly (readonly [last: string, tokens: number])[] = [
  [" ", 0],
  ["\u02ff", 0.2],
  ["\u036f", 1.5],
  ["\u10ff", 0.5],
  ["\u1dff", 2],
  ["\u2fff", 1.2],
  ["\ud7ff", 1],
  ["\uffff", 2],
  ["\u{10ffff}", 3],
];

/** Returns how many tokens white space has: one, and about one more each time the blank character changes. */
function whiteCost(run: string): number {
  let changes = 0;
  for (let at = 1; at < run.length; at++) {
    const [one, other] = [run.charCodeAt(at - 1), run.charCodeAt(at)];
    if (one !== other && !(one === 0x0d && other === 0x0a)) changes++;
  }
  const longest = run.includes("\n") ? 16 : 128;
  return 1 + run.length / longest + 0.6 * Math.max(0, changes - 1);
}

const lines = "-=*#_.~/+%!:;";

function signCost(run: string): number {
  const signs = run.trim();
  const rest = run.length - signs.length - (run.startsWith(" ") ? 1 : 0);
  const { length } = signs;
  if (/^[[\]{}",:]{2,12}$/.test(signs)) return 1 + Math.max(0, length - 3) / 6;
  let tokens = length > 1 && signs[0] !== signs[1] ? 1.25 : 1;
  for (let at = 2; at < length; at++) {
    const isSame = signs[at] === signs[at - 1] && signs[at] === signs[at - 2];
    tokens += isSame ? lines.includes(signs[at]!) ? 0.015 : 0.5 : 0.82;
  }
  return tokens + Math.max(0, rest - 1) / 4;
}

/**
 * Cuts out the middle of `text`, so that its two ends have about `maxTokens`; returns `undefined` if `text` fits.
 * `lines` says how many whole lines each end has, and is absent if a line was cut.
 */
export function cutToTokens(text: string, maxTokens: number) {
  if (costsNoMore(text, maxTokens) || estimateTokens(text, maxTokens) <= maxTokens) {
    return undefined;
  }
  const head = takeLines(text, maxTokens / 2);
  const tail = takeLines(text.slice(head.length), maxTokens / 2, true);
  const start = text.slice(0, head.length);
  const end = text.slice(text.length - tail.length);
  return head.isWhole && tail.isWhole
    ? {
      head: start.replace(/\n$/, ""),
      tail: end,
      lines: { head: head.lines, tail: tail.lines },
    }
    : { head: start.toWellFormed(), tail: end.toWellFormed() };
}

/** Returns the longest beginning of `text` within `maxTokens`: whole lines, or a part of a too long first line. */
export function headOf(text: string, maxTokens: number): string {
  return text.slice(0, takeLines(text, maxTokens).length).toWellFormed();
}

/**
 * Returns how much of the start or end of `text` fits into `most` tokens: whole lines, and a part of the next line if
 * the whole lines use less than half of the tokens.
 */
function takeLines(text: string, most: number, fromEnd = false) {
  const reach = maxLength(most) + 1;
  const part = fromEnd ? text.slice(-reach) : text.slice(0, reach);
  const all = part.split(/(?<=\n)/);
  let left = most;
  let length = 0;
  for (const [lines, line] of (fromEnd ? all.reverse() : all).entries()) {
    const cost = costWithin(line, left);
    if (cost > left) {
      if (left < most / 2) return { length, lines, isWhole: true };
      return { length: length + lengthWithin(line, left, fromEnd), lines, isWhole: false };
    }
    left -= cost;
    length += line.length;
  }
  return { length, lines: all.length, isWhole: true };
}

function maxLength(most: number): number {
  return 2000 + most * 200;
}

function costWithin(text: string, most: number): number {
  return text.length > maxLength(most) ? Infinity : estimateTokens(text, most);
}

function lengthWithin(line: string, most: number, fromEnd: boolean): number {
  let [fits, exceeds] = [0, line.length];
  while (exceeds - fits > 1) {
    const length = (fits + exceeds) >> 1;
    const part = fromEnd ? line.slice(-length) : line.slice(0, length);
    if (costWithin(part, most) <= most) fits = length;
    else exceeds = length;
  }
  return fits;
}
