/** Asks an embedding server for vectors (OpenAI's format). Sizes, order and numbers of its answer are checked. */

import { messageOf } from "../../errors.ts";
import { sendOnce } from "../../net/send_once.ts";
import { excerpt, trimEndOf } from "../../text/excerpt.ts";

export interface EmbeddingServer {
  /** The address of the embedding server, up to the version, such as `http://127.0.0.1:11434/v1`. */
  readonly endpoint: string;
  readonly model: string;
  /** How much meaning counts in a search, from 0 to 1; the rest is for words. @default 0.3 */
  readonly weight?: number | undefined;
  readonly apiKey?: string;
}

const maxDimension = 16_384;
/** An embedding server's answer may have this many JSON values besides the numbers of its vectors. */
const otherValues = 10_000;
/** The most bytes that a number takes in an embedding server's answer; bounds the size of the answer. */
const bytesPerValue = 40;
const maxErrorLength = 200;

export class EmbeddingError extends Error {
  override readonly name = "EmbeddingError";
}

/** Returns a vector of length 1 for each text. @throws {EmbeddingError} on failure, and when `signal` aborts */
export async function fetchVectors(
  texts: readonly string[],
  server: EmbeddingServer,
  signal: AbortSignal,
): Promise<Float32Array[]> {
  try {
    const maxValues = texts.length * maxDimension + otherValues;
    const response = await sendOnce(addressOf(server.endpoint), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(server.apiKey !== undefined && { authorization: `Bearer ${server.apiKey}` }),
      },
      body: JSON.stringify({ model: server.model, input: texts, encoding_format: "float" }),
      signal,
    }, { secrets: [server.apiKey], maxValues, maxBytes: maxValues * bytesPerValue });
    const text = await response.text();
    if (!response.ok) {
      throw new EmbeddingError(
        `Embedding server answered ${response.status}: ${excerpt(text, maxErrorLength)}`,
      );
    }
    return readVectors(JSON.parse(text), texts.length);
  } catch (error) {
    if (error instanceof EmbeddingError) throw error;
    if (error instanceof DOMException && error.name === "TimeoutError") {
      throw new EmbeddingError("Embedding server did not answer in time");
    }
    const isNotJson = error instanceof SyntaxError;
    const reason = excerpt(isNotJson ? "its answer is not JSON" : messageOf(error), maxErrorLength);
    throw new EmbeddingError(`Embedding server cannot be used: ${reason}`);
  }
}

function addressOf(endpoint: string): URL {
  const url = new URL(endpoint);
  const path = trimEndOf(url.pathname, "/");
  url.pathname = path.endsWith("/embeddings") ? path : `${path}/embeddings`;
  return url;
}

function readVectors(answer: unknown, count: number): Float32Array[] {
  const data = (answer as { data?: unknown } | null)?.data;
  if (!Array.isArray(data) || data.length !== count) {
    const found = Array.isArray(data) ? `${data.length}` : "none";
    throw new EmbeddingError(`Expected ${count} vectors from the embedding server, found ${found}`);
  }
  const items: readonly ({ index?: unknown; embedding?: unknown } | null)[] = data;
  const byIndex = new Map(items.map((item, place) => {
    return [item?.index ?? place, readVector(item?.embedding)];
  }));
  const vectors = items.flatMap((_, index) => byIndex.get(index) ?? []);
  const sizes = new Set(vectors.map(({ length }) => length));
  if (vectors.length === count && sizes.size <= 1) return vectors;
  throw new EmbeddingError(
    "The embedding server's vectors differ in size, or are not numbered as the texts are",
  );
}

function readVector(numbers: unknown): Float32Array {
  const isVector = Array.isArray(numbers) && numbers.length > 0 && numbers.length <= maxDimension &&
    numbers.every((number) => typeof number === "number" && Number.isFinite(number));
  const vector = isVector ? Float32Array.from(numbers) : new Float32Array();
  const length = Math.sqrt(vector.reduce((sum, number) => sum + number * number, 0));
  if (!(length > 0 && length < Infinity)) {
    throw new EmbeddingError("The embedding server answered something else than a vector");
  }
  return vector.map((number) => number / length);
}
