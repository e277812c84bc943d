/** Words a question about a call: a sentence, what would change, then all that is run. Long parts are cut. */

import { dirname } from "node:path";
import type { Trial } from "./pipeline.ts";
import { listNames } from "../text/excerpt.ts";
import { plural } from "../text/plural.ts";
import { firstSentence } from "../text/sentence.ts";
import { isPlain } from "../text/shell_word.ts";
import { spellOut } from "../text/escape.ts";
import { isPath } from "../tool/aliases.ts";
import { type PlanPreview, type SandboxRecord, sandboxWords } from "../tool/runner.ts";
import { effectOfCall } from "../tool/annotations.ts";
import type { Arg, ArgValues, Tool } from "../tool/tool.ts";

export interface CallToWord {
  readonly tool: Tool;
  readonly values: ArgValues;
  readonly plan: { readonly preview: PlanPreview };
  readonly trial?: Trial;
  readonly reason?: string;
}

/** How much of a text a question shows: lines, characters of a line, and characters of the text. */
export interface WordBounds {
  readonly lines: number;
  readonly width: number;
  readonly characters: number;
}

export const formBounds: WordBounds = { lines: 60, width: 400, characters: 4000 };

/** How much of a text `climax approve --show` and the page show: as much as is stored of a waiting call. */
export const wholeBounds: WordBounds = { lines: Infinity, width: 48_000, characters: 64_000 };

export const wants = "An agent wants to call";

export function callWords(call: CallToWord, bounds = formBounds): string {
  const { tool, values, plan: { preview }, trial, reason } = call;
  const { input, inputTitle = "On its standard input:", variables } = preview;
  const cwd = directoryOf(call);
  const effect = tool.effect ? effectOfCall(tool, values) : "its effect is not known";
  const place = cwd === undefined ? "" : ` in the directory ${spellOut(cwd)}`;
  return [
    sentenceOf(call),
    `${wants} ${spellOut(tool.name)} (${effect})${place}`,
    ...(tool.consentReason && reason ? [`It asks because ${spellOut(reason)}`] : []),
    ...confinementOf(call),
    ...trialWords(trial, bounds),
    ...(input === undefined || changeOf(trial) ? [] : [inputTitle, ...linesOf(input, bounds)]),
    ...(variables === undefined ? [] : ["With the variables:", ...linesOf(variables.join("\n"))]),
    "Exactly this runs:",
    ...lineWords(call, bounds),
  ].join("\n");
}

export function directoryOf({ plan: { preview } }: CallToWord): string | undefined {
  const cwd = preview.place ?? preview.record["cwd"] ?? preview.details?.["cwd"];
  return typeof cwd === "string" ? cwd : undefined;
}

/** Returns the first line of a question: from the config, or made of the tool's description and its main arguments. */
export function sentenceOf({ tool, plan, values, trial }: CallToWord): string {
  const { question, title, description, name } = tool;
  const [clause = ""] = firstSentence(description.slice(0, 1000)).split("; ");
  const does = short(title ?? (clause.replace(/[.:]$/, "") || name), 160);
  const about = mainValues(tool, values);
  const own = question === undefined
    ? `${does}${about && `: ${about}`}${switchWords(tool, values)}`
    : fill(question, tool, values);
  const { saidBy } = plan.preview;
  const who = saidBy === undefined ? "" : `${saidBy} says of its tool: `;
  return spellOut(`${who}${short(own, 300)}${countsOf(changeOf(trial))}`);
}

function mainValues({ args }: Tool, values: ArgValues): string {
  const given = args.filter(({ name, fixed, role }) => {
    return values.has(name) && fixed === undefined && role.kind !== "cwd";
  });
  const paths = given.filter(isPath);
  const required = given.filter((arg) => arg.required && arg.role.kind !== "stdin");
  const others = given.filter(({ name, role }) => {
    return role.kind !== "stdin" && !/^(?:true|false)$/.test(String(values.get(name)));
  });
  const main = [paths, required, others].find(({ length }) => length > 0) ?? [];
  return main.map((arg) => valueWords(arg, values)).join(", ");
}

function switchWords({ args }: Tool, values: ArgValues): string {
  const on = args.filter(({ name, fixed }) => fixed === undefined && values.get(name) === true);
  return on.length === 0 ? "" : ` (with ${listNames(on.map(({ name }) => name), 5)})`;
}

/** Formats an argument for a question. A text gets quotes, so that it does not read like a part of the sentence. */
function valueWords({ name, constraint }: Arg, values: ArgValues): string {
  if (constraint?.secret) return "***";
  const items = [values.get(name) ?? []].flat().map((item) => {
    const text = short(typeof item === "string" ? item : JSON.stringify(item), 100);
    return isPlain(text) ? text : JSON.stringify(text);
  });
  return listNames(items, 5);
}

