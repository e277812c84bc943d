/** Guesses the effect of a command, leaning to the worse; unknown means the worst to clients. */

import { mainName, type OptionHelp } from "../help/command_help.ts";

export interface EffectGuess {
  /** Absent: unknown. */
  readonly effect?: "read" | "destructive";
  readonly because: string;
}

const reads = new Set(
  "list ls show get describe view status log logs diff search find info inspect top cat stat stats query explain print which whoami outdated tree ps images history events plan validate lint check count locate head tail grep compare version env where why dump export-env validate-config df du lsl lsd lsf lsjson size listremotes snapshots blame shortlog reflog rev-parse ls-files ls-remote ls-tree verify freeze graph metadata is-active is-enabled is-failed list-units list-timers list-sockets list-unit-files list-jobs list-dependencies"
    .split(" "),
);

const destroys = new Set(
  "delete del rm remove destroy prune purge drop kill uninstall reset clean erase wipe truncate rmi revoke evict drain forget gc deprovision unpublish rmdir rmdirs deletefile cleanup shred format-disk terminate cancel"
    .split(" "),
);

/** Words that begin the description of something harmless. */
const readingVerbs =
  /^(?:lists?|shows?|displays?|prints?|gets?|finds?|search(?:es)?|views?|reports?|describes?|examines?|inspects?|counts?|queries|query|validates?|lints?|checks?|compares?|summari[sz]es?|looks?)\b/i;

/** Those of them that change nothing, whatever else the program has. */
const printing = /^(?:lists?|shows?|displays?|prints?|counts?|reports?)\b/i;

/** Words that begin the description of something that cannot be undone; an adverb may be in front. */
const destroyingVerbs =
  /^(?:\w+ly )?(?:kills?|deletes?|removes?|destroys?|erases?|wipes?|purges?|drops?|uninstalls?|terminates?|prunes?)\b/i;

/** Options that change something, whatever their command is called. */
const writingOptions =
  /^-{1,2}(?:(?:fix|write|in-place|inplace|apply|save|overwrite)(?:-[\w-]+)?|update|install|set|output|output-file|out|outfile|o|add|create|edit|upload-file|upload|exec|(?!no-)(?:[\w-]+-)?(?:force|off|enable|disable)(?!-colou?r)(?:-[\w-]+)?)$/;

const destroyingOptions =
  /^-{1,2}(?!no-)(?:hard|(?:[\w-]+-)?(?:clear|delete|destroy|drop|erase|flush|kill|prune|purge|remove|reset|truncate|wipe)(?:-[\w-]+)?)$/;

export interface Described {
  readonly description: string;
  /** Those that the tool will have. */
  readonly options: readonly OptionHelp[];
}

export function guessEffect(words: readonly string[], help: Described): EffectGuess {
  const verbs = words.slice(1).flatMap((word) => [word, ...word.split(/[-_:]/)]).toReversed();
  // `--output json` says how something is printed
  const options = help.options.filter(({ description, value }) => {
    return value?.choices === undefined && !/\bformat\b/i.test(description);
  });
  const destroying = verbs.find((word) => destroys.has(word));
  if (destroying !== undefined) return { effect: "destructive", because: `'${destroying}'` };
  const destroyer = options.find((option) => destroyingOptions.test(mainName(option)));
  if (destroyer !== undefined) {
    return { effect: "destructive", because: `it has ${mainName(destroyer)}` };
  }
  if (destroyingVerbs.test(help.description)) {
    return { effect: "destructive", because: "its description" };
  }
  // `-o` without a value is no file to write
  const writer = options.find((option) => {
    return writingOptions.test(mainName(option)) &&
      !(mainName(option) === "-o" && option.value === undefined);
  });
  const reading = verbs.find((word) => reads.has(word));
  const describes = readingVerbs.test(help.description);
  if (writer !== undefined && (reading !== undefined || describes)) {
    return { because: `it has ${mainName(writer)}` };
  }
  if (reading !== undefined) return { effect: "read", because: `'${reading}'` };
  // Of a whole program, fewer words say that
  if (describes && words.length > 1 || writer === undefined && printing.test(help.description)) {
    return { effect: "read", because: "its description" };
  }
  return { because: "nothing says that it only reads" };
}
