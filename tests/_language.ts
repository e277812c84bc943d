/**
 * Words that a reader in a hurry stumbles over, and where they stand in our texts. Those that are left
 * are counted in `language.json`, which `deno task language` writes again after some are removed.
 */

import { join } from "node:path";
import { root } from "./_fixtures.ts";

/** A word that is not to be used. */
export interface Word {
  readonly name: string;
  /** Its forms; a space may be the end of a line, with what continues a comment or a text. */
  readonly forms: string;
  /** What to write in its place. */
  readonly instead: string;
}

/** A place that has one of them. */
export interface Hit {
  readonly word: Word;
  /** Path below the root, with slashes. */
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** How often each word stands in each file. */
export type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** The words. What is not sure to be wrong is not among them. */
export const words: readonly Word[] = [
  {
    name: "behind an answer",
    forms: "(?:go|goes|going|gone|went) on behind" +
      "|behind (?:an?|its|their|the|that) (?:answers?|results?|reply|replies)",
    instead: "in the background, after: 'behind' is a place",
  },
  {
    name: "whoever",
    forms: "who(?:m)?ever",
    instead: "say who it is: the caller, a client, the person",
  },
  { name: "nobody", forms: "nobody", instead: "say who does not: no client, no program" },
  { name: "anew", forms: "anew", instead: "again" },
  { name: "at hand", forms: "at hand", instead: "available, given, or what it is" },
  {
    name: "come to",
    forms: "(?:come|comes|coming|came) to",
    instead: "result in, amount to, become, or the noun: the result",
  },
  {
    name: "let go of",
    forms: "(?:let|lets|letting) go of",
    instead: "release, detach, close",
  },
  { name: "is none of", forms: "(?:is|are|was|were) none of", instead: "is not one of" },
  { name: "of ours", forms: "of (?:ours|yours|theirs)", instead: "our, your, or name the owner" },
  { name: "besides", forms: "besides", instead: "also, as well as, in addition to" },
  { name: "make room", forms: "to make room", instead: "evicted" },
  { name: "see to it", forms: "(?:see|sees) to it", instead: "the verb itself" },
  { name: "likewise", forms: "likewise", instead: "also, or repeat the sentence" },
];

/** Between two words: a space, the end of a line, what begins the next, and the ends of two texts. */
const gap = /[\s*/"'`+]+/.source;

/** The texts that people, operators and models read, and the code with its comments. */
export function readTexts(): ReadonlyMap<string, string> {
  const files = [
    ...filesBelow("src").filter((file) => /\.(?:ts|js|md|html)$/.test(file)),
    ...filesBelow("docs").filter((file) => file.endsWith(".md")),
    "README.md",
    "CHANGELOG.md",
    ".github/CONTRIBUTING.md",
  ];
  return new Map(files.map((file) => [file, Deno.readTextFileSync(join(root, file))]));
}

function filesBelow(folder: string): string[] {
  return [...Deno.readDirSync(join(root, folder))].flatMap(({ name, isDirectory }) => {
    return isDirectory ? filesBelow(`${folder}/${name}`) : [`${folder}/${name}`];
  }).toSorted();
}

/** Every place in `texts` with one of {@linkcode words}. */
export function hitsIn(texts: ReadonlyMap<string, string>): Hit[] {
  return words.flatMap((word) => {
    const pattern = new RegExp(`\\b(?:${word.forms.replaceAll(" ", gap)})\\b`, "gi");
    return texts.entries().toArray().flatMap(([file, text]) => {
      return [...text.matchAll(pattern)].map(({ 0: found, index }) => {
        const line = text.slice(0, index).split("\n").length;
        return { word, file, line, text: found.replaceAll(/\s+/g, " ") };
      });
    });
  });
}

/** How often each word stands in each file. */
export function countsOf(hits: readonly Hit[]): Counts {
  const counts: Record<string, Record<string, number>> = {};
  for (const { word, file } of hits) {
    const files = counts[word.name] ??= {};
    files[file] = (files[file] ?? 0) + 1;
  }
  return counts;
}

/** Words that stand more often in `counts` than in `known`; files may have other names. */
export function grown(counts: Counts, known: Counts): string[] {
  const total = (files: Readonly<Record<string, number>> = {}) => {
    return Object.values(files).reduce((sum, count) => sum + count, 0);
  };
  return Object.keys(counts).filter((name) => total(counts[name]) > total(known[name]));
}

if (import.meta.main) {
  const file = join(root, "tests", "language.json");
  const counts = countsOf(hitsIn(readTexts()));
  // Without a file, the first count is taken as it is
  const known = await Deno.readTextFile(file).then(JSON.parse, () => counts);
  const more = grown(counts, known);
  if (more.length > 0) throw new Error(`The list only shrinks, and there is more of: ${more}`);
  await Deno.writeTextFile(file, `${JSON.stringify(counts, null, 2)}\n`);
}
