/**
 * Reads the usage lines of a help text, such as `cp [OPTION]... SOURCE DEST`: the arguments and whether they are
 * required.
 */

import { type OptionHead, readOptionHead } from "./_option_head.ts";
import {
  type ArgumentOptions,
  argumentsOf,
  isCommandNode,
  isNamedCommand,
  joinArguments,
  standsForOptions,
  type UsageArgument,
} from "./_usage_arguments.ts";
import {
  alternativesOf,
  type Node,
  parseNodes,
  partOptions,
  startsWithDash,
} from "./_usage_nodes.ts";

export type Usage = ReturnType<typeof readForms>;

export interface UsageOptions extends ArgumentOptions {
  readonly words: readonly string[];
  readonly hasSubcommands: boolean;
  readonly commandNames: ReadonlySet<string>;
  /** True when the help calls its options "commands", as dpkg does. */
  readonly commandsAreOptions: boolean;
  /** The options that the help lists, by name; true if the option takes a value. */
  readonly takesValue: ReadonlyMap<string, boolean>;
}

export function hasCommand(forms: readonly string[]): boolean {
  return forms.some((form) => /command|cmd/i.test(form) && parseNodes(form).some(isNamedCommand));
}

export function readForms(forms: readonly string[], options: UsageOptions) {
  const plainForms = options.lowerCase
    ? []
    : forms.map((form) => form.replace(optionsInBrackets, "").trim());
  const isMarked = options.hasSubcommands ||
    new Set(plainForms.filter((form) => /^[a-z][\w-]*$/.test(form))).size > 1 ||
    plainForms.some((form) => marked.test(form));
  const lowerCase = options.lowerCase || !isMarked && options.plurals;
  const read = forms.map((form) => readForm(form, { ...options, lowerCase }));
  const plain = read.filter(({ literals, isPlea }) => literals === "" && !isPlea);
  const best = plain.find(({ arguments: found }) => found.length > 0);
  const all = plain.reduce<readonly UsageArgument[]>(
    (found, form) => form === best ? found : joinArguments(found, form.arguments),
    best?.arguments ?? [],
  );
  const others = forms.flatMap((form, index) => {
    const each = read[index]!;
    if (each.isPlea || each.isGroup || each.literals || options.commandsAreOptions) return [];
    const isCovered = [...each.requiredOptions].every((name) => options.takesValue.has(name)) &&
      (each.arguments.length === all.length ||
        each.arguments.every(({ name }) => all.some((known) => known.name === name)));
    if (each === best) return each.alternatives;
    return each.arguments.length > 0 && saysMore(form) && !(isCovered && all.length > 1)
      ? [form]
      : [];
  });
  const commands = new Map<string, string[]>();
  for (const [index, { literals }] of read.entries()) {
    const rest = literals.split(" ").reduce(
      (text, word) => text.replace(new RegExp(`(?<!\\S)${word}(?: |$)`), ""),
      forms[index]!,
    );
    if (literals !== "") commands.getOrInsertComputed(literals, () => []).push(rest.trim());
  }
  return {
    arguments: all,
    options: new Set(forms.flatMap((form) => form.match(/(?<![\w-])--?[A-Za-z0-9][\w-]*/g) ?? [])),
    requiredOptions: plain.length === 1 ? plain[0]!.requiredOptions : new Set(),
    repeatedOptions: new Set(read.flatMap(({ repeatedOptions }) => repeatedOptions)),
    optionsFirst: (best ?? plain.find(({ isGroup }) => isGroup))?.optionsFirst ?? false,
    others,
    commands,
    commandNames: plain.flatMap(({ commandNames }) => commandNames),
    asksForHelp: read.some(({ isPlea }, index) => isPlea && forms[index] !== ""),
    standsAlone: plain.some(({ isGroup }) => !isGroup),
  };
}

const optionsInBrackets = /[<[][^<>[\]]*\b(?:options?|flags?|switches)(?:\(s\))?[>\]](?:\.{3})?/gi;

const marked = /(?<![=\w-])<[A-Za-z]|(?<![\w=<[|-])[A-Z]{3,}\b/;

function saysMore(form: string): boolean {
  const rest = form.replace(/\[(?:[^[\]]|\[[^\]]*\])*\]/g, "").replace(/--?[\w-]+/g, "");
  return /[A-Za-z]{2}/.test(rest);
}

