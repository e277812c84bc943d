/** Reads one argument of a usage line: its name, and whether it is required or a list. */

import { groupOf, type Node } from "./_usage_nodes.ts";

export interface UsageArgument {
  readonly name: string;
  readonly required: boolean;
  readonly list: boolean;
  readonly choices?: readonly string[];
  readonly guesses?: readonly string[];
}

export interface ArgumentOptions {
  readonly lowerCase: boolean;
  /** True when a plural such as `files` in a hand-written usage stands for several values. */
  readonly plurals: boolean;
  readonly fixedWords?: boolean;
}

/** Matches words that stand for all options: `[build flags]`, `[option(s)]`. */
const optionPhrase =
  /(?:^|[\s_-])(?:options?|flags?|switches|[a-z]*opts?)(?:[;,:].*)?$|^options? |^.*_wide_flag$|^--$/i;

const commandWords = /^(?:commands?|sub-?commands?|args?|cmd|group|topic|arguments?)$/i;

export function standsForOptions(node: Node): boolean {
  const parts = node.kind === "word"
    ? [node]
    : node.nodes.filter((each) => !/^\.+$/.test(each.text));
  if (node.kind === "group" && parts.length === 1) return standsForOptions(parts[0]!);
  const isFlat = parts.every(({ kind }) => kind === "word");
  return isFlat && optionPhrase.test(plainOf(node.text));
}

/** Returns whether a part of a usage stands for a subcommand: `COMMAND`, `<command>`, `{add,remove}`. */
export function isCommandNode(node: Node): boolean {
  if (commandWords.test(cleanName(node.text.split("|")[0]!))) return true;
  if (node.kind === "group" && node.open === "{") {
    return /^[\w-]+(?:,[\w-]+)+/.test(node.text.slice(1));
  }
  // argparse may show its subcommand as a word in capitals, such as ACTION
  return node.kind === "word" && /^[A-Z_]*(?:TYPE|ACTION|COMMAND)$/.test(node.text);
}

export function isNamedCommand(node: Node): boolean {
  return /^(?:sub-?)?(?:command|cmd)s?$/i.test(cleanName(node.text.split("|")[0]!));
}

/** Returns the arguments in a part of a usage: `[DATABASE [USER]]` has two, `[FILE [FILE ...]]` has one. */
export function argumentsOf(
  node: Node,
  options: ArgumentOptions & { readonly list: boolean },
): UsageArgument[] {
  return nodesIn(node).flatMap((each) => argumentOf(each, options) ?? []);
}

