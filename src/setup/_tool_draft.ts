/** Drafts a tool of a config from the help of one command of a program. */

import { mainName, type OptionHelp } from "../help/command_help.ts";
import { firstSentence, wholeSentences } from "../text/sentence.ts";
import {
  type ArgDraft,
  inputDraft,
  isGnu,
  namesPath,
  optionDrafts,
  permuting,
  positionalDraft,
  snake,
} from "./_argument_draft.ts";
import {
  boundOf,
  changesMore,
  exclusionReason,
  isOfEveryCommand,
  namesFiles,
  needOf,
  type Reason,
} from "./_excluded_options.ts";
import { mayLoad } from "./_code_options.ts";
import {
  bareName,
  guessEffect,
  isDoubtedInRead,
  isDoubtfulOption,
  optionEffect,
} from "./_effect_guess.ts";
import type { CommandNode, PlacedOption } from "./_tree.ts";

export type ToolDraft = ReturnType<typeof draftTool>;

const maxShared = 150;

interface DraftContext {
  readonly tools: number;
  readonly common: ReadonlySet<string>;
  readonly kept: readonly string[];
  readonly about: string;
}

export function draftTool(node: CommandNode, context: DraftContext) {
  const { words, help, above } = node;
  const leftOut: { name: string; reason: Reason }[] = [];
  const isKept = ({ names }: OptionHelp) => names.some((name) => context.kept.includes(name));
  const leave =
    (reasonOf: (option: PlacedOption) => Reason | undefined) => (option: PlacedOption) => {
      const reason = isKept(option) ? undefined : reasonOf(option);
      if (reason !== undefined) leftOut.push({ name: mainName(option), reason });
      return reason === undefined;
    };
  const all: readonly PlacedOption[] = [...help.options, ...above];
  const possible = all.filter(leave((option) => exclusionReason(option, node)));
  const shared = help.subcommands.length === 0 && words.length === 1
    ? []
    : possible.filter((option) => option.behind || isOfEveryCommand(option));
  const rest = shared.toSorted((a, b) => needOf(b) - needOf(a))
    .slice(Math.floor(maxShared / context.tools)).filter(({ required }) => !required);
  const useful = possible.filter(
    leave((option) => rest.includes(option) ? "of every command" : undefined),
  );
  const taken = new Set<string>(["__proto__"]);
  const hasOthers = useful.some(listsOnly);
  const positionals = help.positionals.map((each, index) => {
    const required = each.required && !hasOthers || index === 0 && help.isInteractiveAlone;
    return positionalDraft({ ...each, required }, taken, node);
  });
  const passed = positionals.findIndex(({ name }) => /^(?:command|cmd|args?)$/.test(name));
  const own = passed > 0 && !["clap", "click"].includes(help.layout)
    ? positionals.slice(0, passed)
    : positionals;
  const cut = positionals.slice(own.length).map(({ key }) => key).join(" ");
  const { texts, explanation } = textsOf(node);
  const isIdle = (option: PlacedOption) =>
    context.common.has(mainName(option)) ||
    isDoubtfulOption(option) && (option.behind !== undefined || isOfEveryCommand(option));
  const guessed = guessEffect(words, {
    texts,
    explanation,
    about: context.about,
    text: help.subcommands.length === 0 ? node.text : "",
    options: useful.filter((option) => !isIdle(option)),
    positionals: help.positionals.slice(0, own.length),
  });
  const changes = (option: OptionHelp) =>
    optionEffect(option) !== undefined || isDoubtedInRead(option) || mayLoad(option) ||
    namesFiles(option, words[0]) || takesFreeText(option) ||
    option.value === undefined && isDoubtfulOption(option);
  const needed = useful.find((option) => option.required && option.value && changes(option));
  const effect = guessed.effect === "read" && needed !== undefined
    ? { because: `it needs ${mainName(needed)}` }
    : guessed;
  const isRead = effect.effect === "read";
  const kept = useful.filter(
    leave((option) => isRead && changes(option) ? changesMore : undefined),
  );
  const bound = boundOf(node);
  // If a person put an option that changes something back into a tool that reads, its use counts as destructive
  const closed = (option: PlacedOption) => changes(option) ? asDestructive : closePath;
  const args = [
    ...(isRead ? own.map(closePath) : own),
    ...kept.flatMap((option) => {
      const drafts = optionDrafts(option, { node, taken, effect: effect.effect, bound });
      return isRead ? drafts.map(closed(option)) : drafts;
    }),
    ...(help.mentionsInput ? [inputDraft(taken)] : []),
  ];
  const argv = templateOf(args, node, cut !== "");
  const description = `${texts[0] ?? ""} ${explanation}`.trim();
  const doubtful = args.filter(isDoubtful).map(({ name }) => name);
  const unread = [...help.unread, ...help.lost];
  return {
    name: toolName(words),
    description: description === "" ? `Run ${words.join(" ")}` : wholeSentences(description),
    isDescribed: description !== "",
    command: args.some(({ behind }) => behind) ? "" : words.slice(1).join(" "),
    effect,
    exitCodes: exitCodesIn(node.text),
    args: usualFirst(args, help.options),
    argv,
    leftOut,
    doubtful,
    isUseless: args.length === 0 && leftOut.length === 0 &&
      (node.sharesHelp || unread.length + help.lostPositionals.length > 0),
    notes: [
      ...(description === "" ? ["its help does not say what it is for: write that"] : []),
      ...(node.sharesHelp
        ? ["prints the help of the command above: which options are its own is not known"]
        : []),
      ...help.otherUsages.slice(0, 6).map((form) => `also called: ${words.join(" ")} ${form}`),
      ...(cut === "" ? [] : [`left out: ${cut}: a command to run`]),
      ...doubtful.map((name) => `perhaps misread, compare with the help: ${name}`),
      ...unread.map((line) => `not understood: ${line}`),
    ],
  };
}

