/** Small faults in source texts: what `deno task mutate` writes in place of a line. Types are left as they are. */

import { createHash } from "node:crypto";
import { join } from "node:path";
import { filesIn } from "./_portable_folder.ts";

/** Written words, each of which takes the place of the other. */
const pairs = [
  ...[[" === ", " !== "], [" < ", " <= "], [" > ", " >= "], [" && ", " || "], ["true", "false"]],
  ...[[" + 1", " - 1"], ["++", "--"], [" += ", " -= "], [".some(", ".every("], [".min(", ".max("]],
];

/** What is found in a line without texts and comments, and what takes its place. */
const operators: readonly (readonly [found: RegExp, instead: string, by?: number])[] = [
  ...pairs.flatMap(([one, other]) => [[wordsIn(one!), other!], [wordsIn(other!), one!]] as const),
  [/ \?\? /g, " && "],
  [/ \?\?= /g, " = "],
  [/(?<=[ (])!(?=[\w(#])/g, ""],
  [/(?<![\w.#$"'-])\d{1,4}(?![\w.])/g, "", 1],
  [/(?<![\w.#$"'-])[1-9]\d{0,3}(?![\w.])/g, "", -1],
  // A guard, a call and a count, each of them a whole line
  [/(?<=^ +)if \(.*\) (?:return|throw|continue|break)\b.*;$/g, ""],
  [/(?<=^ +)(?:await |void )?(?!log\(|super|return|throw|if|for)[\w#.?]+\(.*\);$/g, ""],
  [/(?<=^ +)this\.[\w#.]+ [-+]= .*;$/g, ""],
];

const types =
  /^\s*(?:import|type|interface|export (?:type|interface)|readonly|[|&>]) |\breadonly \w+: |\b(?:Extract|Exclude)</;

/** Lets others run, and decides nothing. */
const pauses = /\byield;|\byieldToEventLoop\(\)/;

/** A line, and what takes its place. */
export interface Fault {
  readonly file: string;
  /** From 0. */
  readonly line: number;
  readonly written: string;
  readonly changed: string;
}

function wordsIn(text: string): RegExp {
  const escaped = text.replace(/[.+(|?]/g, "\\$&");
  return new RegExp(
    `${/^\w/.test(text) ? "\\b" : ""}${escaped}${/\w$/.test(text) ? "(?![\\w.])" : ""}`,
    "g",
  );
}

/** The text with `_` for each character of comments, texts and patterns. */
function withoutTexts(text: string): string {
  const skipped =
    /\/\/.*|\/\*[^]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[^]|[^`\\])*`|(?<=[(,=:[!&|?{};]\s*|return\s+)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[dgimsuvy]*/g;
  return text.replace(skipped, (found) => found.replace(/[^\n]/g, "_"));
}

/** Every fault in the text of a file. */
export function faultsIn(file: string, text: string): Fault[] {
  const lines = text.split("\n");
  return withoutTexts(text).split("\n").flatMap((code, line, all) =>
    types.test(code) || pauses.test(code) ? [] : operators.flatMap(([found, instead, by]) => {
      // One more or less in milliseconds is no fault
      if (by !== undefined && /[mM]s\b/.test(code)) return [];
      return [...code.matchAll(found)].flatMap(({ index, 0: { length } }) => {
        const written = lines[line]!;
        const part = by === undefined
          ? instead
          : String(Number(written.slice(index, index + length)) + by);
        const changed = written.slice(0, index) + part + written.slice(index + length);
        const isWhole = instead !== "" ||
          isBalanced(code.slice(index, index + length)) &&
            !/(?:=>|[=(,?&|+])$/.test(all[line - 1]!);
        return isWhole ? [{ file, line, written, changed }] : [];
      });
    })
  );
}

function isBalanced(code: string): boolean {
  return ["()", "[]", "{}"].every(([open, close]) =>
    code.split(open!).length === code.split(close!).length
  );
}

/** The first `count` faults in files of `root`: of each place in turn, in the order of the seed. */
export function pickFaults(
  root: string,
  places: readonly string[],
  { count, seed }: { readonly count: number; readonly seed: string },
): Fault[] {
  const orderOf = ({ file, written, changed }: Fault) =>
    createHash("sha256").update([seed, file, written, changed].join("\n")).digest("hex");
  const orders = places.map((place) => {
    const files = place.endsWith(".ts")
      ? [place]
      : filesIn(join(root, place)).map((file) => `${place}/${file}`);
    return files.filter((file) => file.endsWith(".ts"))
      .flatMap((file) => faultsIn(file, Deno.readTextFileSync(join(root, file))))
      .map((fault) => ({ fault, order: orderOf(fault) }))
      .sort((one, other) => one.order < other.order ? -1 : 1);
  });
  return Array.from({ length: count }, (_, at) => orders.flatMap((order) => order[at]?.fault ?? []))
    .flat().slice(0, count);
}
