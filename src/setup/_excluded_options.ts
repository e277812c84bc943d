/**
 * Excludes options that an agent does not need or should not have: those that describe the program, wait
 * for a person, never end, or run their value; and commands that no agent can use. The config lists the options,
 * so that a person may put one back; the report names the commands, and `--include` with its name keeps one.
 */

import { basename } from "node:path";
import { mainName, type OptionHelp } from "../help/command_help.ts";
import { optionHazard } from "../sources/command/hazards.ts";
import { firstSentence } from "../text/sentence.ts";
import { bareName, isLoaded, printsCredentials, revealsCredentials } from "./_effect_guess.ts";
import type { CommandNode } from "./_tree.ts";

/** The reason to exclude what changes something from a tool that only reads. */
export const changesMore = "can write, remove or load something, and the rest only reads";

/** The reasons to exclude options, in the order of the report. */
export const reasons = [
  ...["about the program itself", "for a terminal", "waits for a person, or does not end"],
  ...["can run or write what this tool does not declare", "may run what it is given", changesMore],
  "may load what runs code; goes back as an argument with its 'flag'",
  ...["may hold other options", "can print credentials", "deprecated", "of every command"],
] as const;

export type Reason = typeof reasons[number];

const waitingNames = /^(?:interactive|tty|watch|watch-only|prompt|stdin-tty)$/i;

/** An option with such a name makes a program wait for a person if its text is empty or has such a word. */
const maybeWaiting =
  /^(?:follow|edit|editor|patch|web|open|attach|browser)\n(?:$|.*\b(?:browser|editor|viewer|window|terminal|interactiv\w*|logs?|stream\w*|tail|grow\w*|appended|new|stdin|standard input)\b)/is;