/** Returns true for an option with which a program only prints something and ends, so that no argument is required. */
function listsOnly(option: OptionHelp): boolean {
  return /^--(?:print|list-\w+s)$/.test(mainName(option)) ||
    /\b(?:and|then) (?:exit|quit)s?\b/i.test(firstSentence(option.description));
}

/**
 * Guesses whether the value of an option, such as an address or a template, may make a command that only reads run a
 * program.
 */
function takesFreeText(option: OptionHelp): boolean {
  const { names, value, description } = option;
  if (value?.type !== "string" || value.choices !== undefined) return false;
  const said = `${names.join(" ")} ${value.placeholder} ${description}`;
  const selects =
    /\b(?:only|filter\w*|select\w*|match\w*|limit\w*|exclud\w*|ignor\w*|includ\w*|sort\w*|order\w*|search\w*|find|since|before|after|until|between|patterns?|regexp?|globs?|fields?|columns?|labels?|namespaces?|authors?|dates?|format|revisions?|revs?|branch(?:es)?|separators?|delimiters?|colou?rs?|width|language|locale|encoding|charset|prefix|suffix|title|num|numbers?|counts?|lines|bytes)\b/i;
  return /(?<!\bgo )template|inventor|vault|address|\bhosts?\b|\bmachine|\bsocket/i.test(said) ||
    !selects.test(said) && !namesPath(value, bareName(option), description);
}

/** Forbids a colon in paths of a tool that reads: many programs take `host:file` for another machine or a URL. */
function closePath(arg: ArgDraft): ArgDraft {
  return arg.keys.within === undefined
    ? arg
    : { ...arg, keys: { ...arg.keys, excludes: arg.keys.excludes ?? '[":"]' } };
}

function asDestructive(arg: ArgDraft): ArgDraft {
  return { ...arg, keys: { effect: "destructive # guess", ...arg.keys } };
}

