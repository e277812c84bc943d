/** Drafts a tool from the help of one command, with the guesses that a person should check. */

import {
  mainName,
  type OptionHelp,
  type PositionalHelp,
  type ValueHelp,
} from "../help/command_help.ts";
import { wholeSentences } from "../text/sentence.ts";
import {
  briefOptions,
  exclusionReason,
  isOfEveryCommand,
  type Reason,
} from "./_excluded_options.ts";
import type { CommandNode } from "./_tree.ts";
import { runsWords } from "../sources/command/hazards.ts";

/** A tool before it is text. */
export interface ToolDraft {
  readonly name: string;
  readonly description: string;
  /** False when the help does not say what the command is for. */
  readonly isDescribed: boolean;
  /** The words behind the program. */
  readonly command: string;
  readonly effect: EffectGuess;
  readonly args: readonly ArgDraft[];
  /** Absent: positional arguments in front of options, the default of climax. */
  readonly argv?: readonly (string | readonly string[])[];
  readonly leftOut: readonly ExcludedOption[];
  readonly notes: readonly string[];
}

/** An argument before it is text. */
export interface ArgDraft {
  /** Its name in the program: a flag, or `<NAME>`. */
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly role: { readonly kind: "positional" | "placed" | "stdin" } | {
    readonly kind: "flag";
    readonly flag: string;
  };
  /** Absent for a switch. */
  readonly value?: ValueHelp;
  /** The number of values, when it is fixed. */
  readonly count?: number;
  readonly guesses: readonly string[];
  readonly notes: readonly string[];
}

export interface ExcludedOption {
  readonly name: string;
  readonly reason: Reason;
}

interface DraftOptions {
  readonly globals: boolean;
  readonly brief: boolean;
}

/** Layouts of which some programs do not take `--name=value`. */
const partsValues = new Set(["man", "gnu"]);

const maxUsages = 6;

/** Options of every command are kept up to this number. */
const fewGlobals = 3;

export function draftTool(node: CommandNode, { globals, brief }: DraftOptions): ToolDraft {
  const { words, help, summary } = node;
  const useful: OptionHelp[] = [];
  const leftOut: ExcludedOption[] = [];
  // A few are worth their space: `gh` has `--repo`
  const keepsGlobals = globals || help.options.filter(isOfEveryCommand).length <= fewGlobals;
  for (const option of help.options) {
    const reason = exclusionReason(option, { program: words[0], globals: keepsGlobals });
    if (reason === undefined) useful.push(option);
    else leftOut.push({ name: mainName(option), reason });
  }
  const kept = brief ? briefOptions(useful) : useful;
  for (const option of useful.filter((each) => !kept.includes(each))) {
    leftOut.push({ name: mainName(option), reason: "of less use" });
  }
  const taken = new Set<string>(["__proto__"]);
  const notes: string[] = [];
  const positionals = help.positionals.map((each, index) => {
    // Without it, the program would wait for a person
    const required = each.required || index === 0 && help.isInteractiveAlone;
    return positionalDraft({ ...each, required }, taken);
  });
  const passed = positionals.findIndex(({ name }) => /^(?:command|cmd|args?)$/.test(name));
  const own = passed > 0 && !["clap", "click"].includes(help.layout)
    ? positionals.slice(0, passed)
    : positionals;
  if (own.length < positionals.length) {
    notes.push(
      `left out: ${positionals.slice(passed).map(({ key }) => key).join(" ")}: a command to run`,
    );
  }
  const args = [
    ...own,
    ...kept.flatMap((option) => optionDrafts(option, { layout: help.layout, taken })),
    ...(help.mentionsInput ? [inputDraft(taken)] : []),
  ];
  const argv = templateOf(args, { layout: help.layout, isCut: own.length < positionals.length });
  const description = help.description !== "" ? help.description : summary;
  return {
    name: toolName(words),
    description: description === "" ? `Run ${words.join(" ")}` : wholeSentences(description),
    isDescribed: description !== "",
    command: words.slice(1).join(" "),
    effect: guessEffect(words, { description: `${summary || description}`, options: kept }),
    args,
    ...(argv === undefined ? {} : { argv }),
    leftOut,
    notes: [
      ...(description === "" ? ["its help does not say what it is for: write that"] : []),
      ...(node.sharesHelp
        ? ["prints the help of the command above: which options are its own is not known"]
        : []),
      ...help.otherUsages.slice(0, maxUsages).map((form) =>
        `also called: ${words.join(" ")} ${form}`
      ),
      ...notes,
      ...help.unread.map((line) => `not understood: ${line}`),
    ],
  };
}

/** A program whose help mentions standard input mostly reads it. */
function inputDraft(taken: Set<string>): ArgDraft {
  return {
    key: "<standard input>",
    name: makeUnused("input", taken, "text"),
    description: "Text for the program's standard input",
    required: false,
    role: { kind: "stdin" },
    value: { placeholder: "", type: "string", optional: false, guesses: [] },
    guesses: ["stdin"],
    notes: [],
  };
}

