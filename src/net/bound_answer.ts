/** Bounds the bytes of an answer and the values of its JSON, which are counted while they arrive. */

import { excessOf, maxMessageValues } from "../text/message_scan.ts";

/** The bounds of an answer, or of one event of a stream. */
export interface AnswerBounds {
  /** @default 32 MiB */
  readonly maxBytes?: number;
  /** @default {@linkcode maxMessageValues} */
  readonly maxValues?: number;
  readonly onExcess?: (() => void) | undefined;
  /** True if the answer may be a stream of events, which has no bound as a whole. @default false */
  readonly hasEvents?: boolean;
  /** Ends a stream of events, and its connection. */
  readonly signal?: AbortSignal | null | undefined;
  /** Called when a stream of events has ended, for any reason. */
  readonly onStreamEnd?: (() => void) | undefined;
}

const defaultBytes = 32 * 1024 * 1024;

/** An answer exceeds its bounds. */
export class ExcessError extends Error {}

/** Reads `response` whole, and passes its text through `change`; a stream of events is passed on. */
export async function boundAnswer(
  response: Response,
  bounds: AnswerBounds,
  change?: (text: string) => string,
): Promise<Response> {
  const { body, headers, status, statusText } = response;
  if (body === null) return response;
  const isStream = bounds.hasEvents === true &&
    /^text\/event-stream\b/i.test(headers.get("content-type")?.trim() ?? "");
  const counter = new MessageCounter(bounds, isStream);
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      counter.add(chunk);
      controller.enqueue(chunk as Uint8Array<ArrayBuffer>);
    },
  });
  if (isStream) {
    const end = () => bounds.onStreamEnd?.();
    // An abort between the head of the answer and the first read would leave the connection open otherwise
    void body.pipeTo(writable, bounds.signal ? { signal: bounds.signal } : {}).then(end, end);
    return new Response(readable, response);
  }
  const bytes = await new Response(body.pipeThrough({ readable, writable })).bytes();
  const answer = change === undefined ? bytes : change(new TextDecoder().decode(bytes));
  const head = { status, statusText: change?.(statusText) ?? statusText, headers };
  return new Response([204, 205, 304].includes(status) ? null : answer, head);
}

const [lineFeed, carriageReturn, quote, backslash] = [0x0a, 0x0d, 0x22, 0x5c];
const [comma, openList, closeList, openObject, closeObject] = [0x2c, 0x5b, 0x5d, 0x7b, 0x7d];

/** Counts as `scanMessage` does, in pieces. The end of a line ends a text too; an empty line ends an event. */
export class MessageCounter {
  values = 0;
  depth = 0;
  #bytes = 0;
  #open = 0;
  #isText = false;
  #isEscaped = false;
  #isLineEmpty = true;
  #isEmpty = true;
  #wasReturn = false;

  constructor(readonly bounds: AnswerBounds, readonly isStream: boolean) {}

  /** @throws {ExcessError} */
  add(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      this.#bytes++;
      if (byte === lineFeed || byte === carriageReturn) this.#endLine(byte);
      else {
        this.#isEmpty = this.#isLineEmpty = this.#wasReturn = false;
        this.#count(byte);
      }
    }
    this.#check();
  }

  #count(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === quote) this.#isText = !this.#isText;
    else if (this.#isText) this.#isEscaped = byte === backslash;
    else if (byte === comma) this.values++;
    else if (byte === openObject || byte === openList) {
      this.values++;
      this.depth = Math.max(this.depth, ++this.#open);
    } else if (byte === closeObject || byte === closeList) this.#open--;
  }

  #endLine(byte: number): void {
    const isSecondHalf = byte === lineFeed && this.#wasReturn;
    this.#wasReturn = byte === carriageReturn;
    this.#isText = this.#isEscaped = false;
    if (!this.isStream || isSecondHalf) return;
    // Each line of an event becomes a text. Empty lines that end no event are not counted
    this.values++;
    if (this.#isLineEmpty && !this.#isEmpty) {
      this.#check();
      this.#isEmpty = true;
      [this.values, this.depth, this.#open, this.#bytes] = [0, 0, 0, 0];
    }
    this.#isLineEmpty = true;
  }

  #check(): void {
    const { maxBytes = defaultBytes, maxValues = maxMessageValues, onExcess } = this.bounds;
    const excess = this.#bytes > maxBytes
      ? `more than ${maxBytes} bytes`
      : excessOf(this, maxValues);
    if (excess === undefined) return;
    onExcess?.();
    throw new ExcessError(`the answer has ${excess}`);
  }
}
