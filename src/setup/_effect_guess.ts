/**
 * Guesses from a command's help whether it reads, writes or destroys. A wrong `read` may cost data, and a wrong `write`
 * only a question to a person, so in doubt a command does not count as one that reads.
 */

import { mainName, type OptionHelp, type PositionalHelp } from "../help/command_help.ts";
import { runsWords } from "../sources/command/hazards.ts";
import { firstSentence } from "../text/sentence.ts";

export interface EffectGuess {
  readonly effect?: "read" | "write" | "destructive";
  readonly because: string;
}

export interface Described {
  readonly texts: readonly string[];
  readonly explanation: string;
  readonly text: string;
  readonly about: string;
  readonly options: readonly OptionHelp[];
  readonly positionals: readonly PositionalHelp[];
}

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

const reads = wordSet(
  "list ls show get describe view status log logs diff search find info inspect top cat stat stats explain print which whoami outdated tree ps images history events validate lint check count locate head tail grep compare where why dump validate-config df du lsl lsd lsf lsjson size listremotes snapshots blame shortlog rev-parse verify freeze metadata annotate wc",
);

const destroys = wordSet(
  "delete del rm remove destroy prune purge drop kill uninstall reset clean clear erase wipe truncate rmi revoke evict drain forget gc deprovision unpublish rmdir rmdirs deletefile cleanup shred format-disk terminate cancel expire flush nuke",
);

/** Names of programs that overwrite, end or change for good what they are given, even if their help does not say so. */
const harmful = wordSet(
  "chgrp chmod chown cp dd fdisk halt install kill killall ln mkfs mkswap mv parted pkill poweroff reboot rm rmdir rsync sed sfdisk shred shutdown split swapoff tee truncate umount unlink wipefs",
);

const writes = wordSet(
  "add adjust apply append assign bump cancel change clean clear close commit configure control convert create delete disable download drop edit enable erase execute expire fix generate grant import initialize install kill lock login logout make manage manipulate merge modify move overwrite publish push put rebuild register remove rename renew repair replace reset restart resume revoke rotate run save send set start stop store suspend switch toggle trigger turn unlock unset update upgrade upload write",
);

const writesAbove = wordSet("add apply create disable edit enable execute modify put write");

const reading =
  "analy[sz]es?|annotates?|calculates?|checks?|compares?|computes?|counts?|creates? an? diff|describes?|displays?|dumps?|examines?|fetch(?:es)?|finds?|gets?|gives?|inspects?|lints?|lists?|looks?|measures?|outputs?|prints?|quer(?:y|ies)|reports?|retrieves?|returns?|search(?:es)?|shows?|summari[sz]es?|validates?|verif(?:y|ies)|views?";

export const beginsReading = new RegExp(
  `^(?:(?:this|the ["'\`]?[\\w-]+["'\`]?) \\w+ (?:will )?|\\w+ (?=\\w+s\\b))?(?:${reading})\\b`,
  "i",
);