function readForm(form: string, options: UsageOptions) {
  const found: UsageArgument[] = [];
  const requiredOptions = new Set<string>();
  const repeatedOptions: string[] = [];
  let optionsFirst = false;
  const plain = joinNumbered(
    form.replaceAll("…", "...").replace(/\s# .*$|(?<=>)\[:\S*\](?=\s|$)/g, "")
      .replaceAll(">|<", "|").replace(aside, "")
      .replace(/(?<=[\])}>])[*+](?=[\s|\])]|$)/g, "..."),
  );
  const { nodes, alternatives } = firstAlternative(partOptions(
    parseNodes(plain.replace(/ or |(?<=[\])}>]\.{0,3})\|/g, " | ").replace(/ - /g, " ")),
  ));
  let isGroup = false;
  let commandNames: readonly string[] = [];
  for (let at = 0; at < nodes.length; at++) {
    const node = nodes[at]!;
    const next = nodes[at + 1];
    const text = node.text;
    const isRepeated = next?.kind === "word" && /^\.\.\.?$/.test(next.text);
    if (/^\[\.\.\.?\]$/.test(text) && found.length > 0) found.push({ ...found.pop()!, list: true });
    const isPlus = /^\[?\+/.test(text) &&
      (next !== undefined || found.length > 0 || !/^\[\+[A-Z]+\]$/.test(text));
    if (/^(?:\[?\.\.\.?\]?|\||-)$/.test(text) || isPlus) continue;
    if (startsWithDash(node) || standsForOptions(node)) {
      optionsFirst ||= found.length === 0 && text !== "--";
      if (isRepeated && node.kind === "group") {
        repeatedOptions.push(...optionsOf(node.nodes).flatMap(({ names }) => names));
      }
      if (node.kind === "word" && text !== "--" && startsWithDash(node)) {
        const name = text.split(/[=\s]/)[0]!;
        requiredOptions.add(name);
        const takesNext = next !== undefined && !text.includes("=") && !startsWithDash(next) &&
          (options.takesValue.get(name) ?? isValue(next));
        if (takesNext) at++;
      }
      continue;
    }
    if (isCommandNode(node) && options.commandsAreOptions) continue;
    const isListed = text.replace(/^\{|\}$/g, "").split("|")
      .every((each) => options.commandNames.has(each));
    if (options.hasSubcommands && (isListed || isCommandNode(node))) {
      isGroup = found.length === 0 || node.text[0] !== "[";
      break;
    }
    if (/^\[?expression\]?$/i.test(text)) optionsFirst = false;
    const isLast = nodes.slice(at + 1).every((each) => /^\[?\.\.\.\]?$/.test(each.text));
    const isFirst = found.length === 0 && options.words.length === 1;
    if (isFirst && isLast && /^\{[\w-]+(?:,[\w-]+)+\}$/.test(text)) {
      commandNames = text.slice(1, -1).split(",").filter((each) => each.length > 2);
      isGroup = commandNames.length > 0;
      continue;
    }
    for (const argument of argumentsOf(node, { ...options, list: isRepeated })) {
      const known = found.findIndex(({ name }) => name === argument.name);
      if (known === -1) found.push(argument);
      else if (argument.list) found[known] = { ...found[known]!, list: true };
      // In `ADDRESS ADDRESS`, both words are required, so they are two arguments and not a list
      else if (argument.required && found[known]!.required && !found[known]!.list) {
        found.push({ ...argument, name: `${argument.name}_2` });
      }
    }
  }
  return {
    arguments: found,
    requiredOptions,
    repeatedOptions,
    optionsFirst,
    literals: options.lowerCase || options.fixedWords ? "" : literalsOf(nodes),
    alternatives,
    commandNames,
    isGroup,
    isPlea: requiredOptions.has("--help") || requiredOptions.has("--version") ||
      form.split(/[^\w-]+/).every((each) => /^(?:--?(?:h|help|v|V|version))?$/.test(each)),
  };
}

function literalsOf(nodes: readonly Node[]): string {
  const isLiteral = (node: Node) => node.kind === "word" && /^[a-z][a-z-]+$/.test(node.text);
  const end = nodes.findIndex((node) =>
    !isLiteral(node) &&
    (node.text[0] !== "[" || !startsWithDash(node) && !standsForOptions(node))
  );
  return nodes.slice(0, end === -1 ? nodes.length : end).filter(isLiteral)
    .map(({ text }) => text).join(" ");
}

const aside =
  /(?<=\s)[<>] \S+|(?:(?<=\S)\s+[-–—]|^[–—]) (?:\S+ )+\S+$|(?<=\[OPTION\.\.\.\]) (?:[A-Z]\w*[a-z]\w*(?: |$)){2,}$/g;

