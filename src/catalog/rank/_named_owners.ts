/**
 * Finds the owners that a query names, and how sure that is.
 *
 * Many programs are named by common words (`file`, `sort`, `open`): a name that other tools use as
 * a word says little, unless the query begins with it.
 */

import type { CatalogueIndex } from "./_catalogue_index.ts";
import type { RankingParameters } from "./_parameters.ts";
import { idf } from "./_scoreboard.ts";
import { stopWords } from "./_stop_words.ts";

/** Longer names of owners are not looked for. */
const mostNameWords = 6;

/** For each owner named in `words`, its tools' bonus as a share of what the query can give. */
export function findNamedOwners(
  words: readonly string[],
  index: CatalogueIndex,
  { ownerNamed, ownerNamedRarity, ownerNamedFirst }: RankingParameters,
): Map<number, number> {
  const bonuses = new Map<number, number>();
  for (let start = 0; start < words.length; start++) {
    for (let end = start + 1; end <= Math.min(words.length, start + mostNameWords); end++) {
      const name = words.slice(start, end);
      for (const owner of index.ownersByName.get(name.join(" ")) ?? []) {
        const bonus = ownerNamed * rarity(name, owner, index) ** ownerNamedRarity +
          (start === 0 ? ownerNamedFirst : 0);
        bonuses.set(owner, Math.max(bonuses.get(owner) ?? 0, bonus));
      }
    }
  }
  return bonuses;
}

/** How rare the rarest word of an owner's name is in tools of other owners: 1 if it occurs in none. */
function rarity(name: readonly string[], owner: number, index: CatalogueIndex): number {
  if (name.every((word) => stopWords.has(word))) return 0;
  const { vocabulary, toolCounts, ownerSizes, tools } = index;
  const elsewhere = name.map((word) => toolCounts[vocabulary.find(word)!]! - ownerSizes[owner]!);
  return idf(Math.min(...elsewhere), tools.length) / idf(0, tools.length);
}
