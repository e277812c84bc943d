/** Makes the index of a search in all bundled configs, which the portable folder has beside them. */

import { noteOrigin, originsOf } from "../src/catalog/tool_origins.ts";
import { buildIndex } from "../src/catalog/rank/_catalogue_index.ts";
import { defaultParameters } from "../src/catalog/rank/_parameters.ts";
import type { Document } from "../src/catalog/rank/document.ts";
import { toDocument } from "../src/catalog/tool_index.ts";
import { resolveConfig } from "../src/sources/command/resolve.ts";
import { readSynonyms } from "../src/text/synonyms.ts";
import type { ParsedConfig } from "./_compiled_configs.ts";
import { notBuilt } from "./_problems.ts";

/** The index of the tools that a session without a sandbox has, and how many these are. */
export function searchIndex(configs: readonly ParsedConfig[]) {
  const tools = configs.flatMap(({ name, json }) => {
    // A start takes for granted that no config of a bundle has a problem, whatever variables are set
    const { tools, problems, warnings } = resolveConfig(JSON.parse(json), () => undefined);
    const [finding] = [...problems, ...warnings];
    if (finding !== undefined) throw notBuilt(`The config '${name}': ${finding.message}`);
    noteOrigin(tools, json);
    return tools.filter(({ requires }) => requires === undefined);
  });
  const bytes = packIndex(tools.map(toDocument), originsOf(tools)!);
  return { count: tools.length, bytes };
}

/** The index of `documents` as `unpackIndex` reads it. */
export function packIndex(documents: readonly Document[], key: string): Uint8Array<ArrayBuffer> {
  const building = buildIndex(documents, defaultParameters);
  let step = building.next();
  while (!step.done) step = building.next();
  const parts: Uint8Array[] = [];
  // Behind the lengths of both texts
  let end = 8;
  const placeOf = (array: ArrayBufferView<ArrayBuffer>) => {
    const place = { type: array.constructor.name, at: end, length: (array as Uint8Array).length };
    // Wide numbers begin at a multiple of their width
    const padded = new Uint8Array(Math.ceil(array.byteLength / 4) * 4);
    padded.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
    parts.push(padded);
    end += padded.length;
    return place;
  };
  const { vocabulary: { terms, tells, words }, ...others } = step.value;
  const numbers = Uint32Array.from(words.values());
  const vocabulary = { terms, tells, words: [...words.keys()], numbers };
  const index = { ...others, vocabulary, synonyms: readSynonyms() };
  const json = JSON.stringify(index, (_, value) => {
    if (value instanceof Map) return [...value];
    return ArrayBuffer.isView(value) ? placeOf(value as ArrayBufferView<ArrayBuffer>) : value;
  });
  const texts = [key, json].map((text) => new TextEncoder().encode(text));
  const lengths = new Uint8Array(Uint32Array.from(texts, ({ length }) => length).buffer);
  return Uint8Array.from([lengths, ...parts, ...texts].flatMap((each) => [...each]));
}
