/**
 * Chooses the options and commands that a drafted config leaves out, because an agent does not need them or should not
 * have them.
 */

import { basename } from "node:path";
import { mainName, type OptionHelp } from "../help/command_help.ts";
import { optionHazard } from "../sources/command/hazards.ts";
import { firstSentence } from "../text/sentence.ts";
import { isLoaded, runsSomething } from "./_code_options.ts";
import { bareName, printsCredentials, revealsCredentials } from "./_effect_guess.ts";
import type { CommandNode } from "./_tree.ts";

export const changesMore = "can write, remove, run or load something, and the rest only reads";

export const reasons = [
  ...["about the program itself", "for a terminal", "deprecated"],
  ...["waits for a person, or does not end", "can run or write what this tool does not declare"],
  ...["may run what it is given", changesMore],
  ...["may load settings or code", "may hold other options", "can print credentials"],
  "of every command",
] as const;

export type Reason = typeof reasons[number];
export const needless: ReadonlySet<Reason> = new Set(reasons.slice(0, 3));

const waitingNames =
  /^(?:interactive|tty|watch|watch-only|prompt|stdin-tty|(?:start|run|launch)-(?:[\w-]+-)?server|serve)$/i;

/** Matches names of options that may make a program wait for a person, unless the option's text says otherwise. */
const maybeWaiting =
  /^(?:follow(?=\n.)|edit|editor|patch|web|open|attach|browser)\n(?:$|.*\b(?:browser|editor|viewer|window|terminal|interactiv\w*|logs?|stream\w*|tail|grow\w*|appended|new|stdin|standard input)\b)/is;

