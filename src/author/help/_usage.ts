/** Usage lines: which arguments stand by themselves, in which order, and which must be there. */

import type { Line } from "./_sections.ts";

/** An argument that a usage line shows. */
export interface UsageArgument {
  readonly name: string;
  readonly required: boolean;
  readonly list: boolean;
  readonly choices?: readonly string[];
}

/** What the usage lines say. */
export interface Usage {
  readonly arguments: readonly UsageArgument[];
  /** Options that stand outside brackets. */
  readonly requiredOptions: ReadonlySet<string>;
  /** The other forms, as they are written. */
  readonly others: readonly string[];
}

interface UsageOptions {
  readonly words: readonly string[];
  readonly lowerCase: boolean;
}

/** A token, or what stands in brackets. */
type Node =
  | { readonly kind: "word"; readonly text: string }
  | { readonly kind: "group"; readonly open: string; readonly nodes: readonly Node[] };

/** Reads the lines of a usage section. */
export function readUsages(lines: readonly Line[], options: UsageOptions): Usage {
  const forms = formsOf(lines, options.words);
  const read = forms.map((form) => readForm(form, options));
  const best = read.findIndex(({ arguments: found }) => found.length > 0);
  if (best === -1) {
    const required = read.length === 1 ? read[0]!.requiredOptions : new Set<string>();
    return { arguments: [], requiredOptions: required, others: forms.slice(1) };
  }
  const others = forms.filter((_, index) => index !== best);
  // An option that one of several forms demands is not demanded
  const requiredOptions = read.length === 1 ? read[best]!.requiredOptions : new Set<string>();
  return { arguments: read[best]!.arguments, requiredOptions, others };
}

/** Each form on one line, without the words of the command. */
function formsOf(lines: readonly Line[], words: readonly string[]): string[] {
  const program = words[0]!.split("/").at(-1)!;
  const start = (text: string) => text.replace(/^(?:\$ |or:?\s+|\d+\.\s+)/i, "");
  const isProgram = (text: string) => {
    const first = start(text).split(/\s/)[0]!;
    return first === program || first.split("/").at(-1)!.replace(/\.(?:py|js|exe)$/, "") === program;
  };
  const forms: string[] = [];
  for (const { text } of lines) {
    if (text === "" || text.startsWith("-") && forms.length === 0) {
      if (forms.length > 0) break;
      continue;
    }
    if (forms.length === 0 || isProgram(text) || /^or:?\s/i.test(text)) forms.push(start(text));
    else forms.push(`${forms.pop()} ${text}`);
  }
  return forms.map((form) => withoutCommand(form, words));
}

function withoutCommand(form: string, words: readonly string[]): string {
  const tokens = form.split(/\s+/);
  let at = 1;
  for (const word of words.slice(1)) {
    // Options of the program may stand before its subcommand; an alias may stand for it
    const found = tokens.slice(at).findIndex((token) => token.split("|").includes(word));
    if (found !== -1 && found < 4) at += found + 1;
  }
  return tokens.slice(at).join(" ");
}

/** Words in usage lines that stand for all options, or for a command and what it takes. */
const stands =
  /^(?:options?|flags?|opts|global[-_ ]?(?:options|flags)|commands?|sub-?commands?|args?|cmd|.*_wide_flag|package-index-options|command_options|options\.\.\.|--)$/i;

function readForm(form: string, { lowerCase }: UsageOptions): Omit<Usage, "others"> {
  const found: UsageArgument[] = [];
  const requiredOptions = new Set<string>();
  const nodes = parse(form);
  for (let at = 0; at < nodes.length; at++) {
    const node = nodes[at]!;
    const next = nodes[at + 1];
    const dots = next?.kind === "word" && /^\.\.\.?$/.test(next.text);
    const text = textOf(node);
    if (/^\.\.\.?$/.test(text) || text === "|") continue;
    if (node.kind === "word" && text === "|") continue;
    if (startsWithDash(node)) {
      if (node.kind === "word" && text !== "--") {
        requiredOptions.add(text.split(/[=\s]/)[0]!);
        const takesNext = next !== undefined && !text.includes("=") && isValue(next);
        if (takesNext) at++;
      }
      continue;
    }
    const argument = argumentOf(node, { lowerCase, list: dots });
    if (argument === undefined || found.some(({ name }) => name === argument.name)) continue;
    found.push(argument);
  }
  return { arguments: found, requiredOptions };
}

