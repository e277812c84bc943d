/** Bytes that arrive in pieces, kept as one. A list of the pieces would cost more than the bytes in them. */

/** Bytes that are reserved at first. */
const firstBytes = 1024;

/** Bytes that are appended to, copied out of the pieces that they come in. */
export class GrowingBuffer {
  #bytes = new Uint8Array();
  #length = 0;

  /** Bytes that were appended since it was empty. */
  get length(): number {
    return this.#length;
  }

  /** Copies `piece` behind what is there. */
  append(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(length, this.#bytes.length * 2, firstBytes));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(piece, this.#length);
    this.#length = length;
  }

  /** Gives all bytes away, and is empty. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#bytes = new Uint8Array();
    this.#length = 0;
    return bytes;
  }
}
