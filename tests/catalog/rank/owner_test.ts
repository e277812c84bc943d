/** That an owner's text chooses between owners, and never within one. */

import assert from "node:assert/strict";
import fc from "../../_properties.ts";
import type { Owner, Tool } from "../../../src/tool/tool.ts";
import { buildRanking, cli, tool } from "../_tools.ts";

const word = fc.constantFrom(
  ..."show list history commit commits comit log login in file files remove who which the of stop"
    .split(" "),
);
const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(" "));
const entry = fc.record({
  name: fc.array(word, { minLength: 1, maxLength: 3 }),
  text,
  example: text,
});
const ownerText = fc.record({
  description: text,
  tags: fc.array(text, { maxLength: 3 }),
  category: fc.option(text, { nil: undefined }),
});
const query = fc.array(word, { minLength: 1, maxLength: 7 }).map((words) => words.join(" "));

/** The tools of `owner`, then those of another one. */
function catalogueOf(
  owner: Owner,
  entries: readonly { name: string[]; text: string; example: string }[],
) {
  const own = entries.map(({ name, text, example }, at): Tool => {
    return { ...tool(owner, `${name.join("_")}_${at}`, text), examples: [example] };
  });
  return [...own, tool(cli("other"), "other_log", "Show the log of another program")];
}

Deno.test("rank() keeps the order of an owner's tools whatever its description, tags and category", () => {
  fc.assert(
    fc.property(
      fc.array(entry, { minLength: 2, maxLength: 8 }),
      ownerText,
      ownerText,
      query,
      (entries, one, other, query) => {
        const [first, second] = [one, other].map(({ category, ...texts }) => {
          const owner = { name: "mine", ...texts, ...(category === undefined ? {} : { category }) };
          return buildRanking(catalogueOf(owner, entries)).rank(query, { limit: Infinity })
            .filter((position) => position < entries.length);
        });
        const both = (positions: readonly number[], others: readonly number[]) =>
          positions.filter((position) => others.includes(position));
        assert.deepEqual(both(first!, second!), both(second!, first!));
      },
    ),
    { numRuns: 200 },
  );
});
