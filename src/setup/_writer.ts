/** Writes the text of a drafted config, with comments that mark guesses. */

import { inOneLine } from "../text/escape.ts";
import { wholeSentences } from "../text/sentence.ts";
import { wrap } from "../text/wrap.ts";
import type { ArgDraft } from "./_argument_draft.ts";
import { inlineJson } from "./_edit_json.ts";
import { reasons } from "./_excluded_options.ts";
import type { ToolDraft } from "./_tool_draft.ts";

interface ConfigDraft {
  readonly name: string;
  readonly description: string;
  readonly command: string;
  readonly tools: readonly ToolDraft[];
  readonly remarks: readonly string[];
}

export function writeConfig({ name, description, command, tools, remarks }: ConfigDraft): string {
  const lines = [
    ...remarks.flatMap((remark) => commentLines(remark)),
    "",
    `name: ${scalar(name)}`,
    ...(description === "" ? [] : [`description: ${scalar(description)}`]),
    `command: ${scalar(command)}`,
    `tags: [${scalar(name)}]`,
    // A model may invent an argument such as `dry_run`; if climax ignored it, the call would run in earnest
    "unknown_args: refuse",
    "",
    "tools:",
    ...tools.flatMap((tool, index) => index === 0 ? toolLines(tool) : ["", ...toolLines(tool)]),
  ];
  return `${lines.join("\n")}\n`;
}

function toolLines(tool: ToolDraft): string[] {
  const { effect, because } = tool.effect;
  return [
    ...[...tool.notes, ...linesOfExcluded(tool.leftOut)].flatMap((note) => commentLines(note, 2)),
    `  - name: ${scalar(tool.name)}`,
    `    description: ${scalar(tool.description)}`,
    ...(tool.command === "" ? [] : [`    command: ${scalar(tool.command)}`]),
    ...(effect === undefined
      ? commentLines(`effect: unknown, ${because}; clients expect the worst`, 4)
      : [`    effect: ${effect} # guess: ${because}`]),
    ...Object.entries(tool.exitCodes ?? {}).map(([code, meaning]) => {
      return `    exit_codes: { ${code}: ${scalar(meaning)} } # guess`;
    }),
    ...(tool.argv === undefined ? [] : [`    argv: ${inlineJson(tool.argv)}`]),
    ...(tool.args.length === 0 ? [] : ["    args:"]),
    ...tool.args.flatMap((arg) => [
      `      - name: ${scalar(arg.name)}`,
      ...argLines(arg).map((line) => `        ${line}`),
    ]),
  ];
}

function linesOfExcluded(leftOut: ToolDraft["leftOut"]): string[] {
  return reasons.flatMap((reason) => {
    const names = leftOut.filter((each) => each.reason === reason).map(({ name }) => name);
    return names.length === 0 ? [] : [`left out, ${reason}: ${names.join(" ")}`];
  });
}

function argLines(arg: ArgDraft): string[] {
  const { value, role, required } = arg;
  const description = describe(arg);
  return [
    ...(description === "" ? [] : [`description: ${scalar(description)}`]),
    ...typeLines(arg),
    ...(required ? ["required: true"] : []),
    ...Object.entries(arg.keys).map(([key, text]) => `${key}: ${text}`),
    ...(role.kind === "positional" ? ["positional: true"] : []),
    ...(role.kind === "stdin" ? [`stdin: true${guess(arg, "stdin")}`] : []),
    ...(role.kind === "flag" ? [`flag: ${JSON.stringify(role.flag)}`] : []),
    ...(value?.list?.kind === "joined"
      ? [`separator: ${JSON.stringify(value.list.separator)}${guess(arg, "list")}`]
      : []),
  ];
}

/** Describes an argument and its default. climax only tells the default: the program applies it by itself. */
function describe({ key, description, value }: ArgDraft): string {
  // A full stop at the end is removed, unless it may be a path such as `.` or `..`
  const sentence = wholeSentences(description).replace(/(?<=[\w)\]"'`])[.;]$/, "");
  const preset = value?.default;
  const isSecret = /token|secret|passw|passphrase|credential|api-?key/i.test(
    `${key} ${description}`,
  );
  const isTold = preset === undefined || isSecret || preset === "" || preset.length > 40 ||
    /\bdefault/i.test(sentence);
  if (isTold) return sentence;
  return sentence === "" ? `Default is ${preset}` : `${sentence}; default is ${preset}`;
}

function typeLines(arg: ArgDraft): string[] {
  const { value } = arg;
  if (value === undefined) return ["type: boolean"];
  const words = value.choices?.map((each) => value.type === "string" ? scalar(each) : each);
  const choices = words && `enum: [${words.join(", ")}]`;
  if (value.list === undefined) {
    const mark = guess(arg, "type") || guess(arg, "value");
    const type = value.type === "string" && mark === "" ? [] : [`type: ${value.type}${mark}`];
    return choices === undefined ? type : [...type, `${choices}${guess(arg, "enum")}`];
  }
  const count = value.list.kind === "spread" ? value.list.count : undefined;
  const items = [`type: ${value.type}`, ...(choices === undefined ? [] : [choices])];
  return [
    `type: array${value.list.kind === "joined" ? "" : guess(arg, "list")}`,
    `items: {${items.join(", ")}}${guess(arg, "type") || guess(arg, "enum")}`,
    ...(count === undefined ? [] : [`min_items: ${count}`, `max_items: ${count}`]),
  ];
}

function guess({ guesses }: ArgDraft, what: string): string {
  return guesses.includes(what) ? " # guess" : "";
}

const width = 100;

export function commentLines(text: string, indent = 0): string[] {
  const start = `${" ".repeat(indent)}# `;
  return wrap(start + inOneLine(text), width, { indent: `${start}  ` });
}

const plain = /^[A-Za-z][A-Za-z0-9_ ,.()/'+-]*[A-Za-z0-9_.)]$|^[A-Za-z]$/;

/** Matches texts that must be in quotes, as a YAML reader may take them for a number, a boolean or null. */
const special = /^(?:y|n|yes|no|on|off|true|false|null|~|\.?inf|\.?nan)$/i;

export function scalar(text: string): string {
  const line = inOneLine(text);
  const isPlain = plain.test(line) && !special.test(line) && !line.includes(", ") &&
    !line.includes(" #");
  return isPlain ? line : JSON.stringify(line);
}