/** Returns true for a description that begins with a placeholder or breaks off: climax may have misread the help. */
function isDoubtful({ description, value }: ArgDraft): boolean {
  const begun = /^(?:[<[{|][\w.|-]+[>\]}|]|[A-Z_]{2,} +[A-Z][a-z])/;
  const closed = /\[[^[\]]*\]|\{[^{}]*\}/g;
  const whole = description.replaceAll(closed, "").replaceAll(closed, "").replaceAll(closed, "");
  return /[,[(|]$|\b(?:a|an|and|of|or|the)$|[[{]/.test(whole) ||
    value === undefined && begun.test(description);
}

function textsOf({ words, help, summary }: CommandNode) {
  const [own = "", row = ""] = [help.description, summary].map((text) => withoutName(text, words));
  const explains = /^(?:the|an?|these|it|its|in|by|for|if|when|note|you)\b/i;
  const begins = (text: string) => text.toLowerCase().startsWith(words.at(-1)!);
  const isUseless = explains.test(own) && !explains.test(row) || begins(row) && !begins(own);
  return row !== "" && own !== "" && isUseless
    ? { texts: [row.replace(/(?<![.!?])$/, ".")], explanation: own }
    : { texts: [own, row].filter((text) => text !== ""), explanation: "" };
}

/** Removes the command's name from the start of its description, as in "lego list - Display …". */
function withoutName(text: string, words: readonly string[]): string {
  const names = [" ", "-"].map((separator) => RegExp.escape(words.join(separator)));
  return text.replace(new RegExp(`^(?:${names.join("|")})(?: +[-–:]+)? +(?=[A-Z])`), "");
}

function usualFirst(args: readonly ArgDraft[], options: readonly OptionHelp[]): ArgDraft[] {
  if (args.length <= 40) return [...args];
  const usual = new Set(
    options.filter(({ names, inUsage }) => inUsage || names.some((name) => /^-\w$/.test(name)))
      .map(mainName),
  );
  const rank = ({ required, role, key }: ArgDraft) => {
    return required || role.kind !== "flag" ? 0 : usual.has(key) ? 1 : 2;
  };
  return args.toSorted((a, b) => rank(a) - rank(b));
}

function templateOf(
  args: readonly ArgDraft[],
  { words, help, text }: CommandNode,
  isCut: boolean,
): (string | readonly string[])[] | undefined {
  const placed = args.filter(({ role, behind }) => role.kind === "placed" && !behind);
  const isWithin = args.some(({ behind }) => behind);
  const positionals = args.filter(({ role }) => role.kind === "positional");
  const isOpen = placed.some(({ value }) => value?.list?.kind === "spread" && !value.list.count);
  const isLast = positionals.length > 0 && !isOpen &&
    (isCut ||
      help.optionsFirst && !permuting.has(help.layout) && help.layout !== "argparse" ||
      help.layout === "go flag");
  if (placed.length === 0 && !isLast && !isWithin) return undefined;
  const token = ({ name, required }: Pick<ArgDraft, "name" | "required">) =>
    `{${name}${required ? "" : "?"}}`;
  const place = (arg: ArgDraft) => {
    if (arg.role.kind !== "placed") return token(arg);
    return arg.role.glued === undefined ? [arg.key, token(arg)] : arg.role.glued + token(arg);
  };
  return [
    ...(!isWithin ? [] : words.flatMap((word, at) => [
      ...(at === 0 ? [] : [word]),
      ...args.filter(({ behind }) => behind === at + 1).map(place),
    ])),
    "{...}",
    ...placed.map(place),
    // tar reads its first word as options even without a dash, so `--` precedes the arguments
    ...(isLast ? [...(isGnu(text) ? ["--"] : []), ...positionals.map(token)] : []),
  ];
}

/** Makes a tool's name of a command: `gh issue list` → `gh_issue_list`. Some clients refuse more than 64 characters. */
export function toolName(words: readonly string[]): string {
  const program = words[0]!.split(/[\\/]/).at(-1)!.replace(/\.(?:exe|cmd|bat|py|js|sh)$/i, "");
  return snake([program, ...words.slice(1)].join("_")).slice(0, 64) || "tool";
}

/** Matches an exit code with its meaning in a help text: "If nothing was found, then the exit status is 1". */
const codeMeanings = ["0", "1"].map((code) => {
  const link = "(?:[:=-]|if|when|means|is)?\\s*(?:there (?:is|are|was|were) |if )?";
  return new RegExp(
    `\\bif ([^,.]*),? (?:then )?the exit (?:status|code) is (?:${code})\\b|[^\\d.](?:${code})\\b\\s*${link}([^,;.]*)`,
    "i",
  );
});

/** Returns the meaning of exit code 1, if the help says that this code is a result and no failure. */
function exitCodesIn(text: string): Readonly<Record<number, string>> | undefined {
  // "A non-zero exit status" is read as the exit code 1
  const plain = text.replaceAll(/[\s()]+/g, " ")
    .replaceAll(/\b(?:an? )?non-?zero (exit (?:status|code|value))\b/gi, "$1 1");
  const mentions = /(?=(\bexit(?:s|ing)? (?:with )?(?:the )?(?:status|code|value)s?\b.{0,400}))/gi;
  for (const [, said] of plain.matchAll(mentions)) {
    const [success, other] = codeMeanings.map((form) => {
      const [, before, after] = form.exec(said!) ?? [];
      return (before ?? after ?? "").trim();
    }) as [string, string];
    const isOpposite = /^(?:otherwise|if not)\b/.test(other) &&
      /match|select|found|equal|same/.test(success);
    const isFailure =
      /\b(?:error|fail|fatal|invalid|trouble|usage|crash|unexpected|cannot|could not)/i.test(other);
    const isFinding =
      /\b(?:differ|no |not |none|nothing|found|findings?|issues?|violations?|match)/i.test(other);
    if (isFailure || !isOpposite && !isFinding) continue;
    return { 1: isOpposite ? `not: ${success}` : other };
  }
  return undefined;
}
