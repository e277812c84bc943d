/**
 * Reads tools and owners as segments of terms: the text that is ranked, field by field.
 *
 * A tool's name is read without its owner's name in front, which says nothing about which of the
 * owner's tools it is; the owner's own text is read once for all of its tools. The values that an
 * argument may have are read as part of its description.
 */

import type { Owner, Tool } from "../../tool/tool.ts";
import type { RankingParameters } from "./_parameters.ts";
import type { Segment } from "./_postings.ts";
import { stopWords } from "./_stop_words.ts";
import { splitWords } from "./_terms.ts";
import type { Vocabulary } from "./_vocabulary.ts";

/** The fields of a tool's own text; a segment's `field` is an index of this. */
export const toolFields = ["name", "description", "argName", "argDescription", "example"] as const;

/** The fields of an owner's text; a segment's `field` is an index of this. */
export const ownerFields = ["ownerName", "ownerDescription", "category", "tag"] as const;

/** Reads text into terms, each different text once. */
export class SegmentReader {
  readonly #vocabulary: Vocabulary;
  readonly #skipsStopWords: boolean;
  readonly #read = new Map<string, readonly number[]>();

  constructor(vocabulary: Vocabulary, parameters: RankingParameters) {
    this.#vocabulary = vocabulary;
    this.#skipsStopWords = parameters.dropStopWords;
  }

  /** The segments of a tool, its name's first. */
  readTool(tool: Tool): Segment[] {
    const segments: Segment[] = [
      { field: 0, terms: nameWords(tool).map((word) => this.#vocabulary.add(word)) },
      { field: 1, terms: this.#terms(tool.description) },
    ];
    for (const arg of tool.args.filter(({ fixed }) => fixed === undefined)) {
      segments.push({ field: 2, terms: this.#terms(arg.name) });
      for (const text of [arg.description, (arg.list?.enum ?? arg.enum ?? []).join(" ")]) {
        if (text !== "") segments.push({ field: 3, terms: this.#terms(text) });
      }
    }
    for (const text of [...tool.examples ?? [], ...tool.aliases ?? []]) {
      segments.push({ field: 4, terms: this.#terms(text) });
    }
    return segments;
  }

  /** The segments of an owner. */
  readOwner(owner: Owner): Segment[] {
    const name = splitWords(owner.name).map((word) => this.#vocabulary.add(word));
    const tags = owner.tags.map((tag) => ({ field: 3, terms: this.#terms(tag) }));
    return [
      { field: 0, terms: name },
      { field: 1, terms: this.#terms(owner.description) },
      { field: 2, terms: this.#terms(owner.category ?? "") },
      ...tags,
    ];
  }

  #terms(text: string): readonly number[] {
    const known = this.#read.get(text);
    if (known !== undefined) return known;
    const words = splitWords(text);
    const telling = this.#skipsStopWords ? words.filter((word) => !stopWords.has(word)) : words;
    const terms = telling.map((word) => this.#vocabulary.add(word));
    this.#read.set(text, terms);
    return terms;
  }
}

/** The words of a tool's name, without those of its owner's name in front unless they are all. */
export function nameWords(tool: Tool): string[] {
  const words = splitWords(tool.name);
  const ownerName = tool.owner.name.toLowerCase().replace(/[^\p{L}\p{N}\p{M}]/gu, "");
  let prefix = "";
  for (const [index, word] of words.entries()) {
    prefix += word;
    if (prefix.length > ownerName.length) break;
    if (prefix === ownerName && index + 1 < words.length) return words.slice(index + 1);
  }
  return words;
}
