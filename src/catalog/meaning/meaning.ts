/** Searches by meaning with an embedding server and a short deadline. When that fails, the search by words remains. */

import { abortAfter, type Clock, systemClock } from "../../async/clock.ts";
import { log } from "../../log.ts";
import { messageOf } from "../../errors.ts";
import { excerpt } from "../../text/excerpt.ts";
import type { Tool } from "../../tool/tool.ts";
import { EmbeddingError, type EmbeddingServer, fetchVectors } from "./_client.ts";
import { dirname } from "node:path";
import { removeOldest, replaceFile } from "../../files/write_file.ts";

export { EmbeddingError, type EmbeddingServer } from "./_client.ts";

/** Options for the embedding of a catalogue. */
export interface MeaningOptions {
  /** The path of the file with the tools' vectors. Without it, the server is asked each time. */
  readonly cache?: string | undefined;
  /** Earlier vectors, to which new ones are added. A caller passes them if it embeds several catalogues. */
  readonly memory?: CachedVectors;
  /** The signal ends the embedding of the tools, for example when the session closes. */
  readonly signal?: AbortSignal;
  /** The clock measures the wait for a query's vector. */
  readonly clock?: Clock;
}

/** The embedded tools of a catalogue, to be compared with queries. */
export interface Meaning {
  /** The weight of meaning beside words, between 0 and 1. */
  readonly weight: number;
  /** Returns the nearness of each tool to `query`; undefined if the server does not answer in time. */
  nearness(query: string): Promise<Float64Array | undefined>;
}

/** A weak model costs more of what words find than a small weight gains; `climax eval` measures three weights. */
const defaultWeight = 0.2;
const batchSize = 64;
/** One batch of tools may take this many milliseconds. */
const batchDeadline = 60_000;
/** A search waits this many milliseconds for the vector of its query. */
const queryDeadline = 150;
/** At most this many vectors stay cached beside those that are needed now. */
const maxKept = 20_000;
/** Only this many characters of a tool's text, or of a query, are sent. */
const maxTextLength = 2_000;

/** Embeds `tools`; vectors that came before a failure stay cached. @throws {EmbeddingError} without usable vectors */
export async function readMeaning(
  tools: readonly Tool[],
  server: EmbeddingServer,
  options: MeaningOptions = {},
): Promise<Meaning> {
  const vectors = await vectorsOf(tools.map(textOf), server, options);
  let isWell = true;
  return {
    weight: server.weight ?? defaultWeight,
    async nearness(query) {
      const { signal, cancel } = abortAfter(options.clock ?? systemClock, queryDeadline);
      try {
        const [vector] = await fetchVectors([excerpt(query, maxTextLength)], server, signal);
        const { length } = vectors[0] ?? vector!;
        if (vector!.length !== length) {
          throw new EmbeddingError(
            `Expected a vector of ${length} numbers, as the tools have, found ${vector!.length}`,
          );
        }
        isWell = true;
        return cosines(vectors, vector!);
      } catch (error) {
        // The warning is logged once for each outage, not for each query
        if (isWell) log("warning", `Search uses words only: ${messageOf(error)}`);
        isWell = false;
        return undefined;
      } finally {
        cancel();
      }
    },
  };
}

function textOf({ name, description, owner, examples = [] }: Tool): string {
  const words = name.replaceAll(/[_-]+/g, " ");
  return excerpt([`${owner.name}: ${words}`, description, ...examples].join("\n"), maxTextLength);
}

async function vectorsOf(
  texts: readonly string[],
  server: EmbeddingServer,
  { cache, memory: known = new Map(), signal }: MeaningOptions,
): Promise<readonly Int8Array[]> {
  const keys = await Promise.all(texts.map((text) => keyOf(server.model, text)));
  const textOfKey = new Map(keys.map((key, place) => [key, texts[place]!]));
  if (known.size === 0 && cache !== undefined) {
    for (const [key, vector] of await readCache(cache)) known.set(key, vector);
  }
  const isKept = keys.every((key) => known.has(key));
  try {
    await embedRest(textOfKey, known, { server, signal });
  } finally {
    forgetOldest(known, textOfKey);
    if (cache !== undefined && !isKept) await save(cache, known);
  }
  return keys.map((key) => known.get(key)!);
}

