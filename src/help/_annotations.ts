/** Reads what an option's description says about its value in a usual form: `[default: 3]`, `(choices: a, b)`. */

import type { Line } from "./_columns.ts";
import { unquote } from "./_option_head.ts";

export type HelpAnnotations = ReturnType<typeof readAnnotations>;

interface Found {
  default?: string | undefined;
  choices?: readonly string[] | undefined;
  choicesGuessed: boolean;
  required: boolean;
  words: Set<string>;
}

const maxChoices = 60;

export function readAnnotations(paragraphs: readonly string[], isSwitch = false) {
  const found: Found = { choicesGuessed: false, required: false, words: new Set() };
  const all = paragraphs.join("\n");
  readBrackets(all, found);
  readDefault(all, found);
  readValueList(paragraphs, found);
  if (found.choices === undefined && !isSwitch) readProseChoices(all, found);
  const isOther = found.choicesGuessed && found.default !== undefined &&
    !found.choices!.includes(found.default);
  if (isOther) delete found.choices;
  return {
    ...found,
    // Python's fire begins a description with the type of the option, as in `Type: int`
    type: /^Type: (?:Optional\[)?(int|float)\b/.exec(all)?.[1],
    text: withoutAnnotations(paragraphs[0] ?? "", found),
    repeatable: !isSwitch && repeatable.test(all),
    hasUnits: !isSwitch &&
      /\b\d+[kmg]i?b\b|\b(?:units?|suffix(?:es)?)\b|\b0x[\da-f]|\balias (?:for|of) -/i.test(
        all,
      ),
    commas: !isSwitch && /comma[- ](?:separated|delimited)|separated by (?:a )?commas?/i.test(all),
  };
}

const repeatable =
  /\b(?:can|may) be (?:used|given|specified|passed|set|provided|repeated|supplied)?\s*(?:multiple|many|several|more than one|more than once|repeatedly)|\brepeatable\b|\bmay be repeated\b|\bcan be repeated\b|(?:use|specify|give|pass|provide|repeat) (?:this|the) (?:option|flag|argument)?\s*(?:option |flag )?multiple|multiple (?:uses|times|values|flags|options)|allowed multiple|you (?:can|may) \w+ (?:it |this |them )?(?:multiple|many|several)(?: times| values|(?=[.,;)]|$))|more than once|^\s*\(multiple\)|\(repeatable\)|multiple allowed|^(?:a )?list of\b|\bmultiple (?:\w+ )?(?:can be (?:set|given|used)|are allowed)|\brepeat the option\b|\bwhen (?:repeated|given (?:more than once|multiple times)),? all\b/i;