function positionalDraft(positional: PositionalHelp, taken: Set<string>): ArgDraft {
  const { name, required, description, value } = positional;
  return {
    key: `<${name}>`,
    name: makeUnused(snake(name) || "value", taken),
    description,
    required,
    role: { kind: "positional" },
    value,
    guesses: value.guesses,
    notes: [],
  };
}

function optionDrafts(
  option: OptionHelp,
  { layout, taken }: { readonly layout: string; readonly taken: Set<string> },
): ArgDraft[] {
  const { value, negations, counted, description, required } = option;
  const main = mainName(option);
  const notes = [
    ...(value?.optional ? ["its value may be left out, which a config cannot express"] : []),
    ...(counted ? ["may be given more than once, which a config cannot express"] : []),
  ];
  const draft: ArgDraft = {
    key: main,
    name: makeUnused(optionName(option), taken, "option"),
    description,
    required: required && value !== undefined,
    role: roleOf(main, option, layout),
    ...(value === undefined ? {} : { value }),
    ...(value?.list?.kind === "spread" && value.list.count ? { count: value.list.count } : {}),
    guesses: value?.guesses ?? [],
    notes,
  };
  // A switch that may be on by default needs its negation
  const offs = value === undefined ? negations.filter((each) => each.startsWith("-")) : [];
  const [off] = offs;
  if (off === undefined || layout === "git") return [draft];
  return [draft, {
    key: off,
    name: makeUnused(
      off.includes("=") ? `no_${optionName(option)}` : optionName({ ...option, names: [off] }),
      taken,
      "option",
    ),
    description: `Opposite of ${draft.name}${description === "" ? "" : `: ${description}`}`,
    required: false,
    role: { kind: "flag", flag: off },
    guesses: [],
    notes: [],
  }];
}

function roleOf(main: string, { value, joined }: OptionHelp, layout: string): ArgDraft["role"] {
  if (value === undefined) return { kind: "flag", flag: main };
  if (value.list?.kind === "spread") return { kind: "placed" };
  const isLong = main.startsWith("--") || layout === "go flag";
  const joins = joined || value.optional || !partsValues.has(layout);
  return { kind: "flag", flag: isLong && joins ? `${main}=` : main };
}

/** Go's flag package, and programs that pass words on, read no option behind an argument. */
function templateOf(
  args: readonly ArgDraft[],
  { layout, isCut }: { readonly layout: string; readonly isCut: boolean },
): (string | readonly string[])[] | undefined {
  const placed = args.filter(({ role }) => role.kind === "placed");
  const positionals = args.filter(({ role }) => role.kind === "positional");
  const isLast = (layout === "go flag" || isCut) && positionals.length > 0;
  if (placed.length === 0 && !isLast) return undefined;
  return [
    "{...}",
    ...placed.map(({ key, name, required }) => [key, `{${name}${required ? "" : "?"}}`]),
    ...(isLast ? positionals.map(({ name, required }) => `{${name}${required ? "" : "?"}}`) : []),
  ];
}

/** Longest name of a tool: some clients take no more. */
const maxName = 64;

/** `gh issue list` → `gh_issue_list`. */
export function toolName(words: readonly string[]): string {
  const program = words[0]!.split(/[\\/]/).at(-1)!.replace(/\.(?:exe|cmd|bat|py|js|sh)$/i, "");
  return snake([program, ...words.slice(1)].join("_")).slice(0, maxName) || "tool";
}

/** `--max-count` → `max_count`; an option of one letter has the name of its value, or its letter. */
function optionName(option: OptionHelp): string {
  const name = mainName(option).replace(/^-+/, "");
  if (name.length > 1) return snake(name) || "option";
  const placeholder = snake((option.value?.placeholder ?? "").split("=")[0]!);
  if (
    placeholder.length > 2 &&
    !/^(?:string|value|text|arg|name|file|path|int|num|number)$/.test(placeholder)
  ) {
    return placeholder;
  }
  if (/[A-Z]/.test(name)) return `upper_${name.toLowerCase()}`;
  return /[a-z]/.test(name) ? name : `flag_${snake(name) || name.codePointAt(0)}`;
}

/** Adds a number to `name` when it is `taken`, and adds the result to `taken`. */
export function makeUnused(name: string, taken: Set<string>, suffix = ""): string {
  let free = name;
  if (taken.has(free) && suffix !== "") free = `${name}_${suffix}`;
  for (let number = 2; taken.has(free); number++) free = `${name}_${number}`;
  taken.add(free);
  return free;
}

function snake(text: string): string {
  return text
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_|_$/g, "")
    .toLowerCase();
}

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

/** Programs that overwrite, end or change for good what they are given, whatever their help says. */
const harmful = new Set(
  "chgrp chmod chown cp dd fdisk halt install kill killall ln mkfs mkswap mv parted pkill poweroff reboot rm rmdir rsync sed sfdisk shred shutdown split swapoff tee truncate umount unlink wipefs"
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
  // `mkfs.ext4` and its like are named by what they make
  const program = toolName(words.slice(0, 1)).split("_")[0]!;
  const isHarmful = harmful.has(program) || words.length === 1 && runsWords(words[0]!);
  const destroying = isHarmful ? program : verbs.find((word) => destroys.has(word));
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
