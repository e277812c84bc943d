/** Extracts the words of a tool that describe its purpose, with weights. */

import { stemmer } from "stemmer";
import type { Tool } from "../tool/tool.ts";

/** A word, and the form that it is compared by. */
export interface Word {
  readonly text: string;
  readonly term: string;
  readonly weight: number;
}

/** Weight by place. Names of owners have most: tools of one owner belong together. */
const weights = { name: 3, description: 1, argument: 0.5, owner: 2, category: 1 };

/** Words of any description. */
const fillers: ReadonlySet<string> = new Set(
  `a about above after again all also an and any are as at be been before being below between both
  but by can cannot could did do does each either every for from further given had has have how if
  in into is it its like may more most must new no nor not now of off on once one only or other out
  over own per same shall should so some specific specified such than that the their them then there
  these they this those through to tool tools too under until up use used uses using via was we were
  what when where whether which while who will with within without would you your`.split(/\s+/),
);

/** With repeats. */
export function wordsOf(tool: Tool): Word[] {
  const { owner } = tool;
  return [
    ...words(tool.name, weights.name),
    ...words(tool.description, weights.description),
    ...tool.args.flatMap((arg) => words(arg.name, weights.argument)),
    ...words(owner.name, weights.owner),
    ...words(owner.category ?? "", weights.category),
  ];
}

/** Without fillers. */
export function words(text: string, weight = 1): Word[] {
  const parts = text.normalize("NFKC").split(/(?<=[a-z0-9])(?=[A-Z])|[^\p{L}\p{N}\p{M}]+/u);
  return parts.map((part) => part.toLowerCase())
    .filter((part) => part.length > 1 && !fillers.has(part) && !/^\d+$/.test(part))
    .map((part) => ({ text: part, term: /^[a-z]{3,}$/.test(part) ? stemmer(part) : part, weight }));
}
