/** Reads positional arguments: their order from a usage line, their descriptions from a section. */

import { readAnnotations } from "./_annotations.ts";
import type { PositionalHelp } from "./command_help.ts";
import { entriesOfSection, type Entry } from "./_entries.ts";
import type { Section } from "./_sections.ts";
import type { Usage, UsageArgument } from "./_usage.ts";
import { type TypeWords, valueOf } from "./_value.ts";

export function positionalsOf(
  sections: readonly Section[],
  usage: Usage,
  typeWords: TypeWords | undefined,
): PositionalHelp[] {
  const described = entriesIn(sections);
  // Brackets here are more reliable than a usage line full of alternatives
  const isExact = described.length > 0 && described.every(({ head }) => /^[<[]/.test(head));
  if (isExact) {
    return described.map((entry) => {
      const argument = fromEntry(entry, typeWords);
      const shown = usage.arguments.find(({ name }) => bare(name) === bare(argument.name));
      return shown === undefined ? argument : { ...argument, required: shown.required };
    });
  }
  const fromUsage = usage.arguments.map((argument) => {
    const entry = described.find(({ head }) => bare(head) === bare(argument.name));
    return positionalOf(argument, entry, typeWords);
  });
  if (fromUsage.length > 0) return fromUsage;
  if (usage.others.length > 0 || sections.some(({ title }) => title === "usage")) return [];
  return described.filter(({ head }) => !head.startsWith("{")).map((entry) =>
    fromEntry(entry, typeWords)
  );
}

/** Names in sections of positional arguments that none of `found` has. */
export function findLostPositionals(
  sections: readonly Section[],
  found: readonly PositionalHelp[],
): string[] {
  const known = new Set(found.map(({ name }) => bare(name)));
  return entriesIn(sections).map(({ head }) => head)
    .filter((head) => /^[A-Za-z<[]/.test(head) && !known.has(bare(head)));
}

function entriesIn(sections: readonly Section[]): Entry[] {
  return sections
    .filter(({ title }) =>
      /^(?:available )?(?:positional )?(?:arguments?|args|items|positionals|parameters)$/i.test(
        title,
      )
    )
    .flatMap(entriesOfSection)
    .filter(({ head }) => head.split(/\s/).length < 4 && !/[:;]$/.test(head));
}

function fromEntry(entry: Entry, typeWords: TypeWords | undefined): PositionalHelp {
  const list = /\.\.\.?/.test(entry.head);
  const required = /^</.test(entry.head) && !/optional/i.test(entry.paragraphs[0] ?? "");
  const name = entry.head.split(/\s/)[0]!.replace(/[<>[\]{}()]|\.\.\.?$/g, "");
  return positionalOf({ name, required, list }, entry, typeWords);
}

export function positionalOf(
  { name, required, list, choices }: UsageArgument,
  entry: Entry | undefined,
  typeWords?: TypeWords,
): PositionalHelp {
  const said = readAnnotations(entry?.paragraphs ?? []);
  const head = {
    placeholder: name,
    optional: false,
    repeated: list,
    commas: false,
    count: 1,
    ...(choices === undefined ? {} : { choices }),
  };
  // Annotations on repeating an option do not apply to an argument
  const plain = { ...said, repeatable: false, commas: false };
  const value = valueOf(head, plain, typeWords === undefined ? {} : { typeWords });
  return { name, required, description: said.text, value };
}

/** A placeholder without punctuation, for comparisons. */
function bare(text: string): string {
  return text.split(/\s/)[0]!.replace(/[<>[\]{}().,:]/g, "").toLowerCase();
}
