/** Reads usage lines: the positional arguments, their order, and whether they are required. */

import { type OptionHead, readOptionHead } from "./_option_head.ts";
import type { Line } from "./_sections.ts";

export interface UsageArgument {
  readonly name: string;
  readonly required: boolean;
  readonly list: boolean;
  readonly choices?: readonly string[];
}

export interface Usage {
  readonly arguments: readonly UsageArgument[];
  /** Options outside brackets. */
  readonly requiredOptions: ReadonlySet<string>;
  /** Every option that it names. */
  readonly options: ReadonlySet<string>;
  /** The other forms as written. */
  readonly others: readonly string[];
  /** Literal words at the start of a form. */
  readonly literals: readonly string[];
  /** True when there is a form without a subcommand. */
  readonly standsAlone: boolean;
}

interface UsageOptions {
  readonly words: readonly string[];
  readonly lowerCase: boolean;
  readonly hasSubcommands: boolean;
  /** Options without a value. */
  readonly switches: ReadonlySet<string>;
}

export function readUsages(lines: readonly Line[], options: UsageOptions): Usage {
  const forms = formsOf(lines, options.words);
  const read = forms.map((form) => readForm(form, options));
  const plain = read.filter(({ literal, isPlea }) => literal === undefined && !isPlea);
  const best = plain.find(({ arguments: found }) => found.length > 0);
  const others = forms.filter((form, index) => {
    const { isPlea, literal } = read[index]!;
    return !isPlea && literal === undefined && read[index] !== best && saysMore(form);
  });
  const literals = [...new Set(read.flatMap(({ literal }) => literal ?? []))];
  // An argument that only some forms require is optional
  const isDemanded = (argument: UsageArgument) => {
    return plain.every(({ arguments: found }) => found.some(({ name }) => name === argument.name));
  };
  return {
    arguments: (best?.arguments ?? []).map((argument) => {
      return { ...argument, required: argument.required && isDemanded(argument) };
    }),
    options: new Set(forms.flatMap((form) => form.match(/(?<![\w-])--?[A-Za-z0-9][\w-]*/g) ?? [])),
    requiredOptions: plain.length === 1 ? plain[0]!.requiredOptions : new Set(),
    others,
    literals,
    standsAlone: forms.length === 0 ? false : plain.some(({ isGroup }) => !isGroup),
  };
}

/** Returns whether a form has more than options that the help lists. */
function saysMore(form: string): boolean {
  const rest = form.replace(/\[(?:[^[\]]|\[[^\]]*\])*\]/g, "").replace(/--?[\w-]+/g, "");
  return /[A-Za-z]{2}/.test(rest);
}

/** Returns the name of a program at a path, without the ending that scripts and programs of Windows have. */
function nameOf(path: string): string {
  return path.split(/[\\/]/).at(-1)!.replace(/\.(?:py|js|exe|cmd|bat)$/i, "");
}

