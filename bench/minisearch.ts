/** A floor of the search: MiniSearch as it comes, names three times as heavy, over the same texts. */

import MiniSearch from "minisearch";
import type { Tool } from "../src/tool/tool.ts";
import type { Search } from "./scan.ts";

/** Search as people have it who add a library and nothing else. */
export function miniSearch(tools: readonly Tool[]): Search {
  const fields = ["name", "description", "owner", "tags", "args", "examples"];
  const index = new MiniSearch({
    fields,
    searchOptions: { boost: { name: 3 }, prefix: true, fuzzy: 0.2 },
  });
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
