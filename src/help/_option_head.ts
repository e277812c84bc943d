/** Reads the left part of an option's row in a help text: its names, and the form of its value. */

export interface OptionHead {
  readonly names: readonly [string, ...string[]];
  readonly negations: readonly string[];
  readonly value?: HeadValue | undefined;
  readonly repeated: boolean;
  readonly joined: boolean;
  readonly glue?: string | undefined;
  /** The words behind the option's names and value, which are the start of its description. */
  readonly prose: string;
}

export type HeadValue = ReturnType<typeof shapeOf>;

const name = String.raw`--?(?:\[no-?\])?[A-Za-z0-9?#@%!.+][\w.+?@:-]*(?:\[no-?\][\w-]+)?`;
const separator =
  /(?:,\s*|(?<!\s)\s*[|\/]\s*|(?<!\s)\s+or\s+|(?<!\s)\s+)(?=--?(?:\[no-?\])?[A-Za-z0-9?#@])/g;
const pieceShape = new RegExp(`^(${name})(.*)$`);

export function readOptionHead(head: string): OptionHead | undefined {
  if (/^-\w+\[[a-z]+\].* \| -|^-\d \.\.\. -| [;+]$|<[A-Z_]+ [A-Z_ ]+>\.{3}$/.test(head)) {
    return undefined;
  }
  const names: string[] = [];
  const negations: string[] = [];
  let value: HeadValue | undefined;
  let repeated = false;
  let joined = false;
  let glue: string | undefined;
  let prose = "";
  const plain = /[:;,|([=]| - /.test(head) ? simplify(head) : head;
  for (const piece of splitOutsideBrackets(plain)) {
    const match = pieceShape.exec(piece);
    if (match === null) {
      if (names.length === 0) return undefined;
      prose = `${prose} ${piece}`.trim();
      continue;
    }
    const [written, rest] = [match[1]!.replace(/[.:,]+$/, ""), match[2]!];
    // `--env.* <value>` and `--custom-te…` do not show the whole name of an option, so they are not read
    if (rest.startsWith("…") && names.length > 0) continue;
    if (/^[*…]/.test(rest) || written.endsWith("-") && /^[<{]/.test(rest)) return undefined;
    const dots = match[1]!.slice(written.length);
    addName(written, names, negations);
    const [shape, text] = readValue(rest.replace(/^,\s*(?=[<[])/, ""));
    if (dots.startsWith("...")) repeated = true;
    prose = `${prose} ${text}`.trim();
    if (shape !== undefined) {
      joined ||= /^\[?=/.test(rest.trim());
      const [, comma] = /^(,?)(?:<|\{|\[(?!=))/.exec(rest) ?? [];
      if (comma !== undefined && names.length === 1) glue = match[1]!.endsWith(":") ? ":" : comma;
      value = value === undefined || value.placeholder === "" ? shape : value;
    }
    if (/\.\.\.$/.test(rest.trim())) repeated = true;
  }
  const [first, ...others] = names;
  if (first === undefined) return undefined;
  // gcc accepts the value of `-std=<standard>` only behind `=` in the same word, never in the next word
  if (joined && /^-\w{2}/.test(first)) glue ??= "=";
  return {
    names: [first, ...others],
    negations,
    value,
    repeated,
    joined,
    glue: names.length > 1 ? undefined : glue,
    prose,
  };
}

function simplify(head: string): string {
  return head
    .replace(
      /^(--?[A-Za-z][\w-]*:|-[A-Z](?=(?:key|name|prop|var)))([A-Z.]\w*(?:=\S+)?|[a-z]+\[?=\S+)$/,
      "$1<$2>",
    )
    .replace(/[:;,]$/, "").replace(/ \[\+\]$/, "...").replace(/,\s*\/[?\w]+/g, "")
    .replace(/^-(\w)(?:\|\1+)+/, "-$1...").replace(/ - (?=-)/, " ")
    .replace(/ \[ ?(--?[A-Za-z][\w-]*) [^\]\s][^\]]*\]/, "...")
    // Boost, svn and args4j print the other names of an option in brackets: `-v [ --verbose ]`
    .replace(/ [[(] ?(--?[A-Za-z][\w-]*(?:, --?[A-Za-z][\w-]*)*) ?[\])]/g, ", $1");
}

function addName(written: string, names: string[], negations: string[]): void {
  const [, dashes, no, rest] = /^(--?)\[(no-?)\](.*)$/.exec(written) ?? [];
  const positive = written.replace(/^--no-?/, "--");
  if (no !== undefined) {
    names.push(`${dashes}${rest}`);
    negations.push(`${dashes}${no}${rest}`);
  } else if (positive !== written && names.includes(positive)) negations.push(written);
  else if (!names.includes(written)) names.push(written);
}

function splitOutsideBrackets(head: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (const { index, 0: gap } of head.matchAll(separator)) {
    const before = head.slice(from, index).trim();
    // `-S STYLE -f FORMAT` says that `-S` must be used with `-f`, so `-f` is not another name of `-S`
    const needsAnother = /^\s+$/.test(gap) && !/^--?[^\s=]+$/.test(before);
    if (depthOf(before) > 0 || needsAnother) continue;
    pieces.push(before);
    from = index + gap.length;
  }
  return [...pieces, head.slice(from)];
}

export function depthOf(text: string): number {
  let depth = 0;
  for (const character of text) {
    if ("[<{(".includes(character)) depth++;
    if ("]>})".includes(character)) depth--;
  }
  return depth;
}

const proseWords = 3;

function readValue(rest: string): [HeadValue | undefined, prose: string] {
  let text = rest.trim();
  if (text === "" || text === "...") return [undefined, ""];
  const note =
    /\s*\((?:required|REQUIRED|optional|absent[^()]*|or -[^()]*|=[^()]*|default[^()]*|"[^"]*"|[a-z ]*only|\*)\)$/
      .exec(
        text,
      );
  if (note !== null) text = text.slice(0, note.index).trim();
  if (text === "") return [undefined, note![0].trim()];
  // In `-x [list] leave these out`, the brackets hold the value, and the words behind them are the description
  const [, marked, prose] = !/^[=<[]/.test(text)
    ? []
    : /^(=?(?:<[^<>]+>|\[[^[\]]+\])|=[^\s=]+(?=\s))\s*([A-Za-z]\S* (?:\S+ )*\S+)$/.exec(text) ?? [];
  if (prose !== undefined && !/\.\.\.|^[A-Z_ ]+$|[<[|]/.test(prose)) {
    return [shapeOf(marked!), prose];
  }
  const words = text.replace(bracketed, "x").split(/\s+/);
  if (words.length > proseWords && !/\.\.\./.test(text)) return [undefined, text];
  if (words.length > 1 && /^(?:[A-Z][a-z]+\b|\([^()|]* )/.test(text)) return [undefined, text];
  return [shapeOf(text), ""];
}

const bracketed = /\[[^\]]*\]|<[^>]*>|\{[^}]*\}|\([^)]*\)/g;

export function shapeOf(text: string) {
  // In `-S STYLE -f FORMAT`, the value of `-S` ends where the next option begins
  let body = text.replace(/(?<=[\w>]) --?[A-Za-z][\w-]*(?: \S+)?$/, "");
  let optional = false;
  const dots = /\.\.\.?/.test(body);
  const whole = /^\[\s*(=?)(.*)\]$/.exec(body);
  if (whole !== null && depthOf(whole[2]!) === 0) {
    const inner = whole[2]!;
    optional = whole[1] === "=" || !isChoice(inner);
    body = inner;
  } else if (/^=\[.*\]$/.test(body)) {
    body = body.slice(2, -1);
    optional = !body.includes(",");
  }
  const assigned = body.replace(/^=\s*/, "");
  const commas = /,\s*\[?(?:[\w<>=]+,?)?\.\.\.|(\w+)\[,\1\]|comma[- ]separated|^\w+,\w+\.\.$/.test(
    assigned,
  );
  const choices: readonly string[] | undefined = choicesOf(assigned);
  const capitals = /^[([{<]?([A-Z][A-Z\d_]*(?: ?\| ?[A-Z][A-Z\d_]*)+)[)\]}>]?$/.exec(assigned)?.[1];
  const preset = /^"([^"]*)"$|^=(-?\d+(?:\.\d+)?)$/.exec(body.startsWith('="') ? assigned : body);
  const tokens = assigned.replace(/\[[^\]]*\]| \| \S+/g, "").replace(bracketed, "x").trim().split(
    /\s+/,
  )
    .filter((token) => token !== "" && !/^\.+$/.test(token));
  return {
    placeholder: placeholderOf(assigned),
    optional,
    repeated: dots,
    greedy: /^(\S+) \[\1(?: ?\.{3}\]|\] ?\.{3})|^\[\S+\] \.{3}$|^\[(?:\S+ |<[^<>]+>)\.{3}\]$/.test(
      text,
    ),
    commas,
    choices,
    capitals: capitals?.split(/ ?\| ?/),
    // Some help texts show the default where others show a placeholder: `--count=3`
    preset: preset?.[1] ?? preset?.[2],
    count: dots || whole !== null ? 1 : Math.max(1, tokens.length),
  };
}

function placeholderOf(text: string): string {
  const angle = /^<([^>]*)>/.exec(text);
  if (angle !== null) return angle[1]!.replace(/\.\.\.$/, "").trim();
  const first = text.split(/[\s,]/)[0]!.replace(/^["'[{(<]+|["'\]})>]+$/g, "");
  return first.replace(/(?<=\w)\[.*$/, "").replace(/[[\]]|\.\.\.?$/g, "");
}

const placeholderWords =
  /^(?:file|files|path|paths|dir|directory|folder|name|id|url|uri|key|value|val|n|num|number|string|str|int|host|port|user|group|glob|regex|pattern|command|cmd|ref|branch|commit|tag|hash|date|time|bytes|size|list|text|address|template|format)s?$/i;

function choicesOf(text: string): string[] | undefined {
  const braces = /^\{([^{}]+)\}(?:\s|,|$|\.|\[)/.exec(text);
  if (braces !== null) {
    const items = braces[1]!.split(/[,|]/).map(unquote).filter((item) => item !== "");
    return items.length > 1 && items.every((item) => !/[<>\s]/.test(item)) ? items : undefined;
  }
  const inner = /^[("<[]?([^()"<>[\]]+)[)">\]]?$/.exec(text.trim())?.[1];
  if (inner === undefined || !isChoice(inner)) return undefined;
  return inner.split("|").map((item) => unquote(item.trim()));
}

function isChoice(text: string): boolean {
  const items = text.split("|").map((item) => item.trim());
  return items.length > 1 &&
    items.every((item) => /^['"]?[\w.+@:-]+['"]?$/.test(item)) &&
    items.filter((item) => placeholderWords.test(item)).length * 2 < items.length &&
    !items.every((item) => /^[A-Z_]+$/.test(item));
}

export function unquote(text: string): string {
  return text.trim().replace(/^(['"`])(.*)\1$/s, "$2").replace(/^`(.*)'$/s, "$1");
}
