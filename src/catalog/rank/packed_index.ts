/** Reads an index that a build made (`build/_search_index.ts`), so that a start which searches the same makes none. */

import type { Synonyms } from "../../text/synonyms.ts";
import { type CatalogueIndex, Vocabulary } from "./_catalogue_index.ts";

const arrays = { Uint8Array, Uint32Array, Float32Array };

/** The index in `bytes`: how long key and JSON are, typed arrays, both texts. Nothing if it has another `key`. */
export function unpackIndex(bytes: Uint8Array<ArrayBuffer>, key: string) {
  const [keyLength, length] = new Uint32Array(bytes.slice(0, 8).buffer);
  const texts = bytes.subarray(-keyLength! - length!);
  const [own, json] = [texts.subarray(0, keyLength), texts.subarray(keyLength)]
    .map((text) => new TextDecoder().decode(text));
  if (own !== key) return undefined;
  // deno-lint-ignore no-explicit-any -- as the build has written it
  const restore = (value: any): any => {
    if (typeof value !== "object" || Array.isArray(value)) return value;
    const { type, at, length } = value;
    if (type in arrays) return new arrays[type as keyof typeof arrays](bytes.buffer, at, length);
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, restore(each)]));
  };
  const { vocabulary, ownersByName, synonyms, ...others } = restore(JSON.parse(json!));
  const { terms, words, numbers } = vocabulary;
  vocabulary.words = new Map(words.map((word: string, at: number) => [word, numbers[at]]));
  vocabulary.numbers = new Map(terms.map((term: string, at: number) => [term, at]));
  const index: CatalogueIndex = {
    ...others,
    vocabulary: Object.assign(new Vocabulary(), vocabulary),
    ownersByName: new Map(ownersByName),
  };
  return { index, synonyms: new Map(synonyms) as Synonyms };
}
