/** Searches by meaning with an embedding server. If the server fails, search by words remains. */

import { abortAfter, type Clock, systemClock } from "../../async/clock.ts";
import { log } from "../../log.ts";
import { messageOf } from "../../errors.ts";
import { excerpt } from "../../text/excerpt.ts";
import type { Tool } from "../../tool/tool.ts";
import { EmbeddingError, type EmbeddingServer, fetchVectors } from "./_client.ts";
import { dirname } from "node:path";
import { removeOldest, replaceFile } from "../../files/write_file.ts";

export { EmbeddingError, type EmbeddingServer } from "./_client.ts";

export interface MeaningOptions {
  /** The file in which vectors of tools are cached. Without a file, all tools are embedded at each start. */
  readonly cache?: string | undefined;
  /** A cache of vectors in memory, which several catalogues may share. */
  readonly memory?: CachedVectors;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
}

export interface Meaning {
  readonly weight: number;
  nearness(texts: readonly string[]): Promise<Float64Array | undefined>;
  readonly least?: number;
}

/** The best weight of meaning in a search, measured with the model all-MiniLM-L6-v2 on half of the test queries. */
const defaultWeight = 0.3;
/** How near requests are to the right tool is measured with at most 64 example requests, and not with under 20. */
const [maxSamples, minSamples] = [64, 20];
const lowShare = 0.02;
const batchSize = 64;
const batchDeadline = 60_000;
const queryDeadline = 150;
/** Beyond this many cached vectors, those of tools that are no longer served are dropped. */
const maxKept = 20_000;
/** A text with more characters than this is cut before it is sent to the embedding server. */
const maxTextLength = 2_000;

/** Embeds `tools`. @throws {EmbeddingError} if the embedding server fails */
export async function readMeaning(
  tools: readonly Tool[],
  server: EmbeddingServer,
  options: MeaningOptions = {},
): Promise<Meaning> {
  const sampled = tools.filter(({ examples = [] }) => examples.length > 0);
  const step = Math.ceil(sampled.length / maxSamples);
  const samples = sampled.filter((_, at) => sampled.length >= minSamples && at % step === 0);
  const texts = [
    ...tools.map(textOf),
    ...samples.map((tool) => textOf({ ...tool, examples: [] })),
    ...samples.map(({ examples }) => excerpt(examples![0]!, maxTextLength)),
  ];
  const all = await vectorsOf(texts, server, options);
  const vectors = all.slice(0, tools.length);
  const lengths = lengthsOf(vectors);
  let isWell = true;
  return {
    weight: server.weight ?? defaultWeight,
    ...(samples.length > 0 && { least: leastOf(all.slice(tools.length)) }),
    async nearness(texts) {
      const { signal, cancel } = abortAfter(options.clock ?? systemClock, queryDeadline);
      try {
        const sent = texts.map((text) => excerpt(text, maxTextLength));
        const found = await fetchVectors(sent, server, signal);
        const { length } = vectors[0] ?? found[0]!;
        if (found[0]!.length !== length) {
          throw new EmbeddingError(
            `Expected a vector of ${length} numbers, as the tools have, found ${found[0]!.length}`,
          );
        }
        isWell = true;
        const each = found.map((vector) => cosines(vectors, vector, lengths));
        return each.reduce((best, one) => best.map((near, at) => Math.max(near, one[at]!)));
      } catch (error) {
        if (isWell) log("warning", `Search uses words only: ${messageOf(error)}`);
        isWell = false;
        return undefined;
      } finally {
        cancel();
      }
    },
  };
}

function leastOf(vectors: readonly Int8Array[]): number {
  const count = vectors.length / 2;
  const tools = vectors.slice(0, count);
  const near = vectors.slice(count).map((example, at) => {
    return cosines([tools[at]!], Float32Array.from(example))[0]! / lengthsOf([example])[0]!;
  }).sort((a, b) => a - b);
  return near[Math.floor(lowShare * count)]!;
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
    forgetOthers(known, textOfKey);
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
      if (!mayForget) throw new EmbeddingError("The embedding server's vectors differ in size");
      mayForget = false;
      known.clear();
    }
    batch.forEach(([key], place) => known.set(key, toBytes(vectors[place]!)));
  }
}

function forgetOthers(known: CachedVectors, texts: ReadonlyMap<string, string>): void {
  for (const key of known.keys()) {
    if (known.size <= maxKept) break;
    if (!texts.has(key)) known.delete(key);
  }
}

async function save(cache: string, known: CachedVectors): Promise<void> {
  try {
    await writeCache(cache, known);
  } catch (error) {
    log("warning", `The tools' vectors cannot be kept in '${cache}': ${messageOf(error)}`);
  }
}

/** Converts a vector to bytes from -127 to 127. The length is lost, which cosines do not need. */
export function toBytes(vector: Float32Array): Int8Array {
  const most = vector.reduce((most, number) => Math.max(most, Math.abs(number)), 0);
  return Int8Array.from(vector, (number) => Math.round(number / most * 127));
}

/** Returns the cosine of each vector with `query`, whose length must be 1. */
export function cosines(
  vectors: readonly Int8Array[],
  query: Float32Array,
  lengths = lengthsOf(vectors),
): Float64Array {
  return Float64Array.from(vectors, (vector, at) => {
    let product = 0;
    for (let place = 0; place < vector.length; place++) product += vector[place]! * query[place]!;
    return product / lengths[at]!;
  });
}

function lengthsOf(vectors: readonly Int8Array[]): Float64Array {
  return Float64Array.from(vectors, (vector) => {
    return Math.sqrt(vector.reduce((sum, number) => sum + number * number, 0));
  });
}

export type CachedVectors = Map<string, Int8Array>;

/** A cache file with more bytes than this is not read, and all tools are embedded again. */
const maxFileBytes = 256 * 1024 * 1024;

/** The cache folder keeps this many files, one for each server and model; the oldest are removed. */
const maxFiles = 8;

export async function keyOf(model: string, text: string): Promise<string> {
  const bytes = new TextEncoder().encode(`${model}\0${text}`);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

/** Reads vectors from a cache file, a JSON object of base64 texts. An invalid file counts as empty. */
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

export async function writeCache(path: string, vectors: CachedVectors): Promise<void> {
  const texts = [...vectors].map(([key, { buffer, byteOffset, length }]) => {
    return [key, new Uint8Array(buffer, byteOffset, length).toBase64()];
  });
  await Deno.mkdir(dirname(path), { recursive: true });
  await replaceFile(path, JSON.stringify(Object.fromEntries(texts)), { mode: 0o600 });
  // The pattern matches only names of cache files, so that files of other programs in the folder are not removed
  await removeOldest(dirname(path), maxFiles, /^[0-9a-f]{64}\.(?:bin|json)/);
}