function short(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}...`;
}

function fill(question: string, { args }: Tool, values: ArgValues): string {
  return question.replaceAll(/\{([\p{L}\p{N}_.-]+)\}/gu, (written, name) => {
    const arg = args.find((each) => each.name === name);
    return arg === undefined ? written : valueWords(arg, values);
  });
}

function trialWords(trial: Trial = {}, bounds: WordBounds): string[] {
  const { outcome, text = "", saidBy } = trial;
  if (outcome === undefined) return [];
  if (outcome === "withheld") return [`What it would do is not shown: ${text}`];
  const title = outcome === "failed"
    ? "What it would do is not known, for the trial failed:"
    : saidBy === undefined
    ? "This would happen:"
    : `${spellOut(saidBy)} says that it would do this:`;
  return [title, ...linesOf(text.replaceAll("\t", "  "), bounds)];
}

function confinementOf({ tool: { confinement }, plan }: CallToWord): string[] {
  const sandbox = plan.preview.record["sandbox"] as SandboxRecord | undefined;
  if (confinement === undefined) return [];
  return [spellOut(sandbox ? `In a sandbox: ${sandboxWords(sandbox)}` : confinement)];
}

/** Returns the command line. If it is cut, all its paths follow, so that the person sees each file. */
function lineWords({ tool, values, plan }: CallToWord, bounds: WordBounds): string[] {
  const { line } = plan.preview;
  if (line.length <= bounds.characters) return [spellOut(line)];
  const paths = tool.args.filter((arg) => isPath(arg) && !arg.constraint?.secret)
    .flatMap(({ name }) => [values.get(name) ?? []].flat());
  return [
    cutLine(line, bounds.characters),
    ...(paths.length === 0 ? [] : [
      "With these paths:",
      ...linesOf(Number.isFinite(bounds.lines) ? byFolder(paths) : paths.join("\n"), bounds),
    ]),
  ];
}

const maxAlike = 8;

function byFolder(paths: readonly unknown[]): string {
  const folders = Map.groupBy(paths.map(String), dirname).entries().toArray();
  const isMany = ([, names]: (typeof folders)[number]) => names.length > maxAlike;
  return [
    ...folders.filter((each) => !isMany(each)).flatMap(([, names]) => names),
    ...folders.filter(isMany).map(([folder, names]) => {
      return `${folder}/: ${names.length} paths, from ${names[0]} to ${names.at(-1)}`;
    }),
  ].join("\n");
}

/** Cuts a long text, and begins each line with a bar, so that no line looks like a part of the question. */
export function linesOf(text: string, { lines, width, characters } = wholeBounds): string[] {
  const all = text.split("\n");
  const mark = (line: string) => `| ${cutLine(line, width)}`;
  const count = (of: readonly string[], most: number, room: number) => {
    const at = of.findIndex((line, index) => {
      return index >= most || (room -= Math.min(line.length, width) + 3) < 0;
    });
    return at < 0 ? of.length : at;
  };
  if (count(all, lines, characters) === all.length) return all.map(mark);
  const head = count(all, lines * 2 / 3, characters * 2 / 3);
  const tail = count(all.slice(head).reverse(), lines / 3, characters / 3);
  const end = all.length - tail;
  const { files = [] } = readChange(all) ?? {};
  const named = files.filter((at) => at >= head && at < end);
  const more = named.length > 200 ? `, ${named.length} files, of which these are 200` : "";
  return [
    ...all.slice(0, head).map(mark),
    `… and ${plural(end - head, "more line")}${
      more || (named.length > 0 ? ", with these files:" : "")
    }`,
    ...named.slice(0, 200).map((at) => mark(all[at]!)),
    ...all.slice(end).map(mark),
  ];
}

/** Escapes a line, and replaces the middle of a long line by `…`. A `…` of the line itself is escaped. */
export function cutLine(line: string, width: number): string {
  if (line.length <= width) return spellOut(line);
  const tail = Math.floor(width / 3);
  const left = plural(line.length - width, "more character");
  return `${spellOut(line.slice(0, width - tail))} … ${left} … ${spellOut(line.slice(-tail))}`;
}

interface Change {
  readonly added: number;
  readonly removed: number;
  readonly files: readonly number[];
}

/** Returns the diff that a trial shows; `undefined` if the project's code or a stranger wrote it, which may lie. */
function changeOf({ outcome, saidBy, text = "" }: Trial = {}): Change | undefined {
  return outcome === "shown" && saidBy === undefined ? readChange(text.split("\n")) : undefined;
}

function readChange(lines: readonly string[]): Change | undefined {
  let [old, now, added, removed, hunks] = [0, 0, 0, 0, 0];
  const files: number[] = [];
  for (const [at, line] of lines.entries()) {
    const [first = " "] = line;
    if (old > 0 || now > 0) {
      if (first === "-" || first === " ") old--;
      if (first === "+" || first === " ") now--;
      if (first === "-") removed++;
      if (first === "+") added++;
      continue;
    }
    const [, before, after] = /^@@ -\d+(,\d+)? \+\d+(,\d+)? @@/.exec(line)?.map(String) ?? [];
    if (before !== undefined) {
      hunks++;
      [old, now] = [before, after!].map((size) => +(/\d+/.exec(size) ?? 1)) as [number, number];
    } else if (/^(?:\+\+\+ |rename |Binary )/.test(line)) files.push(at);
  }
  return hunks === 0 ? undefined : { added, removed, files };
}

function countsOf(change: Change | undefined): string {
  if (change === undefined) return "";
  const { added, removed, files: { length } } = change;
  const files = length > 1 ? `${plural(length, "file")}, ` : "";
  return ` (${files}+${added} -${removed} lines)`;
}