function isValue(node: Node): boolean {
  return node.kind === "group" ? node.open !== "[" : /^[A-Z_]+$/.test(node.text);
}

function startsWithDash(node: Node): boolean {
  if (node.kind === "word") return node.text.startsWith("-");
  const [first] = node.nodes;
  return first !== undefined && startsWithDash(first) && textOf(first) !== "--";
}

function argumentOf(
  node: Node,
  { lowerCase, list }: { lowerCase: boolean; list: boolean },
): UsageArgument | undefined {
  const text = textOf(node);
  const required = node.kind === "word" || node.open !== "[";
  const isList = list || /\.\.\.?/.test(text);
  const alternatives = text.replace(/\[--\]/g, "").split("|").map((each) => cleanName(each))
    .filter((each) => each !== "" && !each.startsWith("-"));
  const [first] = alternatives;
  if (first === undefined || stands.test(first)) return undefined;
  if (node.kind === "word" && !/[A-Z]/.test(text) && !lowerCase && !text.startsWith("<")) {
    return undefined;
  }
  if (node.kind === "group" && node.open === "{" && alternatives.length > 1) {
    const braces = text.replace(/^\{|\}.*$/g, "").split(/[,|]/);
    if (braces.every((each) => /^[\w-]+$/.test(each))) return undefined;
  }
  const name = [...new Set(alternatives.slice(0, 2))].join("_or_");
  return { name, required, list: isList };
}

/** A placeholder's first word, without brackets and dots. */
function cleanName(text: string): string {
  const inner = /<([^>]+)>/.exec(text)?.[1] ?? text;
  const words = inner.replace(/[[\]{}()<>"'`]/g, " ").replace(/\.\.\.?/g, " ").trim().split(/\s+/);
  const distinct = [...new Set(words)];
  const named = /<[^>]+>/.test(text) ? distinct.slice(0, 3).join("_") : distinct[0]!;
  return named.replace(/[,:;=].*$/, "");
}

function textOf(node: Node): string {
  if (node.kind === "word") return node.text;
  const close = { "[": "]", "{": "}", "(": ")", "<": ">" }[node.open] ?? "";
  return `${node.open}${node.nodes.map(textOf).join(" ")}${close}`;
}

const pairs: Readonly<Record<string, string>> = { "[": "]", "{": "}", "(": ")", "<": ">" };

/** Nesting a usage line may have before it is taken as it stands. */
const maxDepth = 20;

function parse(text: string): Node[] {
  let at = 0;
  const parseUntil = (close: string | undefined, depth: number): Node[] => {
    const nodes: Node[] = [];
    let word = "";
    const flush = () => {
      if (word !== "") nodes.push({ kind: "word", text: word });
      word = "";
    };
    while (at < text.length) {
      const character = text[at++]!;
      const closing = pairs[character];
      // `--file=<path>` is one word
      if (closing !== undefined && depth < maxDepth && !/[=\w-]$/.test(word)) {
        flush();
        const inner = parseUntil(closing, depth + 1);
        nodes.push({ kind: "group", open: character, nodes: inner });
      } else if (closing !== undefined && word !== "") {
        const end = text.indexOf(closing, at);
        const stop = end === -1 ? text.length : end + 1;
        word += character + text.slice(at, stop);
        at = stop;
      } else if (character === close) {
        break;
      } else if (/\s/.test(character)) {
        flush();
      } else {
        word += character;
      }
    }
    flush();
    return nodes;
  };
  return parseUntil(undefined, 0);
}