/** Returns the reason to exclude `option`; `undefined` when it stays. */
export function exclusionReason(
  option: OptionHelp,
  { node, keepsGlobals }: { readonly node: CommandNode; readonly keepsGlobals: boolean },
): Reason | undefined {
  const name = bareName(option);
  const { description } = option;
  const [program] = node.words;
  const isSwitch = option.value === undefined || option.value.optional;
  const isAbout = isSwitch && /^(?:version|usage|manual|h|info)$/i.test(name) ||
    option.value?.type !== "integer" && /^(?:help|help-.*|.*-help)$/i.test(name);
  const isVersion = isSwitch && /^v$/i.test(name) && /\bversion\b/i.test(description) ||
    /^(?:install|show)-completion$/.test(name);
  if (isAbout && /help|version|usage|manual/i.test(`${name} ${description}`) || isVersion) {
    return "about the program itself";
  }
  if (
    optionHazard(basename(program), mainName(option)) !== undefined && !namesFiles(option, program)
  ) {
    return "can run or write what this tool does not declare";
  }
  if (option.value && optionFile.test(`${name}\n${description}`)) return "may hold other options";
  if (runsSomething(name, option)) return "may run what it is given";
  // A call without a required option fails, so it stays, and the draft asks before each call
  if (!option.required && isLoaded(option, node)) {
    return "may load what runs code; goes back as an argument with its 'flag'";
  }
  if (isSwitch && revealsCredentials(description)) return "can print credentials";
  if (/^\(?deprecated|^\[deprecated|^obsolete/i.test(description)) return "deprecated";
  if (
    /^(?:colou?rs?|no-?colou?rs?|nocolor|pager|no-?pager|paging|terminal-width|progress|no-?progress|(?:disable|hide)-progress-bar)$/i
      .test(name)
  ) {
    return "for a terminal";
  }
  // "(default: on when used interactively)" says when something is so
  const said = description.replaceAll(/\([^)]*\)/g, "");
  const isWaiting = waitingNames.test(name) || streams.test(said) ||
    maybeWaiting.test(`${name}\n${said}`) ||
    /(?<!non-|\bnot |\bwhen (?:used |run )?)\binteractive(?:ly)?\b(?! mode is)|\bin (?:the|a|your) (?:web )?browser\b|(?<!\b(?:not|no|never|without|n't) )\bprompts? for\b/i
      .test(said);
  if (isSwitch && isWaiting) return "waits for a person, or does not end";
  if (!keepsGlobals && isOfEveryCommand(option) && !isNeeded(option)) return "of every command";
  return undefined;
}

/** Returns true if all that is dangerous about an option is a path, which a limit holds. */
export function namesFiles(option: OptionHelp, program: string): boolean {
  const hazard = optionHazard(basename(program), mainName(option)) ?? "";
  return option.value !== undefined &&
    /^writes (?:a file|files|or reads)|^works in another directory/.test(hazard);
}

/** Returns true when the heading of an option says that every command has it. */
export function isOfEveryCommand({ section }: OptionHelp): boolean {
  return /\b(?:global|inherited|persistent|wide)\b|^common (?:options|flags|arguments)$/i.test(
    section,
  );
}

/** Returns true if a call needs the value, or it names what a command works on: no call without it may be useful. */
function isNeeded(option: OptionHelp): boolean {
  return option.required || option.value !== undefined &&
      /(?:^|-)(?:account|address|cluster|database|db|domains?|endpoints?|host|namespace|org|organization|project|region|repo|repository|server|site|url|workspace|zone)\n|(?<!\bnot )\brequired\b(?! (?:if|when|unless)\b)/i
        .test(`${mainName(option)}\n${option.description}`);
}

/** A file of options may hold each of those that are left out. */
const optionFile =
  /\b(?:options|switches|arguments|flags) (?:are read )?(?:from|in) (?:an? |the |this |given |specified )*[<"']?(?:[\w-]+ )?file\b|\bfile (?:containing|with|of) (?:[\w-]+ ){0,3}(?:options|switches|flags)\b|^(?:flags?|opts?|options?|args?|arguments?|params?)[-_]?file\n/i;

/** The names of options and values which are code, or are run. */
const runningNames =
  /^(?:(?:[\w-]+[-_ ])?(?:exec|execute|eval|command|cmd|hook|editor|prog|program|shell|script|executable)|exec-.*|run|preprocessor|pre|external-diff|rsh|ssh-command|upload-pack|receive-pack|r?require|preload|load-path)$/i;

/** A description of an option whose value is run, or is code that is loaded, has such a text. */
const runningTexts: readonly RegExp[] = [
  /\b(?:import and run|run them|arbitrary code|untrusted)\b/i,
  /\b(?:runs?|execut(?:e|es|ing)|invokes?) (?!(?:the|this) (?:command|program|script) (?:without|in|as|with|even|only|again|on)\b)(?:the |this |a |an |given |specified |shell |external |arbitrary |system )*(?:commands?|programs?|scripts?|shell|hooks?|(?:system )?calls?)\b/i,
  /\b(?:shell|system|external) (?:command|call)\b|^(?:path to )?(?:a |the )?(?:command|executable|binary|program) (?:to|for|that)\b|\bhooks? (?:is|are|gets?) (?:run|executed|called)\b|\b(?:with|using|use|by) (?:the |an? )?(?:specified |given )?(?:[\w-]+ )?interpreter\b/i,
  // Loaded code may do anything as soon as it is loaded
  /\b(?:JS|JavaScript|TypeScript|Python|Ruby|Lua|Perl|PHP|node) (?:file|module|script|code|expression|format|snippet)\b|^inline (?:code|[A-Z]?\w+)$|\bmodule (?:name|path)s?\b|\b(?:name|path)s? (?:of|to|or) (?:a |an |the )?(?:[\w-]+ )?(?:modules?|plugins?|librar(?:y|ies))\b|\bcustom [\w-]+ (?:instance|implementation|module)\b|\b(?:require|preload|loads?) (?:the |a |an |this |these |given |specified |shared |additional |ruby |python )*(?:librar(?:y|ies)|modules?|plugins?|extensions?|scripts?|gems?)\b|\bpath to (?:a |the )?(?:formatter|plugin|preset)\b/i,
];

function runsSomething(name: string, { value, description }: OptionHelp): boolean {
  const isNamed = value !== undefined && runningNames.test(value.placeholder);
  if (isNamed && !/\bcommand line\b/i.test(description)) return true;
  if (isNamed || runningNames.test(name)) {
    return /\b(?:run|execut|command(?! line)|program|shell|script|evaluat|filter|invok|hook|requir|load|librar)/i
      .test(description);
  }
  return runningTexts.slice(0, value === undefined ? 2 : undefined).some((text) => {
    return text.test(description);
  });
}

export interface ExcludedCommand {
  readonly words: readonly string[];
  readonly reason: string;
}

const servingNames =
  /^(?:serve|server|[\w-]+-server|lsp|lsp-[\w-]+|language-server|watch|port-forward|proxy|dev)$/i;

const interactiveNames = /^(?:repl|shell|console|tui|attach|interactive|gui)$/i;

/** In such a description a server follows the verb, and no further words refer to it. */
const serves =
  /\b(?:starts?|runs?|launch(?:es)?|hosts?|serves?) (?:(?!on\b|of\b|for\b|from\b|in\b|at\b|with\b|against\b|to\b)[\w-]+ ){0,3}(?:web)?server\b|\blanguage server\b|\bforwards?\b[^.]{0,80}\bstandard input and output\b|\buntil (?:it is )?(?:interrupted|stopped|cancell?ed)\b/i;

const talks =
  /\binteractive (?:shell|session|prompt|console|terminal|repl)\b|\bread-eval-print\b|\bREPL\b|\b(?:in|with|from) (?:your|the|an|a) (?:default |text |web )?(?:editor|browser)\b/i;

/** The name of a command that shows what happens, or a description of one. */
const streams =
  /\blive[- ]stream|\bin real[- ]time\b|\breal[- ]time (?:events?|stream|updates?|view)\b|\bcontinu(?:ous|al)ly\b|\bcontinuous (?:stream|output|updates?|monitoring)\b|\bas they (?:happen|occur|arrive)\b|\bstream (?:of )?(?:events|logs|messages|updates)\b|\bendless|\bforever\b/i;

/** The names of options that end such a command. */
const bounds =
  /^(?:no-stream|once|one-?shot|until|count|limit|iterations|max-(?:count|results|events|time)|timeout|duration)$/;

/** Returns the option that ends a command which shows what happens; `undefined` if it ends by itself, or never. */
export function boundOf({ help, summary }: CommandNode): OptionHelp | undefined {
  if (!streams.test(`${summary}\n${firstSentence(help.description)}`)) return undefined;
  return help.options.filter((option) => bounds.test(bareName(option)))
    .toSorted((a, b) => Number(a.value !== undefined) - Number(b.value !== undefined))[0];
}

/** Returns the reason to exclude `node`; `undefined` when it may be a tool. */
export function commandExclusion(node: CommandNode): string | undefined {
  const { words, summary, help } = node;
  const name = words.at(-1)!;
  const text = `${firstSentence(summary)}\n${firstSentence(help.description)}`;
  if (help.isInteractiveAlone && help.positionals.length === 0) return "waits for a person";
  // `psql` is an interactive terminal, and takes a command
  if (words.length === 1) return undefined;
  // A daemon continues after its command
  if (streams.test(text) && boundOf(node) === undefined) return "does not end";
  const serving = serves.test(text) && !/\bdaemon\b/i.test(text);
  if (servingNames.test(name) || serving) return "does not end";
  if (interactiveNames.test(name) || talks.test(text)) return "waits for a person";
  if (printsCredentials(words, text)) return "prints credentials";
  return undefined;
}