function nodesIn(node: Node): Node[] {
  if (node.kind !== "group" || node.open !== "[" || node.nodes.length < 2) return [node];
  const own = node.nodes.filter((each) => !standsForOptions(each));
  if (own.length < node.nodes.length && own.length > 0) return nodesIn(groupOf("[", own));
  // `[DATE TIME]` has two arguments with different names; `[FILE FILE]` repeats one, and is a list
  const names = new Set(node.nodes.map(({ text }) => cleanName(text).replace(/\d+$/, "")));
  const isSeries = !/ or /i.test(node.text) && names.size === node.nodes.length &&
    node.nodes.every(({ text }, index) =>
      /^(?:[A-Z][A-Z0-9_-]*|<[\w -]+>|\[[A-Za-z<[].*\])$/.test(text) ||
      index === 0 && node.nodes.length === 2 && /^[a-z]/.test(text) &&
        node.nodes[1]!.text[0] === "["
    );
  return isSeries
    ? node.nodes.flatMap((each) => nodesIn(each.text[0] === "[" ? each : groupOf("[", [each])))
    : [node];
}

function argumentOf(
  node: Node,
  { lowerCase, plurals, fixedWords = false, list }: ArgumentOptions & { readonly list: boolean },
): UsageArgument | undefined {
  const text = node.text;
  const required = (node.kind === "word" || node.open !== "[") && !/\|-/.test(text);
  const plain = plainOf(text);
  if (/^\(/.test(text) && !text.includes("|") && plain.includes(" ")) return undefined;
  if (/^[[<{][\w\s-]+[\]>}]$/.test(text) && plain.split(" ").length > 4) {
    // A usage may describe an argument by prose: `[flags and input files in any order]` becomes the list `files`
    const [name] = /\b(?:files|paths|directories|names|urls)\b/i.exec(plain) ?? [];
    return name === undefined
      ? undefined
      : { name, required: false, list: true, guesses: ["list"] };
  }
  const alternatives = text.replace(/\[--\]/g, "").split("|").map((each) => cleanName(each))
    .filter((each) => /^[^-]*[\p{L}\d]/u.test(each));
  const [first] = alternatives;
  if (first === undefined || first.startsWith("/") || standsForOptions(node)) return undefined;
  const isBare = node.kind === "word" && !/[A-Z]/.test(text) && !text.startsWith("<");
  if (isBare && !lowerCase && !/^[a-z]\S*\.\.\.$/.test(text)) {
    if (!fixedWords || !/^[a-z][\w-]*$/.test(text)) return undefined;
    return { name: first, required, list: false, choices: [first] };
  }
  const words = text.replace(/^[[{(]+|[\]})]+\.*$/g, "").split(/[|,]/);
  const isChoice = words.length > 1 && words.every((each) => /^[a-z][\w-]*$/.test(each));
  const named = isChoice ? words : alternatives;
  const name = [...new Set(named.slice(0, 2))].join("_or_");
  if (isChoice && /^[a-z({]|^\[\{/.test(text)) return { name, required, list, choices: words };
  const amount = /^(zero|one|\d+) or more /i.exec(plain);
  if (list || amount !== null || /\.\.\.?|^\{<[^<>]+>\}$/.test(text)) {
    // A usage may number the names of a list: `file1, file2, ...` becomes the list `file`
    const single = name.replace(/(?<=[a-z])1$/i, "");
    return {
      name: single,
      required: required && amount?.[1]?.toLowerCase() !== "zero",
      list: true,
    };
  }
  const isPlural = plurals && named.length === 1 &&
    (/\((?:s|es)\)/.test(text) || plural.test(name) && !singular.test(name));
  return { name, required, list: isPlural, guesses: isPlural ? ["list"] : [] };
}

export function joinArguments(
  all: readonly UsageArgument[],
  others: readonly UsageArgument[],
): readonly UsageArgument[] {
  const find = (some: readonly UsageArgument[], name: string) =>
    some.find((each) => each.name === name);
  const isLonger = others.length > all.length && all.every(({ name }) => find(others, name));
  const isSame = all.length === others.length &&
    ![...all, ...others].some(({ choices }) => choices);
  const [base, rest] = isLonger ? [others, all] : [all, others];
  return base.map((argument, index) => {
    const named = find(rest, argument.name);
    const other = named ?? (isSame ? rest[index] : undefined);
    return {
      ...argument,
      required: argument.required && other?.required === true &&
        (named !== undefined || all.length > 1),
      list: argument.list || other?.list === true,
    };
  });
}

const plural = /[a-z]{3}s$|(?:^|_)list$/i;
const singular =
  /(?:ss|us|is|as|os|js|ts|ms|ns)$|(?:seconds|minutes|hours|days|bytes|pixels|settings|contents)$/i;

function plainOf(text: string): string {
  return text.replace(/\((?:s|es)\)(?:\/.*)?/g, "s").replace(/[[\]{}()<>"'`]|\.\.\.?/g, " ").trim();
}

function cleanName(text: string): string {
  const single = text.replace(/\((?:s|es)\)(?:\/[^>\]]*)?/g, "");
  const inner = /<([^>]+)>/.exec(single)?.[1] ?? single;
  const words = inner.replace(/[[\]{}()<>"'`]/g, " ").replace(/\.\.\.?/g, " ").trim()
    .replace(/^(?:zero|one|\d+) or more /i, "").split(/\s+/);
  const distinct = [...new Set(words)];
  const isPhrase = /<[^>]+>/.test(single) ||
    /^[[{][^[{]*$/.test(single) && distinct.every((each) => /^[a-z-]+$/.test(each));
  const named = isPhrase ? distinct.slice(0, 3).join("_") : distinct[0]!;
  return named.replace(/[,:;=].*$/, "");
}
