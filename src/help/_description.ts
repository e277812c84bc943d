/** Finds the description of a command in its help. */

import { wholeSentences } from "../text/sentence.ts";
import { isOptionLine } from "./_columns.ts";
import { paragraphsOf, type Section } from "./_sections.ts";

export function descriptionOf(sections: readonly Section[], words: readonly string[]): string {
  const [only, ...others] = sections.filter(({ title }) => !/^(?:usage)?$/.test(title));
  const titled = sections.find(({ title }) => /^(?:description|name)$/i.test(title));
  const candidates = [
    ...sections.filter(({ title }) => title === "").flatMap(({ lines }) => {
      const table = lines.findIndex((line) => isOptionLine(line));
      return paragraphsOf(
        (table === -1 ? lines : lines.slice(0, table)).filter(({ text }) =>
          !isForm(text) && !isTitle(text) && !/^\[?<[^<>]+>.* {2,}\S/.test(text)
        ),
      );
    }),
    ...(titled === undefined ? [] : paragraphsOf(titled.lines)),
    ...(others.length > 0 ? [] : (only?.title ?? "").match(/^[A-Z][a-z]+(?: [\w'-]+){3,}$/) ?? []),
  ].map((text) => text.replace(/^\S+ v?\d[\w.]*, (?=an? )/, ""));
  const at = candidates.findIndex((text) => {
    return /^["'`(]?[A-Za-z].*\s.*\s|^[A-Z][a-z]+ [a-z]+\.?$/.test(text) &&
      !/^(?:or|usage|these are|unknown option|invalid option|unrecognized option|mandatory arguments|copyright|use "|\S*\(\)|note|by default|if|when|unless|stdin)\b/i
        .test(text) &&
      !/^[A-Z-]+\(\)|\s{3,}|\bcopyright\b|\bno warranty\b/i.test(text) &&
      !/^[A-Z\s]+$|={4}|-{4}/.test(text) &&
      !/^\S+(?: \([^()]*\)| version)? v?\d+\.\d+\S*(?:\s|$)/.test(text) &&
      !/https?:\/\/|@\S+\.\w+>/.test(text.slice(0, 80));
  });
  if (at === -1) return "";
  const text = withItems(candidates, at).replace(/^description:\s*/i, "");
  return wholeSentences(text.replace(/^[\w. -]+? - (?=[a-z])/, ""), maxDescription);

  function isForm(text: string): boolean {
    return text.startsWith(`${words[0]} `) && /[[<{]|\.\.\./.test(text);
  }
}

/** Returns whether a line of a help text only has the program's version, its author, or a copyright. */
function isTitle(text: string): boolean {
  return /^copyright \(c\)|^\S+(?: version)? v?\d+\.\d+\S*(?: \([^()]*\)| with .*)?$|^[^<>]{1,80} <[^<>\s]+@[^<>\s]+>$/i
    .test(text);
}

function withItems(paragraphs: readonly string[], at: number): string {
  const text = paragraphs[at]!;
  if (!text.endsWith(":")) return text;
  const after = paragraphs.slice(at + 1);
  const end = after.findIndex((each) => !/^[-*•] /.test(each));
  const items = after.slice(0, end === -1 ? after.length : end).map((each) =>
    each.slice(2).replace(/\.$/, "")
  );
  return items.length === 0 ? text : `${text} ${items.join("; ")}`;
}

const maxDescription = 600;