const bracketed = / ?\[(default: "[^"]*"|(?:[^[\]]|\[(?:[^[\]]|\[[^[\]]*\])*\])*)\]/g;

function readBrackets(all: string, found: Found): void {
  for (const [, inner] of all.matchAll(bracketed)) {
    const text = inner!.trim();
    const [, key, rest] = /^([a-z ]+):\s*(.*)$/is.exec(text) ?? [];
    switch (key?.toLowerCase().trim()) {
      case "default":
        readClickDefault(rest!, found);
        break;
      case "possible values":
      case "choices":
      case "options":
      case "allowed values":
        found.choices ??= splitChoices(rest!);
        break;
      default:
        readMarkedChoices(text, found);
        for (const word of text.split(/;\s*/)) found.words.add(word.trim());
    }
  }
  found.required = found.words.has("required") ||
    /\((?:required|REQUIRED)\)/.test(all) || /^\(?required\)?[.:]/i.test(all);
  // The libraries commander, Swift's and oclif print choices as `(choices: a, b)` or `<options: a|b>`
  const [, list] = /[(<](?:choices|values|options):\s*([^()<>]+?)(?=, default|[;)>])/.exec(all) ??
    [];
  if (list !== undefined) found.choices ??= splitChoices(list);
}

function readMarkedChoices(text: string, found: Found): void {
  const items = text.split(/,\s*/).map((each) => /^([\w.+-]+)( \(default\))?$/.exec(each));
  const preset = items.find((each) => each?.[2] !== undefined);
  if (preset == null || items.length < 2 || items.includes(null)) return;
  found.choices ??= items.map((each) => each![1]!);
  found.default ??= preset[1]!;
}

function readClickDefault(rest: string, found: Found): void {
  const [preset, ...others] = rest.split(/; (?=required$|[x\d.]*[<>]|env var)/);
  found.default ??= unquote(preset!).replace(/\s+/g, " ").trim();
  for (const other of others) found.words.add(other.trim());
}

function readDefault(all: string, found: Found): void {
  if (found.default !== undefined || !all.includes("efault")) return;
  const match =
    /\(default(?:s to|\s+is)?:?\s*=?\s*("(?:[^"\\]|\\.)*"|'[^']*'|`[^`]*`|[^()]*?)\)/i.exec(all) ??
      /[(,;]\s*default:\s*("(?:[^"\\]|\\.)*"|[^(),]+)\)/i.exec(all) ??
      / - default: (\S+)$/.exec(all);
  // Python's fire begins a description with type and default: `Type: int Default: 3`
  const text = unquote(match?.[1] ?? /^Type: \S+ Default: (?!None\b)(\S+)/.exec(all)?.[1] ?? "");
  // A default of three words or more, as in `(default is the type of the source)`, is a sentence and no value
  const isProse = /^[^"'`]*\s[^"'`]*\s/.test(match?.[1] ?? "");
  if (text !== "" && !isProse) found.default = text;
}

function readValueList(paragraphs: readonly string[], found: Found): void {
  const start = paragraphs.findIndex((text) => /^(?:possible values|choices):?$/i.test(text));
  if (start === -1) return;
  const items: string[] = [];
  for (const text of paragraphs.slice(start + 1)) {
    const item = /^[-*•] ([^\s:]+)(?::|$)/.exec(text);
    if (item === null) break;
    items.push(item[1]!);
  }
  if (items.length > 0) found.choices = items;
}

export function valuesBelow(lines: readonly Line[]): string[] | undefined {
  const at = lines.findIndex(({ text }) =>
    /\b(?:formats|kinds|modes|styles|types|values|variants)\b[^.]*:$|\bone of(?: the following)?:$/i
      .test(text)
  );
  const rows = at === -1 ? [] : lines.slice(at + 1).filter(({ text }) => text !== "");
  const names = rows.filter(({ indent }) => indent <= rows[0]!.indent)
    .map(({ text }) => /^([a-z][\w.-]*) {2,}\S/.exec(text)?.[1] ?? "");
  return names.length > 1 && !names.includes("") ? names : undefined;
}

const item = String.raw`(?:'[^']{1,60}'|"[^"]{1,60}"|\`[^\`]{1,60}\`|[\w.+-]{1,60})`;
const between = String.raw`(?:\s*,\s*(?:or|and)\s+|\s*[,|/]\s*|\s+(?:or|and)\s+)`;
const opening = "one of|must be|either|choose from|choices are|(?<=^|[.;)] )options:|" +
  "(?:allowed|valid|supported|possible|available) (?:values|options|formats|types)(?: are)?";

const proseForms: readonly RegExp[] = [
  new RegExp(`\\b(?:${opening})\\s*:?\\s*[([{]?(${item}(?:${between}${item})+)`, "i"),
  /(?<!\S)\{([\w.+-]+(?:\|[\w.+-]+)+)\}/,
  /(?<!\S)\(([a-z][\w.+-]*(?:\|[\w.+-]+)+)\)/,
  /: \[([A-Za-z][\w.+-]*(?:, ?[A-Za-z][\w.+-]*)+)\]/,
  // A sentence may list choices: `TYPE is 'binary', 'text', or 'without-match'`, or `METHOD={none,all}`
  new RegExp(
    `\\b[A-Z]{3,}(?: is| may be| can be|:) (['"\`][\\w.+-]+['"\`](?:${between}['"\`][\\w.+-]+['"\`])+)`,
  ),
  /\b[A-Z]{3,}=\{([\w.+-]+(?:\(default\))?(?:,[\w.+-]+(?:\(default\))?)+)\}/,
  new RegExp(`: (['"\`][\\w.+-]+['"\`](?:${between}['"\`][\\w.+-]+['"\`])+)`),
];

function readProseChoices(all: string, found: Found): void {
  for (const [index, form] of proseForms.entries()) {
    const match = form.exec(all);
    if (match === null) continue;
    const items = splitChoices(match[1]!);
    // Words joined by "or" may be plain prose, so they count as choices only with quotes or bars
    const isMarked = index > 0 || /['"`|]/.test(match[1]!) ||
      /one of|values|options:/i.test(match[0]);
    if (!isMarked || items.length < 2 || items.length > maxChoices) continue;
    if (items.some((item) => item === "" || /\s/.test(item))) continue;
    if (items.every((item) => unit.test(item))) continue;
    const [before, after] = [all.slice(0, match.index), all.slice(match.index + match[0].length)];
    if (/(?:e\.?g\.?|examples?|such as|like|for instance|\bonly)[,:]?\s*\W?$/i.test(before)) {
      continue;
    }
    // "one of 'a', 'b' or a path to a class of your own" allows other values too, so it gives no choices
    if (/["'`]$/.test(match[0]) && /^\s*["'`:]/.test(after)) continue;
    if (/^[,.]? (?:or|and) (?:a|an|the|any|your|set|specify|give|use)\b/i.test(after)) {
      continue;
    }
    found.choices = items;
    found.choicesGuessed = true;
    return;
  }
}

const unit = /^(?:[nuµm]?s|m|h|d|w|y|min|sec|[kmgt]i?b?|b|bytes|seconds|minutes|hours|days)$/i;

function splitChoices(text: string): string[] {
  const items = text.replace(/\.$/, "").split(
    /(?<!\s)(?:\s*,(?:\s*(?:or|and)\s)?|\s*\||\s+(?:or|and)\s|\s+\/\s)\s*/,
  );
  return [
    ...new Set(
      items.map((item) => unquote(item.replace(/\(default\)$/, ""))).filter((item) =>
        item !== "" && item !== "..."
      ),
    ),
  ];
}

const annotation =
  /^(?:default|possible values|choices|options|aliases|alias|env|env var|required|string|boolean|number|array|count|x?[<>]=?)/i;

function withoutAnnotations(text: string, found: Found): string {
  text = text.replace(/^Type: \S+ (?:Default: \S+ )?/, "");
  if (!/[[(<]/.test(text)) return text.replace(/\s+/g, " ").trim();
  return text
    .replace(bracketed, (all, inner: string) => annotation.test(inner) ? "" : all)
    .replace(/[[(]default:[^\])]*$/i, "")
    .replace(/\s*\((choices|default):[^()]*\)/gi, (all, kind: string) => {
      return kind.toLowerCase() === "default" && found.default === undefined ? all : "";
    })
    .replace(/ *<options:[^>]*>/g, "")
    .replace(/\s+/g, " ")
    .trim();
}
