/** Tools as the ranking sees them: the text that an agent may be looking for. */

import type { Tool } from "../tool/tool.ts";
import type { Document } from "./rank/document.ts";
import { type Ranking, rankingInSlices } from "./rank/rank.ts";

/** Tools that are turned into documents before others get their turn. */
const sliceSize = 200;

/** A ranking of `tools`. Others may have their turns wherever it yields, every few milliseconds. */
export function* rankingOf(tools: readonly Tool[]): Generator<void, Ranking> {
  const documents: Document[] = [];
  for (const tool of tools) {
    if (documents.length % sliceSize === 0) yield;
    documents.push(toDocument(tool));
  }
  return yield* rankingInSlices(documents);
}

/** The text of a tool that is ranked. An argument with a fixed value is not shown, so it is not here. */
export function toDocument(tool: Tool): Document {
  const { name, description, owner, effect, examples = [], aliases = [] } = tool;
  const args = tool.args.filter(({ fixed }) => fixed === undefined);
  return {
    name,
    description,
    owner,
    parameters: args.map((arg) => ({
      name: arg.name,
      texts: [arg.description, (arg.list?.enum ?? arg.enum ?? []).join(" ")],
    })),
    examples: [...examples, ...aliases],
    ...(effect === undefined ? {} : { effect }),
  };
}