async function embedRest(
  texts: ReadonlyMap<string, string>,
  known: CachedVectors,
  { server, signal }: {
    readonly server: EmbeddingServer;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<void> {
  let mayForget = true;
  for (;;) {
    const batch = [...texts].filter(([key]) => !known.has(key)).slice(0, batchSize);
    if (batch.length === 0) return;
    const deadline = AbortSignal.timeout(batchDeadline);
    const ended = signal === undefined ? deadline : AbortSignal.any([deadline, signal]);
    const vectors = await fetchVectors(batch.map(([, text]) => text), server, ended);
    const [first] = known.values();
    if (first !== undefined && first.length !== vectors[0]!.length) {
      // The name stands for another model now, so the cached vectors do not fit
      if (!mayForget) throw new EmbeddingError("The embedding server's vectors differ in size");
      mayForget = false;
      known.clear();
    }
    batch.forEach(([key], place) => known.set(key, toBytes(vectors[place]!)));
  }
}

/** Keeps the vectors of `texts`, and of the others those that were needed last. */
function forgetOldest(known: CachedVectors, texts: ReadonlyMap<string, string>): void {
  for (const key of texts.keys()) {
    const vector = known.get(key);
    if (vector === undefined) continue;
    known.delete(key);
    known.set(key, vector);
  }
  for (const key of known.keys()) {
    if (known.size <= Math.max(maxKept, texts.size)) break;
    known.delete(key);
  }
}

async function save(cache: string, known: CachedVectors): Promise<void> {
  try {
    await writeCache(cache, known);
  } catch (error) {
    log("warning", `The tools' vectors cannot be kept in '${cache}': ${messageOf(error)}`);
  }
}

/** The largest number of a vector is scaled to this value. */
const largest = 127;

/** Converts a vector to bytes. Its direction stays, its length is lost. */
export function toBytes(vector: Float32Array): Int8Array {
  const most = vector.reduce((most, number) => Math.max(most, Math.abs(number)), 0);
  return Int8Array.from(vector, (number) => Math.round(number / most * largest));
}

/** Returns the cosine between `query`, which has length 1, and each of `vectors`, which have its dimension. */
export function cosines(vectors: readonly Int8Array[], query: Float32Array): Float64Array {
  return Float64Array.from(vectors, (vector) => {
    let product = 0;
    let square = 0;
    for (let place = 0; place < vector.length; place++) {
      const byte = vector[place]!;
      product += byte * query[place]!;
      square += byte * byte;
    }
    return product / Math.sqrt(square);
  });
}

/** Vectors in bytes by the key of their text, all of one dimension. */
export type CachedVectors = Map<string, Int8Array>;

/** Larger files are not read: 256 MiB. */
const maxFileBytes = 256 * 1024 * 1024;

/** One folder holds one file for each server and model; the oldest ones beyond this number are removed. */
const maxFiles = 8;

/** Returns the key of a text for one model. */
export async function keyOf(model: string, text: string): Promise<string> {
  const bytes = new TextEncoder().encode(`${model}\0${text}`);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

/** Reads the vectors in the file at `path`, a JSON object of base64 texts; a file that is wrong has none. */
export async function readCache(path: string): Promise<CachedVectors> {
  try {
    if ((await Deno.stat(path)).size > maxFileBytes) return new Map();
    const texts: Record<string, string> = JSON.parse(await Deno.readTextFile(path));
    const vectors = new Map(
      Object.entries(texts).map(([key, text]) => {
        return [key, new Int8Array(Uint8Array.fromBase64(text).buffer)];
      }),
    );
    return new Set(vectors.values().map(({ length }) => length)).size > 1 ? new Map() : vectors;
  } catch {
    return new Map();
  }
}

/** Replaces the file at `path` as a whole: a concurrent reader sees the old text or the new one. */
export async function writeCache(path: string, vectors: CachedVectors): Promise<void> {
  const texts = [...vectors].map(([key, { buffer, byteOffset, length }]) => {
    return [key, new Uint8Array(buffer, byteOffset, length).toBase64()];
  });
  await Deno.mkdir(dirname(path), { recursive: true });
  await replaceFile(path, JSON.stringify(Object.fromEntries(texts)), { mode: 0o600 });
  // Files with other names in the folder are not ours to remove
  await removeOldest(dirname(path), maxFiles, /^[0-9a-f]{64}\.(?:bin|json)/);
}
