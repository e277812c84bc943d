/** Bounds what an answer takes: bytes, and the values that its JSON has, which are counted while they arrive. */

import { GrowingBuffer } from "../text/lines.ts";
import { excessOf, maxMessageValues, ValueCounter } from "../text/message_scan.ts";

/** Of an answer, or of one event of a stream. */
export interface AnswerBounds {
  /** @default 32 MiB */
  readonly maxBytes?: number;
  /** @default {@linkcode maxMessageValues} */
  readonly maxValues?: number;
  readonly onExcess?: (() => void) | undefined;
  /** Called when a stream of events has ended, in whatever way. */
  readonly onStreamEnd?: (() => void) | undefined;
}

const defaultBytes = 32 * 1024 * 1024;

/** The answer has more than is read. */
export class ExcessError extends Error {
  override readonly name = "ExcessError";
}

/** `response` read whole, its text as `change` leaves it; a stream of events is passed on event by event. */
export async function boundAnswer(
  response: Response,
  bounds: AnswerBounds,
  change?: (text: string) => string,
): Promise<Response> {
  const { body, headers, status, statusText } = response;
  if (body === null) return response;
  const isStream = /^text\/event-stream\b/i.test(headers.get("content-type")?.trim() ?? "");
  const { readable, writable } = wholeMessages(bounds, isStream);
  if (isStream) {
    const end = () => bounds.onStreamEnd?.();
    void body.pipeTo(writable).then(end, end);
    return new Response(readable, response);
  }
  const bytes = await new Response(body.pipeThrough({ readable, writable })).bytes();
  const answer = change === undefined ? bytes : change(new TextDecoder().decode(bytes));
  const head = { status, statusText: change?.(statusText) ?? statusText, headers };
  return new Response([204, 205, 304].includes(status) ? null : answer, head);
}

/** For server-sent events, an empty line ends a message; otherwise the body is one message. */
function wholeMessages(
  { maxBytes = defaultBytes, maxValues = maxMessageValues, onExcess }: AnswerBounds,
  isStream: boolean,
): TransformStream<Uint8Array, Uint8Array<ArrayBuffer>> {
  const ends = new EventEnds();
  const buffer = new GrowingBuffer();
  // A stream makes a text of each line
  let counter = new ValueCounter(isStream);
  const append = (bytes: Uint8Array) => {
    counter.add(bytes);
    const excess = buffer.length + bytes.length > maxBytes
      ? `more than ${maxBytes} bytes`
      : excessOf(counter, maxValues);
    if (excess === undefined) return buffer.append(bytes);
    onExcess?.();
    throw new ExcessError(`the answer has ${excess}`);
  };
  return new TransformStream({
    transform(chunk, controller) {
      let from = 0;
      for (const end of isStream ? ends.in(chunk) : []) {
        append(chunk.subarray(from, end));
        controller.enqueue(buffer.take());
        counter = new ValueCounter(isStream);
        from = end;
      }
      append(chunk.subarray(from));
    },
    flush: (controller) => controller.enqueue(buffer.take()),
  });
}

const lineFeed = 10;
const carriageReturn = 13;

/** Where events end: behind an empty line, whose own end is LF, CR or both. Empty lines alone end none. */
class EventEnds {
  #isEmpty = true;
  #isLineEmpty = true;
  #wasReturn = false;

  *in(chunk: Uint8Array): Generator<number> {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte !== lineFeed && byte !== carriageReturn) {
        this.#isEmpty = false;
        this.#isLineEmpty = false;
        this.#wasReturn = false;
        continue;
      }
      const isSecondHalf = byte === lineFeed && this.#wasReturn;
      this.#wasReturn = byte === carriageReturn;
      if (isSecondHalf) continue;
      if (this.#isLineEmpty && !this.#isEmpty) {
        yield at + 1;
        this.#isEmpty = true;
      }
      this.#isLineEmpty = true;
    }
  }
}
