/**
 * Excludes options that an agent does not need or should not have: those that describe the program, wait
 * for a person, never end, or run their value. The config lists all of them, so that a person may put one
 * back.
 */

import { basename } from "node:path";
import { optionHazard } from "../sources/command/hazards.ts";
import { mainName, type OptionHelp } from "../help/command_help.ts";

/** The reasons to exclude options, in the order they are listed. */
export const reasons = [
  "about the program itself",
  "for a terminal",
  "waits for a person, or does not end",
  "hands over more than the tool says",
  "may run what it is given",
  "deprecated",
  "of every command",
  "of less use",
] as const;

/** One of {@linkcode reasons}. */
export type Reason = typeof reasons[number];

/** Settings of {@linkcode exclusionReason}. */
export interface ExclusionOptions {
  readonly program: string;
  /** Keeps options that every command has when true. */
  readonly globals: boolean;
}

/** The reason to exclude `option`; `undefined` when it is kept. */
export function exclusionReason(
  option: OptionHelp,
  { program, globals }: ExclusionOptions,
): Reason | undefined {
  const name = mainName(option).replace(/^-+/, "");
  const { description } = option;
  if (
    /^(?:help|version|usage|manual|help-.*|.*-help|h|info)$/i.test(name) &&
    option.value?.type !== "integer"
  ) {
    if (/help|version|usage|manual/i.test(`${name} ${description}`)) {
      return "about the program itself";
    }
  }
  if (/^(?:V|v)$/.test(name) && /\bversion\b/i.test(description)) return "about the program itself";
  if (optionHazard(basename(program), mainName(option)) !== undefined) {
    return "hands over more than the tool says";
  }
  if (runsSomething(name, description) || takesCommand(option)) return "may run what it is given";
  if (/^\(?deprecated|^\[deprecated|^obsolete/i.test(description)) return "deprecated";
  if (
    /^(?:colou?rs?|no-?colou?rs?|nocolor|pager|no-?pager|paging|terminal-width|progress|no-?progress|(?:disable|hide)-progress-bar)$/i
      .test(name)
  ) {
    return "for a terminal";
  }
  const isWaiting =
    /^(?:interactive|tty|follow|watch|watch-only|edit|editor|patch|web|open|prompt|attach|stdin-tty|browser)$/i;
  if (
    isWaiting.test(name) && option.value === undefined ||
    /\binteractive(?:ly)?\b(?! mode is)|\bin (?:the|a|your) (?:web )?browser\b|\bprompts? for\b/i
        .test(description) && option.value === undefined
  ) {
    return "waits for a person, or does not end";
  }
  if (!globals && isOfEveryCommand(option)) return "of every command";
  return undefined;
}

/** True when the heading of an option says that every command has it. */
export function isOfEveryCommand({ section }: OptionHelp): boolean {
  return /\b(?:global|inherited|persistent|wide|common)\b/i.test(section);
}

/** True when the value is named a command, and the description does not contradict that. */
function takesCommand({ value, description }: OptionHelp): boolean {
  return /(?:^|[-_ ])(?:command|cmd|shell|program|script)$/i.test(value?.placeholder ?? "") &&
    (description === "" ||
      /\b(?:run|execut|command|program|shell|script|invok)/i.test(description));
}

function runsSomething(name: string, description: string): boolean {
  if (
    /^(?:exec|execute|eval|exec-.*|.*-exec|shell|command|cmd|.*-command|run|preprocessor|pre|hook|editor|external-diff|rsh|ssh-command|upload-pack|receive-pack)$/i
      .test(name)
  ) {
    return /\b(?:run|execut|command|program|shell|script|evaluat|invok)/i.test(description);
  }
  if (/\b(?:import and run|run them|arbitrary code|untrusted)\b/i.test(description)) return true;
  return /\b(?:runs?|execut(?:e|es|ing)|invokes?) (?:the |this |a |an |given |specified |shell |external |arbitrary )*(?:commands?|programs?|scripts?|shell|hook)\b|\bshell command\b|^command to (?:run|execute)/i
    .test(description);
}
