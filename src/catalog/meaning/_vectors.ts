/** Vectors of length 1 in a byte for each number, and how near a query is to each of them. */

/** The vectors of numbered texts, one after another. */
export interface Vectors {
  readonly dimension: number;
  /** `dimension` numbers for each text. */
  readonly bytes: Int8Array;
}

/** What the largest number of a vector becomes. */
const largest = 127;

/** The bytes of a vector; how long it was is given up, its direction kept. */
export function toBytes(vector: Float32Array): Int8Array {
  const most = vector.reduce((most, number) => Math.max(most, Math.abs(number)), 0);
  return Int8Array.from(vector, (number) => Math.round(number / most * largest));
}

/** The cosine between `query`, of length 1, and each vector; both of one dimension. */
export function cosines({ dimension, bytes }: Vectors, query: Float32Array): Float64Array {
  const found = new Float64Array(bytes.length / dimension);
  for (let text = 0, at = 0; text < found.length; text++) {
    let product = 0;
    let square = 0;
    for (let place = 0; place < dimension; place++, at++) {
      const byte = bytes[at]!;
      product += byte * query[place]!;
      square += byte * byte;
    }
    found[text] = product / Math.sqrt(square);
  }
  return found;
}