/** Matches descriptions that prove that a command only reads. "Prints files" proves nothing: it may mean paper. */
const beginsPlainly =
  /^(?:(?:this|the ["'`]?[\w-]+["'`]?) \w+ (?:will )?)?(?:analy[sz]es? (?![^.]*\b(?:databases?|tables?)\b)|calculates?|computes?|counts?|describes?|displays?|explains?|measures?|extracts? (?:the )?text|gives? (?:details|information)|lists?|prints?(?! files)|reports?|shows?|summari[sz]es?)\b/i;

const beginsAdding =
  /^(?:adds?|appends?|commits?|creates?|imports?|initiali[sz]es?|inserts?|installs?|publish(?:es)?|pushes?|push|registers?|saves?|uploads?)\b/i;

const overwrites = /\b(?:overwrit|replac|remov|delet|existing|force|reset|runs?\b|execut|updat)/i;

const isReading = new RegExp(`^(?:${reading})$`, "i");

/** Matches descriptions whose first verb is about an action that cannot be undone. */
const destroyingVerbs =
  /^(?:\w+ly )?(?:kills?|deletes?|removes?|destroys?|erases?|wipes?|purges?|drops?|uninstalls?|terminates?|prunes?)\b/i;

const writingNames =
  /^(?:(?:fix|write|in-?place|apply|save|overwrite|repair|rotate|bump|renew|rebuild|migrate|replace|rename|move|unset|update|generate)(?:-[\w-]+)?|install|cache|set|add|create|edit|upload(?:-file)?|exec|o|out|(?:[\w-]+-)?(?:output|out|report|dump)-?(?:file(?:name)?|dir|directory|path)?|out-?(?:file|dir)|dest(?:ination)?)$/;

const writingSwitch =
  /^(?:also )?(?:appl(?:y|ies)|bumps?|changes?|commits?|creates?|deletes?|expires?|fix(?:es)?|generates?|installs?|makes? a|publish(?:es)?|rebuilds?|renews?|repairs?|resets?|rewrites?|rotates?|saves?|stores?|updates?|upgrades?|writes?)\b/i;

const shown =
  /^(?:also )?(?:appends?|creates?|generates?|makes?|prints?|writes?) (?:[\w-]+ ){0,3}?(?:checksums?|counts?|headers?|indicators?|lines?|names?|numbers?|output|sizes?|totals?)\b(?! (?:files?|director(?:y|ies)|folders?|to|into|in|databases?)\b)|^prints? [^.;]* relative to\b|^(?:first )?(?:terminate|truncate)s? [^.;]* (?:with|to length)\b|\bpreviously[- ](?:defined|given|specified)\b/i;

export const writesFile =
  /^(?:the )?destination\b|\b(?:is|are|be) (?:written|saved)\b|\blocation of (?:the |a )?(?:copy|output|results?|report|backup)\b|\bwhere to (?:output|write|save|store|put|place|dump)\b|\b(?:writes?|saves?|stores?|dumps?|records?|exports?|appends?|redirects?|outputs?|prints?|logs?|results?|report)\b(?:[^.;]|\.\w)*\b(?:to|in|into|as|at)\b(?:[^.;]|\.\w)*\b(?:files?|paths?|dir|director(?:y|ies)|folders?|disk)\b|^(?:output|report|log) (?:file|dir|path|folder|directory)|^(?:file|path|directory|folder) (?:\w+ )?(?:to|for) (?:write|output|save|store|the output)/i;

const destroyingNames =
  /^(?!no-)(?:hard|(?:[\w-]+-)?(?:clear|delete|destroy|drop|erase|expire|flush|kill|prune|purge|remove|reset|truncate|wipe)(?:-[\w-]+)?)$/;

export function optionEffect(option: OptionHelp): "write" | "destructive" | undefined {
  const { value, description } = option;
  const name = bareName(option);
  if (shown.test(description)) return undefined;
  if (destroyingNames.test(name)) return "destructive";
  const isFormat = value?.choices !== undefined || /format/i.test(name) ||
    /\bformat\b(?!>)/i.test(description) && !/\bfiles?\b|\bwhere\b/i.test(description);
  if (isFormat) return undefined;
  if (value === undefined) {
    if (destroyingVerbs.test(description) || destroys.has(name)) return "destructive";
    return writingNames.test(name) && name !== "o" || writes.has(name) ||
        /^run-.*\n.*\b(?:\w*hooks?|commands?|scripts?)\b/i.test(`${name}\n${description}`) ||
        writingSwitch.test(description)
      ? "write"
      : undefined;
  }
  return writingNames.test(name) || writesFile.test(description) ||
      /(?:^|-)(?:cache|history|log|record|trace)(?:$|-)/.test(name) &&
        isPathName(value.placeholder) ||
      /^(?:out|dest)(?:put|file|[-_]|$)/i.test(value.placeholder)
    ? "write"
    : undefined;
}

/**
 * Returns true if a word of `option` may mean that it runs, writes or loads something. A tool that reads then does not
 * get the option, as a call could run code without a question.
 */
export function isDoubtedInRead(option: OptionHelp): boolean {
  const { value, description } = option;
  if (value !== undefined && (value.choices !== undefined || value.type !== "string")) return false;
  const said = `${bareName(option)} ${description}`;
  const isNegative = /^no-|\b(?:do not|don't|never|without)\b/i.test(said);
  if (shown.test(description) || value === undefined && isNegative) return false;
  const runs =
    /\b(?:re-?runs?|runs? (?:a|an|the|this|given|[a-z]+\b when)|execut(?:e|es)|evaluat(?:e|es)|invokes?|launch(?:es)?|spawns?|(?:over)?writes?|written|saves?)\b/i;
  const isCode =
    /\b(?:code|executables?|scripts?|functions?|interpreters?|plug-?ins?)\b(?! (?:points?|block names?))/i;
  return runs.test(said) || value !== undefined && isCode.test(`${value.placeholder} ${said}`);
}

const doubtfulNames = /^(?!no-)(?:[\w-]+-)?(?:force|off|on|enable|disable)$/;

const publishes = /\bpublish|\bpublic (?!keys?\b)|\bupload|\bexpir(?:es|ation)\b/i;

export function isDoubtfulOption(option: OptionHelp): boolean {
  return doubtfulNames.test(bareName(option)) || publishes.test(option.description);
}

export function isPathName(name: string): boolean {
  return /(?:(?<!pro)files?|filenames?|(?<!x|json)paths?|(?:^|[-_ ]|sub|in|out|put)dirs?|director(?:y|ies)|folders?|archives?)$/i
    .test(name);
}

export function bareName(option: OptionHelp): string {
  return mainName(option).replace(/^-+/, "");
}

const code =
  /^(?:code|script|lua)$|^(?:pre)?load-|^require$|(?:^|-)plugins?$|(?<!jmespath|jq|json-?path|xpath|regular|glob|cron)(?:^|[-_. ])(?:sql|cypher|graphql|mutation|statements?|expr(?:ession)?s?|eval)(?:$|[-_. ])/i;

const codeNames = /(?:perl|python|js|javascript|ruby|lua|php|awk|shell)[-_ ]?(?:code|expr)/i;
const programNames =
  /^(?:[\w-]+[-_ ])?(?:command(?:[-_ ]?line)?|cmd|code|hook|program|script|executable)s?$/i;

export function guessEffect(words: readonly string[], help: Described): EffectGuess {
  const { texts, text } = help;
  const path = words.slice(1).flatMap((word) => word.split(":"));
  const program = words[0]!.split(/[\\/]/).at(-1)!.toLowerCase().split(/[^a-z\d]/)[0]!;
  const isHarmful = harmful.has(program) || words.length === 1 && runsWords(words[0]!);
  const destroying = isHarmful
    ? program
    : path.flatMap((word) => [word, ...word.split(/[-_]/)]).findLast((word) => destroys.has(word));
  if (destroying !== undefined) return { effect: "destructive", because: `'${destroying}'` };
  // The first lines of a program's help are searched too: they may reveal a danger that its description leaves out
  const lines = words.length === 1 ? text.split("\n", 8).map((line) => line.trim()) : [];
  if ([...texts, ...lines].some((line) => destroyingVerbs.test(line))) {
    return { effect: "destructive", because: "its description" };
  }
  const run = help.positionals.find(({ name, description }) =>
    codeNames.test(name) || /^(?:code|expr(?:ession)?|function|script)$/i.test(name) &&
      /\b(?:perl|python|javascript|js|ruby|lua|php|shell) (?:code|expression|function|script)s?\b/i
        .test(texts.join("\n")) ||
    programNames.test(name) &&
      /\b(?:runs?|running|execut\w+|evaluat\w+|invok\w+|spawns?|benchmarks?)\b/i
        .test([...texts, description].join("\n"))
  );
  if (run !== undefined) return { effect: "destructive", because: `it runs '${run.name}'` };
  if (printsCredentials(words, texts.join("\n"))) return { because: "it may print credentials" };
  const last = path.at(-1) ?? (texts.length === 0 ? "" : program);
  // A program that manages passwords or keys may print them, so its commands do not count as harmless reads
  const isSecret =
    /(?<![\w/])\.env\b|\b(?:passwords?|passphrases?|secrets?|credentials?|key-?(?:chain|ring)s?|vaults?)\b/i
      .test(help.about) || last === "get" && /\bconfig/i.test([...path, ...texts].join(" "));
  const reason = whyNotRead(last, path.slice(0, -1), help) ??
    (isSecret ? "it may print credentials" : undefined);
  if (reason === undefined) return { effect: "read", because: `'${last}'` };
  const adds = words.length > 1 && texts.length > 0 && targetOf(help.positionals) === undefined &&
    texts.every((text) => beginsAdding.test(text)) && !texts.some((text) => overwrites.test(text));
  return adds ? { effect: "write", because: "its description" } : { because: reason };
}

function whyNotRead(
  last: string,
  above: readonly string[],
  { texts, explanation, options, positionals }: Described,
): string | undefined {
  const isRead = reads.has(last);
  const isShown = /^(?:describe|list|ls|print|show|top)$/.test(above.at(-1) ?? "");
  const begins = isShown ? beginsReading : beginsPlainly;
  const isPlain = texts.length > 0 && texts.every((text) => begins.test(text)) &&
    !last.split(/[-_]/).some((part) => writes.has(part)) &&
    positionals.every(({ name, required }) => required || isPathName(name));
  if (!isPlain && (!isRead || texts.length === 0)) return "nothing says that it only reads";
  const writing = above.flatMap((word) => word.split(/[-_]/)).find((word) => writesAbove.has(word));
  if (writing !== undefined) return `'${writing}' changes something`;
  const target = targetOf(positionals);
  if (target !== undefined) return `it may write '${target.name}'`;
  if (positionals.some(({ name }) => /^remotes?\b/i.test(name))) {
    return "a remote may run a program";
  }
  const program = positionals.find(({ name, description }) =>
    /\b(?:python|node|ruby|perl|java|interpreters?|executables?|commands?|programs?|scripts?)\b/i
      .test(`${name} ${description}`)
  );
  if (program !== undefined) return `it may run '${program.name}'`;
  const doubt = options.find(isDoubtfulOption);
  if (doubt !== undefined) return `it has ${mainName(doubt)}`;
  for (const text of texts) {
    if (!beginsReading.test(text) && !beginsPlainly.test(text)) {
      return "its description does not say that it only reads";
    }
    const other = otherVerb(firstSentence(text)) ?? laterVerb(text);
    if (other !== undefined) return `its description says '${other}'`;
  }
  if (overwrites.test(explanation)) return "its description may name a change";
  const given = options.filter(({ value, description }) =>
    value !== undefined && !/filter|select|sort|order|format|template/i.test(description)
  ).map((option) => ({ name: bareName(option), ...option }));
  const evaluated = [...positionals, ...given].find(({ name, value, description }) =>
    [name, value!.placeholder].some((each) => code.test(each)) ||
    /\bSQL\b/.test(description)
  );
  return evaluated && `'${evaluated.name}' may be evaluated or loaded`;
}

function targetOf(positionals: Described["positionals"]) {
  return positionals.find(({ name }) =>
    /^(?:out|dest|target)(?:[-_ ]|put|ination|file|dir|$)/i.test(name)
  );
}

const determiner = /^(?:the|a|an|it|its|them|their|this|that|these|your|any|new)$/i;

const noVerb =
  /^(?:the|a|an|its?|their|this|that|these|your|any|all|both|new|in|on|of|for|from|with|by|at|as|into|without|within|between|about|per|via|than|if|when|which|whether|not|only|see|under|over|after|before|of|to|is|are|was|be)$/i;

function otherVerb(sentence: string): string | undefined {
  const clauses =
    /(?:\b(?:and|or|then|but|to)\s+|[,;/]\s*)(?:(?:also|optionally|then|and|or)\s+)*([a-z][a-z-]*)(?=(?:\s+([a-z]+))?)/gi;
  for (const [, word = "", next = ""] of sentence.matchAll(clauses)) {
    const verb = word.toLowerCase();
    if (isReading.test(verb) || noVerb.test(verb)) continue;
    const base = /^\w+s /.test(sentence) ? verb.replace(/(?<!s)s$/, "") : verb;
    if (writes.has(base) || determiner.test(next)) return verb;
  }
  // In "Print the messages, clearing the buffer", the verb that changes something ends in -ing
  const gerunds = /(?<=,|\b(?:and|by|then|while)) +[a-z]+(?=ing\b)/g;
  return sentence.toLowerCase().match(gerunds)?.map((stem) => stem.trim()).find((stem) => {
    return stem !== "runn" &&
      [stem, `${stem}e`, stem.replace(/(.)\1$/, "$1")].some((verb) => writes.has(verb));
  });
}

function laterVerb(text: string): string | undefined {
  const statement =
    /(?<=\b(?:can|may|will|also|could|you) (?:also |then |optionally )*)(?!run\b)[a-z]+/g;
  return text.toLowerCase().match(statement)?.find((verb) => writes.has(verb));
}

const secretWord = /^(?:tokens?|secrets?|passwords?|passwd|passphrases?|credentials?|apikeys?)$/;

const revealing = wordSet(
  "access cat decrypt display dump export fetch fill find get print read reveal show value view",
);

const revealsSecrets =
  /\bdecrypted\b|\bsensitive data\b|\b(?:prints?|shows?|displays?|gets?|returns?|outputs?|retrieves?|reveals?|dumps?|exports?|fetch(?:es)?)\b[^.]{0,60}\b(?:tokens?|passwords?|passphrases?|secrets?|credentials?|(?:api|private|access|stored) keys?)\b/i;

export function revealsCredentials(text: string): boolean {
  // The default of an option is left out, since a word such as "token" in it does not mean that secrets are printed
  const said = text.replace(/[[(]default\b[^]*/i, "");
  return revealsSecrets.test(said) &&
    !/\b(?:do not|don't|hides?|suppress|warning|lex\w*|pars\w+|ruleset)\b/i.test(said);
}

export function printsCredentials(words: readonly string[], text: string): boolean {
  const path = words.slice(1).flatMap((word) => word.toLowerCase().split(":"));
  const last = path.at(-1)?.split(/[-_]/) ?? [];
  if (/(?:^|-)(?:access|api|private|secret|unlock)-key$/.test(path.at(-1) ?? "")) return true;
  if (last.some((part) => writes.has(part) || destroys.has(part))) return false;
  if (secretWord.test(last.at(-1) ?? "")) return true;
  const isRevealing = revealing.has(last[0] ?? "");
  const parts = path.flatMap((word) => word.split(/[-_]/));
  if (isRevealing && parts.some((part) => secretWord.test(part))) return true;
  if (last[0] === "dump" && path.includes("config")) return true;
  return (isRevealing || last.length > 0 && !last.includes("list")) && revealsSecrets.test(text);
}
