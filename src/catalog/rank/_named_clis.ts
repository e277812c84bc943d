/**
 * Finds the CLIs that a query names, and how sure that is.
 *
 * Many programs are named by common words (`file`, `sort`, `open`): a name that other tools use as
 * a word says little, unless the query begins with it.
 */

import type { CatalogueIndex } from "./_catalogue_index.ts";
import type { RankingParameters } from "./_parameters.ts";
import { idf } from "./_scoreboard.ts";
import { STOP_WORDS } from "./_stop_words.ts";

/** Longer names of CLIs are not looked for. */
const MOST_NAME_WORDS = 6;

/** For each CLI named in `words`, its tools' bonus as a share of what the query can give. */
export function findNamedClis(
  words: readonly string[],
  index: CatalogueIndex,
  { cliNamed, cliNamedFirst }: RankingParameters,
): Map<number, number> {
  const bonuses = new Map<number, number>();
  for (let start = 0; start < words.length; start++) {
    for (let end = start + 1; end <= Math.min(words.length, start + MOST_NAME_WORDS); end++) {
      const name = words.slice(start, end);
      for (const cli of index.clisByName.get(name.join(" ")) ?? []) {
        const bonus = cliNamed * rarity(name, cli, index) + (start === 0 ? cliNamedFirst : 0);
        bonuses.set(cli, Math.max(bonuses.get(cli) ?? 0, bonus));
      }
    }
  }
  return bonuses;
}

/** How rare the rarest word of a CLI's name is in tools of other CLIs: 1 if it occurs in none. */
function rarity(name: readonly string[], cli: number, index: CatalogueIndex): number {
  if (name.every((word) => STOP_WORDS.has(word))) return 0;
  const { vocabulary, toolCounts, cliSizes, tools } = index;
  const elsewhere = name.map((word) => toolCounts[vocabulary.find(word)!]! - cliSizes[cli]!);
  return idf(Math.min(...elsewhere), tools.length) / idf(0, tools.length);
}
