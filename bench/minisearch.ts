/** Floors of the search: MiniSearch over the same texts, with names three times as heavy, and as it comes. */

import MiniSearch, { type SearchOptions } from "minisearch";
import type { Tool } from "../src/tool/tool.ts";
import type { Search } from "./scan.ts";

/** Search as people have it who add a library and nothing else. */
export function miniSearch(tools: readonly Tool[]): Search {
  return searchWith(tools, { boost: { name: 3 }, prefix: true, fuzzy: 0.2 });
}

/** The library's own defaults. */
export function defaultMiniSearch(tools: readonly Tool[]): Search {
  return searchWith(tools, {});
}

function searchWith(tools: readonly Tool[], searchOptions: SearchOptions): Search {
  const fields = ["name", "description", "owner", "tags", "args", "examples"];
  const index = new MiniSearch({ fields, searchOptions });
  index.addAll(tools.map(({ name, description, owner, args, examples = [] }, id) => ({
    id,
    name: name.replaceAll(/[_-]/g, " "),
    description,
    owner: `${owner.name} ${owner.description}`,
    tags: [owner.category ?? "", ...owner.tags].join(" "),
    args: args.map((arg) => `${arg.name} ${arg.description}`).join("\n"),
    examples: examples.join("\n"),
  })));
  return (query, { limit, accept }) => {
    const found = index.search(query, accept && { filter: ({ id }) => accept(id) });
    return found.slice(0, limit).map(({ id }) => id);
  };
}