/** Returns each form on one line, without the words of the command. */
export function formsOf(lines: readonly Line[], words: readonly string[]): string[] {
  const program = nameOf(words[0]!);
  const start = (text: string) => text.replace(/^(?:\$ |or:?\s+|\d+\.\s+)/i, "");
  const isProgram = (text: string) => {
    const first = start(text).split(/\s/)[0]!;
    return first === program || nameOf(first) === program;
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
  const own = forms.flatMap((form) => withoutCommand(form, words) ?? []);
  return own.length > 0 ? own : forms.map((form) => form.split(/\s+/).slice(1).join(" "));
}

/** Removes the command's words; `undefined` for the form of another command. */
function withoutCommand(form: string, words: readonly string[]): string | undefined {
  const tokens = form.split(/\s+/);
  let at = 1;
  for (const word of words.slice(1)) {
    // Options of the program may be in front of its subcommand; an alias may replace it
    const found = tokens.slice(at).findIndex((token) => token.split("|").includes(word));
    if (found === -1 || found > 4) return undefined;
    at += found + 1;
  }
  return tokens.slice(at).join(" ");
}

/** These words in usage lines stand for all options. */
const optionWords =
  /^(?:options?|flags?|opts?|global[-_ ]?(?:options|flags)|.*_wide_flag|package-index-options|--)$/i;

/** These words stand for a command and its arguments. */
const commandWords = /^(?:commands?|sub-?commands?|args?|cmd|group|topic|arguments?)$/i;

interface Form {
  readonly arguments: readonly UsageArgument[];
  readonly requiredOptions: ReadonlySet<string>;
  /** Its first word, when it is literal. */
  readonly literal?: string;
  /** True when a command must follow. */
  readonly isGroup: boolean;
  /** True when it only asks for help or the version. */
  readonly isPlea: boolean;
}

function readForm(form: string, options: UsageOptions): Form {
  const found: UsageArgument[] = [];
  const requiredOptions = new Set<string>();
  const nodes = parseNodes(form.replace(/\s# .*$/, "").replaceAll("…", "..."));
  let isGroup = false;
  for (let at = 0; at < nodes.length; at++) {
    const node = nodes[at]!;
    const next = nodes[at + 1];
    const text = textOf(node);
    // `[FILE] [...]` and `FILE [FILE]...` are lists
    if (/^\[\.\.\.?\]$/.test(text) && found.length > 0) found.push({ ...found.pop()!, list: true });
    if (/^(?:\[?\.\.\.?\]?|\||\[?\+.*)$/.test(text)) continue;
    if (startsWithDash(node)) {
      if (node.kind === "word" && text !== "--") {
        const name = text.split(/[=\s]/)[0]!;
        requiredOptions.add(name);
        const takesNext = !options.switches.has(name) && next !== undefined &&
          !text.includes("=") && isValue(next);
        if (takesNext) at++;
      }
      continue;
    }
    const isCommand = options.hasSubcommands && isCommandNode(node);
    if (isCommand) {
      isGroup = true;
      break;
    }
    const list = next?.kind === "word" && /^\.\.\.?$/.test(next.text);
    for (
      const argument of [node, ...nodesIn(node)].map((each) =>
        argumentOf(each, { ...options, list })
      )
    ) {
      if (argument === undefined) continue;
      const known = found.findIndex(({ name }) => name === argument.name);
      if (known === -1) found.push(argument);
      else if (argument.list) found[known] = { ...found[known]!, list: true };
    }
  }
  const first = nodes[0];
  const isLiteral = !options.lowerCase && first?.kind === "word" &&
    /^[a-z][a-z-]+$/.test(first.text);
  return {
    arguments: found,
    requiredOptions,
    ...(isLiteral ? { literal: first.text } : {}),
    isGroup,
    isPlea: requiredOptions.has("--help") || requiredOptions.has("--version"),
  };
}

/** Returns the second argument in a node: `[DATABASE [USER]]` has two, `[FILE [FILE ...]]` one. */
function nodesIn(node: Node): Node[] {
  if (node.kind !== "group" || node.open !== "[" || node.nodes.length !== 2) return [];
  const [outer, inner] = node.nodes;
  const isOther = outer!.kind === "word" && inner!.kind === "group" && inner!.open === "[" &&
    cleanName(textOf(inner!)) !== cleanName(textOf(outer!)) && /^\[[A-Za-z]/.test(textOf(inner!));
  return isOther ? [inner!] : [];
}

/** Returns whether a node stands for a command: `COMMAND`, `<command>`, `[SUBCOMMAND]`, `{add,remove}`. */
function isCommandNode(node: Node): boolean {
  const name = cleanName(textOf(node).split("|")[0]!);
  if (commandWords.test(name)) return true;
  if (node.kind === "group" && node.open === "{") {
    return /^[\w-]+(?:,[\w-]+)+/.test(textOf(node).slice(1));
  }
  // argparse names its commands freely, and dots follow them
  return node.kind === "word" && /^[A-Z_]*(?:TYPE|ACTION|COMMAND)$/.test(node.text);
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
  { lowerCase, list }: { readonly lowerCase: boolean; readonly list: boolean },
): UsageArgument | undefined {
  const text = textOf(node);
  const required = node.kind === "word" || node.open !== "[";
  const isList = list || /\.\.\.?/.test(text);
  const alternatives = text.replace(/\[--\]/g, "").split("|").map((each) => cleanName(each))
    .filter((each) => each !== "" && !each.startsWith("-"));
  const [first] = alternatives;
  if (first === undefined || optionWords.test(first)) return undefined;
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

/** Returns the first word of a placeholder, without brackets and dots. */
function cleanName(text: string): string {
  const inner = /<([^>]+)>/.exec(text)?.[1] ?? text;
  const words = inner.replace(/[[\]{}()<>"'`]/g, " ").replace(/\.\.\.?/g, " ").trim().split(/\s+/);
  const distinct = [...new Set(words)];
  const named = /<[^>]+>/.test(text) ? distinct.slice(0, 3).join("_") : distinct[0]!;
  return named.replace(/[,:;=].*$/, "");
}

type Node =
  | { readonly kind: "word"; readonly text: string }
  | { readonly kind: "group"; readonly open: string; readonly nodes: readonly Node[] };

/** Returns the source text of a node, without its white space. */
function textOf(node: Node): string {
  if (node.kind === "word") return node.text;
  return `${node.open}${node.nodes.map(textOf).join(" ")}${pairs[node.open]}`;
}

const pairs: Readonly<Record<string, string>> = { "[": "]", "{": "}", "(": ")", "<": ">" };

/** Brackets are parsed to this depth; deeper ones stay text. */
const maxDepth = 20;

function parseNodes(text: string): Node[] {
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

/** Returns the options in the brackets of `form`, for programs with no other help, as BSD's: `[-46AaC] [-c config]`. */
export function optionsIn(form: string): OptionHead[] {
  return parseNodes(form).flatMap((node) => {
    return node.kind === "group" && node.open === "[" ? optionsOf(node.nodes) : [];
  });
}

function optionsOf(nodes: readonly Node[]): OptionHead[] {
  return alternativesOf(nodes).flatMap(([first, ...rest]) => {
    if (first?.kind !== "word" || !/^-{1,2}[A-Za-z0-9@#]/.test(first.text)) return [];
    const letters = lettersOf(first.text);
    if (letters !== undefined && rest.length === 0) {
      const plain = { negations: [], repeated: false, joined: false, prose: "" };
      return letters.map((letter): OptionHead => ({ names: [`-${letter}`], ...plain }));
    }
    // Words behind the value belong to another option
    const value = rest.length > 0 && !textOf(rest[0]!).startsWith("[-")
      ? ` ${textOf(rest[0]!)}`
      : "";
    return readOptionHead(first.text + value) ?? [];
  });
}

function alternativesOf(nodes: readonly Node[]): Node[][] {
  const parts: Node[][] = [[]];
  for (const node of nodes) {
    if (node.kind === "word" && node.text === "|") parts.push([]);
    else parts.at(-1)!.push(node);
  }
  return parts;
}

/** Returns the letters of `-46AaC`, which is six options; `undefined` for `-force`, which is one. */
function lettersOf(word: string): string[] | undefined {
  const [, letters] = /^-([A-Za-z0-9@#]{2,})$/.exec(word) ?? [];
  if (letters === undefined || new Set(letters).size < letters.length) return undefined;
  return /[A-Z0-9]/.test(letters) || !/[aeiou]/.test(letters) ? [...letters] : undefined;
}
