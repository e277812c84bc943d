/** Finds the owners that a query names. A name that other owners' documents use as a word (`file`) says little. */

import type { CatalogueIndex } from "./_catalogue_index.ts";
import type { RankingParameters } from "./_parameters.ts";
import { idf } from "./_postings.ts";
import { stopWords } from "../../text/stop_words.ts";
import { toTerm } from "../../text/words.ts";

/** Longer names of owners are not looked for. */
const maxNameWords = 6;

/** The owners that a query names. */
export interface NamedOwners {
  /** By owner: its documents' bonus as a share of what the query can give. */
  readonly bonuses: ReadonlyMap<number, number>;
  /** By term: the owners that are named with it, among whose documents it chooses none. */
  readonly byTerm: ReadonlyMap<string, ReadonlySet<number>>;
}

/**
 * The owners named in `words`, each with `ownerNamed * (rarity³ + 1 where the query begins with it)`. Worth 2 of R@5 where queries name the program, 1 on `api`.
 */
export function findNamedOwners(
  words: readonly string[],
  index: CatalogueIndex,
  { ownerNamed }: RankingParameters,
): NamedOwners {
  const bonuses = new Map<number, number>();
  const byTerm = new Map<string, Set<number>>();
  for (let start = 0; start < words.length; start++) {
    for (let end = start + 1; end <= Math.min(words.length, start + maxNameWords); end++) {
      const name = words.slice(start, end);
      for (const owner of index.ownersByName.get(name.join(" ")) ?? []) {
        const bonus = ownerNamed * (rarity(name, owner, index) ** 3 + (start === 0 ? 1 : 0));
        bonuses.set(owner, Math.max(bonuses.get(owner) ?? 0, bonus));
        for (const term of name.map(toTerm)) {
          byTerm.set(term, (byTerm.get(term) ?? new Set()).add(owner));
        }
      }
    }
  }
  return { bonuses, byTerm };
}

/** How rare the rarest word of an owner's name is elsewhere: 1 if no other owner's document has it. */
function rarity(name: readonly string[], owner: number, index: CatalogueIndex): number {
  if (name.every((word) => stopWords.has(word))) return 0;
  const { vocabulary, inDocuments: { starts, documents }, ownerOf, documentCount } = index;
  const elsewhere = name.map((word) => {
    const term = vocabulary.find(word)!;
    const having = documents.subarray(starts[term]!, starts[term + 1]!);
    return having.reduce((count, document) => ownerOf[document] === owner ? count : count + 1, 0);
  });
  return idf(Math.min(...elsewhere), documentCount) / idf(0, documentCount);
}
