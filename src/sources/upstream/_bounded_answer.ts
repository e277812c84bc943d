/**
 * What a server answers over HTTP, within the bounds on a message: handed on in whole messages, so that
 * nothing behind it gathers what has no end. Line ends alone make no message, however many come.
 */

import { concat } from "../../text/lines.ts";
import { excessOf, maxMessageValues, scanMessage } from "../../text/message_scan.ts";
import { maxMessageBytes } from "./_bounds.ts";

const lineFeed = 10;
const carriageReturn = 13;

/** `response` with its body bounded; `onExcess` is told when it is beyond. */
export function boundedAnswer(response: Response, onExcess: () => void): Response {
  const { body, headers } = response;
  if (body === null) return response;
  const isStream = /^text\/event-stream\b/i.test(headers.get("content-type")?.trim() ?? "");
  return new Response(body.pipeThrough(wholeMessages({ isStream, onExcess })), response);
}

interface MessageOptions {
  /** True if an empty line ends a message, as in server-sent events; else the body is one. */
  readonly isStream: boolean;
  readonly onExcess: () => void;
}

/** Passes on messages once they are whole, and fails at one that is too large. */
function wholeMessages(
  { isStream, onExcess }: MessageOptions,
): TransformStream<Uint8Array, Uint8Array<ArrayBuffer>> {
  const ends = new EventEnds();
  let held: Uint8Array[] = [];
  let length = 0;
  const take = () => {
    const message = concat(held, length);
    held = [];
    length = 0;
    const excess = isStream ? excessOfEvent(message) : excessOf(scanMessage(message));
    if (excess !== undefined) throw new Error(`the answer has ${excess}`);
    return message;
  };
  const hold = (bytes: Uint8Array) => {
    length += bytes.length;
    if (length > maxMessageBytes) throw new Error("the answer is longer than a message may be");
    if (bytes.length > 0) held.push(bytes);
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
          hold(chunk.subarray(from, end));
          controller.enqueue(take());
          from = end;
        }
        hold(chunk.subarray(from));
      });
    },
    flush(controller) {
      orFail(controller, () => controller.enqueue(take()));
    },
  });
}

/** Where events end, which is behind an empty line: its own end is LF, CR or both. */
class EventEnds {
  #isLineEmpty = true;
  #wasReturn = false;

  /** The places behind the events that end in `chunk`. */
  *in(chunk: Uint8Array): Generator<number> {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte !== lineFeed && byte !== carriageReturn) {
        this.#isLineEmpty = false;
        this.#wasReturn = false;
        continue;
      }
      const isSecondHalf = byte === lineFeed && this.#wasReturn;
      this.#wasReturn = byte === carriageReturn;
      if (isSecondHalf) continue;
      if (this.#isLineEmpty) yield at + 1;
      this.#isLineEmpty = true;
    }
  }
}

/**
 * Why an event is not worth reading. Its lines are looked at one by one: a quotation mark in one that
 * is no data would hide what follows, and no text of JSON goes on behind the end of its line.
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
