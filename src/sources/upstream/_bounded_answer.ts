/**
 * Bounds the HTTP responses of a server. Passes on whole messages only, so that no reader collects a message
 * without end. Line ends alone are no message.
 */

import { GrowingBuffer } from "../../text/growing_buffer.ts";
import { excessOf, maxMessageValues, scanMessage } from "../../text/message_scan.ts";
import { maxMessageBytes } from "./_bounds.ts";

const lineFeed = 10;
const carriageReturn = 13;

/** Bounds the body of `response`; calls `onExcess` if it exceeds the bound. */
export function boundedAnswer(response: Response, onExcess: () => void): Response {
  const { body, headers } = response;
  if (body === null) return response;
  const isStream = /^text\/event-stream\b/i.test(headers.get("content-type")?.trim() ?? "");
  return new Response(body.pipeThrough(wholeMessages({ isStream, onExcess })), response);
}

interface MessageOptions {
  /** True for server-sent events, where an empty line ends a message; otherwise the body is one message. */
  readonly isStream: boolean;
  readonly onExcess: () => void;
}

/** Passes on messages once they are whole, and fails at one that is too large. */
function wholeMessages(
  { isStream, onExcess }: MessageOptions,
): TransformStream<Uint8Array, Uint8Array<ArrayBuffer>> {
  const ends = new EventEnds();
  const buffer = new GrowingBuffer();
  const finish = () => {
    const message = buffer.take();
    const excess = isStream ? excessOfEvent(message) : excessOf(scanMessage(message));
    if (excess !== undefined) throw new Error(`the answer has ${excess}`);
    return message;
  };
  const append = (bytes: Uint8Array) => {
    if (buffer.length + bytes.length > maxMessageBytes) {
      throw new Error("the answer is longer than a message may be");
    }
    buffer.append(bytes);
  };
  const orFail = (controller: TransformStreamDefaultController, work: () => void) => {
    try {
      work();
    } catch (error) {
      controller.error(error);
      onExcess();
    }
  };
  return new TransformStream({
    transform(chunk, controller) {
      orFail(controller, () => {
        let from = 0;
        for (const end of isStream ? ends.in(chunk) : []) {
          append(chunk.subarray(from, end));
          controller.enqueue(finish());
          from = end;
        }
        append(chunk.subarray(from));
      });
    },
    flush(controller) {
      orFail(controller, () => controller.enqueue(finish()));
    },
  });
}

/**
 * Where events end, which is behind an empty line: its own end is LF, CR or both. Empty lines alone end
 * none, and stand before the next event.
 */
class EventEnds {
  #isEmpty = true;
  #isLineEmpty = true;
  #wasReturn = false;

  /** The offsets after the events that end in `chunk`. */
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

/**
 * Returns why an event is refused. Scans line by line: a quotation mark in a line without data would hide the
 * following lines, and no JSON text continues after the end of its line.
 */
function excessOfEvent(event: Uint8Array): string | undefined {
  let values = 0;
  let depth = 0;
  for (let from = 0; from < event.length && values <= maxMessageValues;) {
    const end = lineEnd(event, from);
    const line = scanMessage(event.subarray(from, end));
    values += line.values + 1;
    depth = Math.max(depth, line.depth);
    from = end + 1;
  }
  return excessOf({ values, depth });
}

function lineEnd(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] === lineFeed || bytes[at] === carriageReturn) return at;
  }
  return bytes.length;
}
