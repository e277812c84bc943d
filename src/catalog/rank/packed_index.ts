/** An index as bytes: a build makes one, so that a start which searches the same documents makes none. */

import { readSynonyms } from "../../text/synonyms.ts";
import { buildIndex, type CatalogueIndex, Vocabulary } from "./_catalogue_index.ts";
import { defaultParameters } from "./_parameters.ts";
import type { Document } from "./document.ts";
import { type Ranking, rankingOver } from "./rank.ts";

const arrays = { Uint8Array, Uint32Array, Float32Array };

/** Stands for a typed array in the JSON. */
interface ArrayPlace {
  readonly type: keyof typeof arrays;
  readonly at: number;
  readonly length: number;
}

/** Bytes of the three numbers in front: where arrays end, which is where the key begins, then JSON, and where that ends. */
const headLength = 12;

/** The index of `documents`, with a text that only these have. */
export function packIndex(documents: readonly Document[], key: string): Blob {
  const building = buildIndex(documents, defaultParameters);
  let step = building.next();
  while (!step.done) step = building.next();
  const { vocabulary: { terms, tells, words }, ...others } = step.value;
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let end = headLength;
  const replace = (_: string, value: unknown) => {
    if (value instanceof Map) return [...value];
    if (!ArrayBuffer.isView(value)) return value;
    const bytes = new Uint8Array(value.buffer as ArrayBuffer);
    const { length } = value as Uint8Array;
    const place = { type: value.constructor.name as ArrayPlace["type"], at: end, length };
    // Wide numbers begin at a multiple of their width
    parts.push(bytes, new Uint8Array(-bytes.length & 3));
    end += bytes.length + (-bytes.length & 3);
    return place;
  };
  const numbers = Uint32Array.from(words.values());
  const vocabulary = { terms, tells: Uint8Array.from(tells), words: [...words.keys()], numbers };
  const index = { ...others, vocabulary, synonyms: readSynonyms() };
  const texts = [key, JSON.stringify(index, replace)].map((text) => new TextEncoder().encode(text));
  const head = Uint32Array.of(
    end,
    end + texts[0]!.length,
    end + texts[0]!.length + texts[1]!.length,
  );
  return new Blob([head, ...parts, ...texts]);
}

/** The ranking in `bytes`; `undefined` if it was not made of documents with that `key`. */
export function unpackRanking(bytes: Uint8Array<ArrayBuffer>, key: string): Ranking | undefined {
  const [end, start, all] = new Uint32Array(bytes.buffer, 0, headLength / 4);
  const decoder = new TextDecoder();
  if (decoder.decode(bytes.subarray(end, start)) !== key) return undefined;
  const { vocabulary: { terms, tells, words, numbers }, ownersByName, synonyms, ...others } =
    restore(JSON.parse(decoder.decode(bytes.subarray(start, all))), bytes.buffer);
  const written = words.map((word: string, at: number) => [word, numbers[at]]);
  const index: CatalogueIndex = {
    ...others,
    vocabulary: new Vocabulary(terms, [...tells], written),
    ownersByName: new Map(ownersByName),
  };
  return rankingOver(index, new Map(synonyms));
}

/** Puts the arrays of `buffer` in their places. */
// deno-lint-ignore no-explicit-any -- as `packIndex` has written it
function restore(value: any, buffer: ArrayBuffer): any {
  const { type, at, length } = value as ArrayPlace;
  if (type in arrays) return new arrays[type](buffer, at, length);
  for (const [name, each] of Object.entries(value)) {
    if (typeof each === "object" && !Array.isArray(each)) value[name] = restore(each, buffer);
  }
  return value;
}
