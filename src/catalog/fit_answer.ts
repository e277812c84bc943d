/** Fits a search answer into the tokens that a result may have, by leaving out whole entries at its end. */

import { excerpt, listNames } from "../text/excerpt.ts";
import { isObject } from "../text/own_property.ts";
import { plural } from "../text/plural.ts";
import { estimateTokens } from "../text/tokens.ts";
import type { SearchAnswer } from "./answer.ts";

/** The texts, lists and objects of an entry that takes over half of an answer's tokens are cut to these sizes. */
const maxText = 400;
const maxEntries = 30;

const maxNamed = 20;

interface FittedAnswer {
  readonly text: string;
  readonly note?: string;
}

/** Formats as many entries of a search answer as fit into `maxTokens`; with 0, all of them. */
export function fitAnswer(
  found: SearchAnswer,
  format: (part: SearchAnswer) => string,
  maxTokens: number,
): FittedAnswer {
  const text = format(found);
  const fits = (text: string) => maxTokens === 0 || estimateTokens(text, maxTokens) <= maxTokens;
  if (fits(text)) return { text };
  const entries: readonly object[] = found.mode === "search" ? found.results : found.summary;
  const share = maxTokens / 2;
  const short = entries.map((each) => estimateTokens(JSON.stringify(each), share) > share);
  const shown = entries.map((each, at) => short[at] ? shorten(each) : each);
  const part = (count: number) => {
    const some = shown.slice(0, count) as never;
    const has_more = found.has_more || count < entries.length;
    const page = "returned" in found ? { returned: count, has_more } : {};
    const cut = found.mode === "search" ? { results: some } : { summary: some };
    return format({ ...found, ...page, ...cut });
  };
  let [least, most] = [0, entries.length + 1];
  while (most - least > 1) {
    const middle = Math.floor((least + most) / 2);
    if (fits(part(middle))) least = middle;
    else most = middle;
  }
  const names = entries.map((each) => nameOf(each));
  const cut = names.slice(0, least).filter((_, at) => short[at]);
  const left = names.slice(least);
  const notes = [
    cut.length > 0 && `shown in part for their length: ${listNames(cut, maxNamed)}`,
    left.length > 0 &&
    `${plural(left.length, "more")} left out for the length: ${listNames(left, maxNamed)}`,
  ].filter((note) => note !== false);
  return { text: part(least), note: `[${notes.join("; ")}]` };
}

function nameOf(entry: object): string {
  const { tool_name, name } = entry as { tool_name?: string; name?: string };
  return tool_name ?? name ?? "";
}

function shorten(value: unknown): object {
  const inner = (each: unknown): unknown => {
    if (typeof each === "string") return excerpt(each, maxText);
    return typeof each === "object" && each !== null ? shorten(each) : each;
  };
  if (Array.isArray(value)) return value.slice(0, maxEntries).map(inner);
  const entries = Object.entries(isObject(value) ? value : {}).slice(0, maxEntries);
  return Object.fromEntries(entries.map(([key, each]) => [excerpt(key, maxText), inner(each)]));
}