/** Turns `FILE1 ... FILEN` in a usage line into a list `FILE ...`. */
function joinNumbered(form: string): string {
  if (!form.includes(" .")) return form;
  return form.replace(/(\S+) \.{2,3} (\S+)/, (all, first: string, last: string) => {
    const base = first.replace(/[_-]?1(?!\d)/g, "");
    const isSame = base !== first && last.replace(/[_-]?[nN](?![A-Za-z\d])/g, "") === base;
    return isSame ? `${base} ...` : all;
  });
}

function firstAlternative(
  nodes: readonly Node[],
): { nodes: readonly Node[]; alternatives: string[] } {
  const [first, ...others] = alternativesOf(nodes);
  const cut = others.at(-1)?.findIndex(startsWithDash) ?? -1;
  const tail = cut > 0 ? others.at(-1)!.splice(cut) : [];
  const isPlain = others.length > 0 && first!.length > 0 &&
    ![first!.at(-1)!, ...others.flat()].some(startsWithDash) &&
    others.every((each) => each.length > 0);
  if (!isPlain) return { nodes, alternatives: [] };
  const single = others.every((each, index) => each.length === 1 || index === others.length - 1);
  const words = [first!.at(-1)!, ...others.map((each) => each[0]!)].map(({ text }) => text);
  // Lower-case words between bars, `start|stop`, are the choices of a single argument
  if (single && words.every((text) => /^[a-z][\w-]*$/.test(text))) {
    const choice: Node = { kind: "word", text: words.join("|") };
    return {
      nodes: [...first!.slice(0, -1), choice, ...others.at(-1)!.slice(1), ...tail],
      alternatives: [],
    };
  }
  return {
    nodes: [...first!, ...tail],
    alternatives: others.map((each) => each.map(({ text }) => text).join(" ")),
  };
}

function isValue(node: Node): boolean {
  return node.kind === "group" ? node.open !== "[" : /^[A-Z_]+$/.test(node.text);
}

export function optionsIn(form: string, known: ReadonlySet<string>): OptionHead[] {
  if (form.includes("[long options")) return [];
  return parseNodes(form).flatMap((node, index, all) => {
    if (node.kind === "group") return node.open === "[" ? optionsOf(node.nodes) : [];
    const next = all.slice(index + 1, index + 2).filter(isValue);
    const isOption = /^--[a-z]/.test(node.text) || next.length > 0 && /^-\w{2}/.test(node.text);
    return isOption && !known.has(node.text.split("=")[0]!) ? optionsOf([node, ...next]) : [];
  });
}

function optionsOf(nodes: readonly Node[]): OptionHead[] {
  return alternativesOf(nodes).flatMap((part) => {
    const [first, ...rest] = part.filter((node) => node.kind === "word" || !standsForOptions(node));
    if (first?.kind !== "word" || !/^-{1,2}[A-Za-z0-9@#]/.test(first.text)) return [];
    if (rest.length === 0 && /^--?[\w-]*(?:opt|option|flag|switche)s?\b/i.test(first.text)) {
      return [];
    }
    const letters = lettersOf(first.text);
    if (letters !== undefined && rest.length === 0) {
      const plain = { negations: [], repeated: false, joined: false, prose: "" };
      return letters.map((letter): OptionHead => ({ names: [`-${letter}`], ...plain }));
    }
    const end = rest.findIndex(startsWithDash);
    const values = rest.slice(0, end === -1 ? rest.length : end).map(({ text }) => text);
    // `--tag <tag> [--tag <tag> ...]` shows that an option may be repeated, so its value becomes a list
    if (rest[end]?.text.startsWith(`[${first.text} `)) values.push("...");
    // In `--limit=concurrency limit`, the second word belongs to the placeholder and is no value of its own
    const own = first.text.includes("=") ? values.filter((each) => each.startsWith("[,")) : values;
    return readOptionHead([first.text, ...own].join(" ").replace(/ (?==|\[,)/g, "")) ?? [];
  });
}

/** Splits the letters of `-46AaC`, which are six options; `undefined` for `-force`, which is one option. */
function lettersOf(word: string): string[] | undefined {
  const [, letters] = /^-([A-Za-z0-9@#]{2,})$/.exec(word) ?? [];
  if (letters === undefined || new Set(letters).size < letters.length) return undefined;
  return /[A-Z0-9]/.test(letters) || !/[aeiou]/.test(letters) ? [...letters] : undefined;
}
