/**
 * Reads tools and CLIs as segments of terms: the text that is ranked, field by field.
 *
 * A tool's name is read without its CLI's name in front, which says nothing about which of the
 * CLI's tools it is; the CLI's own text is read once for all of its tools. The values that an
 * argument may have are read as part of its description.
 */

import type { Owner, Tool } from "../../tool/tool.ts";
import type { RankingParameters } from "./_parameters.ts";
import type { Segment } from "./_postings.ts";
import { STOP_WORDS } from "./_stop_words.ts";
import { splitWords } from "./_terms.ts";
import type { Vocabulary } from "./_vocabulary.ts";

/** The fields of a tool's own text; a segment's `field` is an index of this. */
export const TOOL_FIELDS = ["name", "description", "argName", "argDescription"] as const;

/** The fields of a CLI's text; a segment's `field` is an index of this. */
export const CLI_FIELDS = ["cliName", "cliDescription", "category", "tag"] as const;

/** Reads text into terms, each different text once. */
export class SegmentReader {
  readonly #vocabulary: Vocabulary;
  readonly #skipsStopWords: boolean;
  readonly #read = new Map<string, readonly number[]>();

  constructor(vocabulary: Vocabulary, parameters: RankingParameters) {
    this.#vocabulary = vocabulary;
    this.#skipsStopWords = parameters.stopWords;
  }

  /** The segments of a tool, its name's first. */
  readTool(tool: Tool): Segment[] {
    const segments: Segment[] = [
      { field: 0, terms: nameWords(tool).map((word) => this.#vocabulary.add(word)) },
      { field: 1, terms: this.#terms(tool.description) },
    ];
    for (const arg of tool.args) {
      segments.push({ field: 2, terms: this.#terms(arg.name) });
      for (const text of [arg.description, (arg.enum ?? []).join(" ")]) {
        if (text !== "") segments.push({ field: 3, terms: this.#terms(text) });
      }
    }
    return segments;
  }

  /** The segments of a CLI. */
  readCli(cli: Owner): Segment[] {
    const name = splitWords(cli.name).map((word) => this.#vocabulary.add(word));
    const tags = cli.tags.map((tag) => ({ field: 3, terms: this.#terms(tag) }));
    return [
      { field: 0, terms: name },
      { field: 1, terms: this.#terms(cli.description) },
      { field: 2, terms: this.#terms(cli.category ?? "") },
      ...tags,
    ];
  }

  #terms(text: string): readonly number[] {
    const known = this.#read.get(text);
    if (known !== undefined) return known;
    const words = splitWords(text);
    const telling = this.#skipsStopWords ? words.filter((word) => !STOP_WORDS.has(word)) : words;
    const terms = telling.map((word) => this.#vocabulary.add(word));
    this.#read.set(text, terms);
    return terms;
  }
}

/** The words of a tool's name, without those of its CLI's name in front unless they are all. */
export function nameWords(tool: Tool): string[] {
  const words = splitWords(tool.name);
  const cliName = tool.owner.name.toLowerCase().replace(/[^\p{L}\p{N}\p{M}]/gu, "");
  let prefix = "";
  for (const [index, word] of words.entries()) {
    prefix += word;
    if (prefix.length > cliName.length) break;
    if (prefix === cliName && index + 1 < words.length) return words.slice(index + 1);
  }
  return words;
}
