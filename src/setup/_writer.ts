/** Formats tools as the text of a config, in which every guess has a mark. */

import { wholeSentences } from "../text/sentence.ts";
import { reasons } from "./_excluded_options.ts";
import type { ArgDraft } from "./_argument_draft.ts";
import type { ToolDraft } from "./_tool_draft.ts";
import { stripControlSequences } from "../text/control_sequences.ts";

interface ConfigDraft {
  readonly name: string;
  readonly description: string;
  readonly command: string;
  readonly tools: readonly ToolDraft[];
  readonly remarks: readonly string[];
}

export function writeConfig(config: ConfigDraft): string {
  const out = new LineWriter();
  for (const remark of config.remarks) out.comment(remark);
  out.blank();
  out.line(`name: ${scalar(config.name)}`);
  if (config.description !== "") out.line(`description: ${scalar(config.description)}`);
  out.line(`command: ${scalar(config.command)}`);
  out.line(`tags: [${scalar(config.name)}]`);
  // climax must not ignore an argument that a model guesses, such as `dry_run`
  out.line("unknown_args: refuse");
  out.blank();
  out.line("tools:");
  for (const [index, tool] of config.tools.entries()) {
    if (index > 0) out.blank();
    writeTool(tool, out);
  }
  return out.text();
}

function writeTool(tool: ToolDraft, out: LineWriter): void {
  for (const note of tool.notes) out.comment(note, 2);
  for (const line of linesOfExcluded(tool.leftOut)) out.comment(line, 2);
  out.line(`  - name: ${scalar(tool.name)}`);
  out.line(`    description: ${scalar(tool.description)}`);
  if (tool.command !== "") out.line(`    command: ${scalar(tool.command)}`);
  const { effect, because } = tool.effect;
  if (effect === undefined) out.comment(`effect: unknown, ${because}; clients expect the worst`, 4);
  else out.line(`    effect: ${effect} # guess: ${because}`);
  for (const [code, meaning] of Object.entries(tool.exitCodes ?? {})) {
    out.line(`    exit_codes: { ${code}: ${scalar(meaning)} } # guess`);
  }
  if (tool.argv !== undefined) out.line(`    argv: [${tool.argv.map(templateToken).join(", ")}]`);
  if (tool.args.length === 0) return;
  out.line("    args:");
  for (const arg of tool.args) writeArg(arg, out);
}

function templateToken(token: string | readonly string[]): string {
  return typeof token === "string"
    ? JSON.stringify(token)
    : `[${token.map((each) => JSON.stringify(each)).join(", ")}]`;
}

function linesOfExcluded(leftOut: ToolDraft["leftOut"]): string[] {
  return reasons.flatMap((reason) => {
    const names = leftOut.filter((each) => each.reason === reason).map(({ name }) => name);
    return names.length === 0 ? [] : [`left out, ${reason}: ${names.join(" ")}`];
  });
}

function writeArg(arg: ArgDraft, out: LineWriter): void {
  const { value, role, required } = arg;
  out.line(`      - name: ${scalar(arg.name)}`);
  const description = describe(arg);
  if (description !== "") out.line(`        description: ${scalar(description)}`);
  for (const line of typeLines(arg)) out.line(`        ${line}`);
  if (required) out.line("        required: true");
  for (const [key, text] of Object.entries(arg.keys)) out.line(`        ${key}: ${text}`);
  if (role.kind === "positional") out.line("        positional: true");
  if (role.kind === "stdin") out.line(`        stdin: true${guess(arg, "stdin")}`);
  if (role.kind === "flag") out.line(`        flag: ${JSON.stringify(role.flag)}`);
  if (value?.list?.kind === "joined") {
    out.line(`        separator: ${JSON.stringify(value.list.separator)}${guess(arg, "list")}`);
  }
}

/** Describes an argument with its default: climax does not pass a default, as the program has it. */
function describe({ key, description, value }: ArgDraft): string {
  // A final `.` or `..` may be a folder and not punctuation
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
  const { value, count } = arg;
  if (value === undefined) return ["type: boolean"];
  const choices = value.choices &&
    `enum: [${value.choices.map((each) => choice(each, value)).join(", ")}]`;
  if (value.list === undefined) {
    const mark = guess(arg, "type") || guess(arg, "value");
    const type = value.type === "string" && mark === "" ? [] : [`type: ${value.type}${mark}`];
    return choices === undefined ? type : [...type, `${choices}${guess(arg, "enum")}`];
  }
  const items = [`type: ${value.type}`, ...(choices === undefined ? [] : [choices])];
  return [
    `type: array${value.list.kind === "joined" ? "" : guess(arg, "list")}`,
    `items: {${items.join(", ")}}${guess(arg, "type") || guess(arg, "enum")}`,
    ...(count === undefined ? [] : [`min_items: ${count}`, `max_items: ${count}`]),
  ];
}

function choice(text: string, { type }: { readonly type: string }): string {
  return type === "string" ? scalar(text) : text;
}

function guess({ guesses }: ArgDraft, what: string): string {
  return guesses.includes(what) ? " # guess" : "";
}

const width = 100;

export class LineWriter {
  readonly #lines: string[] = [];

  line(text: string): void {
    this.#lines.push(text);
  }

  blank(): void {
    if (this.#lines.length > 0 && this.#lines.at(-1) !== "") this.#lines.push("");
  }

  comment(text: string, indent = 0): void {
    const margin = " ".repeat(indent);
    let line = `${margin}#`;
    for (const word of printable(text).split(" ")) {
      if (line.length + word.length >= width && line.trim() !== "#") {
        this.#lines.push(line);
        line = `${margin}#  `;
      }
      line += ` ${word}`;
    }
    this.#lines.push(line.trimEnd());
  }

  text(): string {
    return `${this.#lines.join("\n")}\n`;
  }
}

const plain = /^[A-Za-z][A-Za-z0-9_ ,.()/'+-]*[A-Za-z0-9_.)]$|^[A-Za-z]$/;

/** Matches texts that some YAML readers take for values of another type. */
const special = /^(?:y|n|yes|no|on|off|true|false|null|~|\.?inf|\.?nan)$/i;

export function scalar(text: string): string {
  const line = printable(text);
  const isPlain = plain.test(line) && !special.test(line) && !line.includes(", ") &&
    !line.includes(" #");
  return isPlain ? line : JSON.stringify(line);
}

/** Turns `text` into one line without characters that a terminal or a reader would not show. */
function printable(text: string): string {
  return stripControlSequences(text)
    .replace(/\s+/g, " ")
    // deno-lint-ignore no-control-regex
    .replace(/[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, "")
    .toWellFormed()
    .trim();
}