const preventsWaiting =
  /(?:\b(?:no|non|not|never|without|skip(?:s|ping)?|avoid(?:s|ing)?|disables?|suppress(?:es)?|bypass(?:es)?|instead of|rather than)|n't)[ -](?:(?!(?:in|with|is|are|given) )[\w-]+ ){0,3}?(?:interacti\w+|prompt\w*|ask\w*|confirm\w*|questions?)\b[^.,;]*/gi;

/** Matches the name and text of a switch that lifts a restriction: code may run, any path be written, or a sandbox is off. */
const unleashes =
  /(?<!\b(?:no|not|never|n't|without) )\b(?:allow|enabl|permit|activat|turn on)(?:e?s?|ing)\b[^.;]{0,40}\b(?:(?:execut|evaluat|run|load)\w* (?:of )?(?:[\w-]+ )?(?:commands?|code|programs?|scripts?|hooks?|plugins?|extensions?|expressions?)|(?:commands?|code|scripts?) execution|exec|eval|(?:external|arbitrary|shell|system|untrusted) (?:commands?|code|programs?|scripts?)|(?:any|arbitrary|absolute) (?:paths?|files?|director(?:y|ies)|folders?|locations?)|writ\w+ (?:access|to|outside))\b|(?:^|[.;:([-] ?|\b(?:is|be|use|using|include|apply|perform|allow|enable|permit) )(?:very |potentially )?(?:unsafe|dangerous(?:ly)?)\b|(?:^no|\b(?:disabl|bypass|skip|switch off|turn off|without)(?:e?s?|p?ing)) (?:[\w-]+ ){0,3}?(?:sandbox\w*|safety|safeguards?|protections?|(?<!(?:transport|tls|ssl|web) )security|safe mode|(?:permission|sanity) checks?)\b/i;

export function exclusionReason(
  option: OptionHelp,
  node: CommandNode,
): Reason | undefined {
  const name = bareName(option);
  const { description } = option;
  const isSwitch = option.value === undefined || option.value.optional;
  const isAbout = isSwitch && /^(?:version|usage|manual|h|info)$/i.test(name) ||
    option.value?.type !== "integer" && /^(?:help|help-.*|.*-help)$/i.test(name);
  const isVersion = isSwitch && /^v$/i.test(name) && /\bversion\b/i.test(description) ||
    /^(?:install|show)-completion$/.test(name);
  if (isAbout && /help|version|usage|manual/i.test(`${name} ${description}`) || isVersion) {
    return "about the program itself";
  }
  const hazard = optionHazard(basename(node.words[0]), mainName(option));
  const isUnleashing = isSwitch && unleashes.test(`${name.replaceAll("-", " ")}. ${description}`);
  if (hazard !== undefined && !namesFiles(option, node.words[0]) || isUnleashing) {
    return "can run or write what this tool does not declare";
  }
  if (option.value && optionFile.test(`${name}\n${description}`)) return "may hold other options";
  if (runsSomething(option)) return "may run what it is given";
  if (!option.required && isLoaded(option, node)) return "may load settings or code";
  if (isSwitch && revealsCredentials(description)) return "can print credentials";
  if (/^\(?deprecated|^\[deprecated|^obsolete/i.test(description)) return "deprecated";
  if (
    /^(?:colou?rs?|no-?colou?rs?|nocolor|pager|no-?pager|paging|terminal-width|progress|no-?progress|(?:disable|hide)-progress-bar)$/i
      .test(name)
  ) {
    return "for a terminal";
  }
  const said = description.replaceAll(/\([^)]*\)/g, "").replaceAll(preventsWaiting, "");
  const isOff = /^(?:no|non)-/.test(name) || /^(?:do not|don't|never|disables?)\b/i.test(said);
  const isWaiting = waitingNames.test(name) || streams.test(said) ||
    maybeWaiting.test(`${name}\n${said}`) ||
    /(?<!\bwhen (?:used |run )?)\binteractive(?:ly)?\b(?! mode is)|\bin (?:the|a|your) (?:web )?browser\b|^(?:prompt|ask)s? (?:before|once)\b|\bprompts? for\b/i
      .test(said);
  if ((isSwitch || name === "watch") && isWaiting && !isOff) {
    return "waits for a person, or does not end";
  }
  return undefined;
}

export function namesFiles(option: OptionHelp, program: string): boolean {
  const hazard = optionHazard(basename(program), mainName(option)) ?? "";
  return option.value !== undefined &&
    /^writes (?:a file|files|or reads)|^works in another directory/.test(hazard);
}

export function isOfEveryCommand({ section }: OptionHelp): boolean {
  return /\b(?:global|inherited|persistent|wide)\b|^common (?:options|flags|arguments)$/i.test(
    section,
  );
}

/** Returns a larger number for an option that more calls need, such as `--database`. */
export function needOf(option: OptionHelp): number {
  const { value, names, required, description } = option;
  if (value === undefined) return 0;
  const isNeeded = required ||
    /(?:^|-)(?:account|address|cluster|database|db|domains?|endpoints?|host|namespace|org|organization|project|region|repo|repository|server|site|url|workspace|zone)\n|(?<!\bnot )\brequired\b(?! (?:if|when|unless)\b)/i
      .test(`${mainName(option)}\n${description}`);
  // A default such as `$HOME` is a variable, which may be unset, so the option may still be needed
  const hasDefault = /^[^$]/.test(value.default ?? "") ||
    /\bdefaults?\b(?!:? \$)/i.test(description);
  return isNeeded ? 4 : hasDefault ? 1 : names.some((name) => /^-\w$/.test(name)) ? 3 : 2;
}

const optionFile =
  /\b(?:options|switches|arguments|flags) (?:are read )?(?:from|in) (?:an? |the |this |given |specified )*[<"']?(?:[\w-]+ )?file\b|\bfile (?:containing|with|of) (?:[\w-]+ ){0,3}(?:options|switches|flags)\b|^(?:flags?|opts?|options?|args?|arguments?|params?)[-_]?file\n/i;

export interface ExcludedCommand {
  readonly words: readonly string[];
  readonly reason: string;
}

const servingNames =
  /^(?:serve|server|[\w-]+-server|lsp|lsp-[\w-]+|language-server|watch|port-forward|proxy|dev)$/i;

const interactiveNames = /^(?:repl|shell|console|tui|attach|interactive|gui)$/i;

const serves =
  /^(?:an?|the) (?:(?!on\b|of\b|for\b|from\b|in\b|at\b|with\b|to\b)[\w-]+ ){0,5}(?:web|http)?server\b(?=[.,;:]?$|[.,;] | (?:for|that|which|with|to)\b)|\blistens? (?:on|for)\b|^watch(?:es)?\b[^.\n]*\b(?:for|changes?|and)\b|\b(?:starts?|runs?|launch(?:es)?|hosts?|serves?) (?:(?!on\b|of\b|for\b|from\b|in\b|at\b|with\b|against\b|to\b)[\w()-]+ ){0,5}(?:web)?server\b|\blanguage server\b|^(?:dev(?:elopment)?|preview|live)[ -]server\b|\blocally previews?\b|\bpreviews? (?:the |your |a )?(?:[\w-]+ ){0,2}(?:builds?|docs|documentation|site|server)\b|\bforwards?\b[^.]{0,80}\bstandard input and output\b|\buntil (?:it is )?(?:interrupted|stopped|cancell?ed)\b/im;

const listening = /^(?:port|host(?:name)?|bind|listen|addr(?:ess)?|(?:bind|listen)-.*)$/;

function isServer({ help }: CommandNode, text: string): boolean {
  return serves.test(text) && !/\bdaemon\b/i.test(text) || hasOption(help, listening) &&
      /^(?:boot|expose|host|launch|serve|start)(?:e?s)?\b/im.test(text);
}

function hasOption({ options }: CommandNode["help"], pattern: RegExp): boolean {
  return options.some((option) => pattern.test(bareName(option)));
}

const talks =
  /\binteractive (?:shell|session|prompt|console|terminal|repl)\b|\bread-eval-print\b|\bREPL\b|\b(?:in|with|from|via|through|using) (?:(?:your|the|an|a) )?(?:default |text |web )?(?:editor|browser)\b|\bopens? (?:[\w-]+ ){0,3}browser\b/i;

const streams =
  /\blive[- ]stream|\bin real[- ]time\b|\breal[- ]time (?:events?|stream|updates?|view)\b|\bcontinu(?:ous|al)ly\b|\bcontinuous (?:stream|output|updates?|monitoring)\b|\bas they (?:happen|occur|arrive)\b|\bstream (?:of )?(?:events|logs|messages|updates)\b|\bendless|\bforever\b/i;

const bounds =
  /^(?:no-stream|once|one-?shot|until|count|limit|iterations|max-(?:count|results|events|time)|timeout|duration)$/;

function doesStream({ words, help, summary }: CommandNode): boolean {
  return streams.test(`${summary}\n${firstSentence(help.description)}`) ||
    /^(?:events|monitor|stats|top)$/.test(words.at(-1)!) &&
      hasOption(help, /^(?:(?:no-)?stream|until)$/);
}

export function boundOf(node: CommandNode): OptionHelp | undefined {
  if (!doesStream(node)) return undefined;
  return node.help.options.filter((option) => bounds.test(bareName(option)))
    .toSorted((a, b) => Number(a.value !== undefined) - Number(b.value !== undefined))[0];
}

export function commandExclusion(node: CommandNode): string | undefined {
  const { words, summary, help } = node;
  const name = words.at(-1)!;
  const text = `${firstSentence(summary)}\n${firstSentence(help.description)}`;
  if (help.isInteractiveAlone && help.positionals.length === 0) return "waits for a person";
  if (words.length === 1) {
    const isOne = help.subcommands.length === 0 && hasOption(help, listening);
    const isServing = isServer(node, text) || servingNames.test(basename(name));
    return isOne && isServing ? "does not end" : undefined;
  }
  if (doesStream(node) && boundOf(node) === undefined) return "does not end";
  if (servingNames.test(name) || isServer(node, text)) return "does not end";
  const isLogin = /^(?:log-?in|auth)$/.test(name) &&
    hasOption(help, /^(?:web|(?:no-)?(?:[a-z]+-)?browser)$/);
  if (isLogin || interactiveNames.test(name) || talks.test(text)) return "waits for a person";
  if (printsCredentials(words, text)) return "prints credentials";
  return /\b(?:auto-?)?completions? scripts?\b|\bshell (?:auto-?)?completions?\b/i.test(text)
    ? "completes commands in a shell"
    : undefined;
}
