/** Reports the progress of a program: bytes of output and its last complete line, at a bounded rate. */

import { Buffer } from "node:buffer";
import { type CancelTimer, type Clock, systemClock } from "../../async/clock.ts";
import { settleReturns, stripControlSequences } from "../../text/control_sequences.ts";
import type { ProgressEvent } from "../../tool/runner.ts";
import { excerpt } from "../../text/excerpt.ts";
import type { OutputStream } from "../../exec/run.ts";

/** Milliseconds between two reports: five a second. */
const intervalMs = 200;

/** Characters of a line that are reported. */
const messageLength = 199;

/** Bytes that are stored of the start of a line. */
const lineBytes = 4096;

const newline = 10;
const carriageReturn = 13;

/** Turns output into reports. Call {@linkcode ProgressReporter.stop} when the program has ended. */
export class ProgressReporter {
  readonly #send: (report: ProgressEvent) => void;
  readonly #mask: (text: string) => string;
  readonly #clock: Clock;
  readonly #unfinished: Record<OutputStream, Buffer> = {
    stdout: Buffer.alloc(0),
    stderr: Buffer.alloc(0),
  };
  #line: Buffer | undefined;
  #bytes = 0;
  #sentBytes = 0;
  #sentAt = -Infinity;
  #cancel: CancelTimer | undefined;

  /** `mask` removes secrets from a line before it is truncated. */
  constructor(
    send: (report: ProgressEvent) => void,
    mask: (text: string) => string = (text) => text,
    clock: Clock = systemClock,
  ) {
    this.#clock = clock;
    this.#send = send;
    this.#mask = mask;
  }

  /** Reads the next chunk of a stream; keeps no reference to it. */
  readonly onOutput = (chunk: Uint8Array, stream: OutputStream): void => {
    this.#bytes += chunk.length;
    this.#remember(chunk, stream);
    const wait = this.#sentAt + intervalMs - this.#clock.now();
    if (wait <= 0) this.#report();
    else this.#cancel ??= this.#clock.after(wait, () => this.#report());
  };

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #report(): void {
    this.stop();
    if (this.#bytes === this.#sentBytes) return;
    this.#sentAt = this.#clock.now();
    this.#sentBytes = this.#bytes;
    const message = this.#line === undefined ? "" : readable(this.#line, this.#mask);
    this.#send(message === "" ? { progress: this.#bytes } : { progress: this.#bytes, message });
  }

  /** Finds the last complete line; reads no more than the end of the chunk. */
  #remember(chunk: Uint8Array, stream: OutputStream): void {
    const end = lastEnd(chunk, chunk.length);
    if (end === -1) {
      this.#unfinished[stream] = this.#continueLine(chunk, stream);
      return;
    }
    const start = lastEnd(chunk, end) + 1;
    const line = chunk.subarray(start, end);
    const whole = start === 0 ? this.#continueLine(line, stream) : beginning(line);
    // The line between a carriage return and a line feed is empty
    if (whole.length > 0) this.#line = whole;
    this.#unfinished[stream] = beginning(chunk.subarray(end + 1));
  }

  #continueLine(piece: Uint8Array, stream: OutputStream): Buffer {
    const before = this.#unfinished[stream];
    const room = lineBytes - before.length;
    return room === 0 ? before : Buffer.concat([before, piece.subarray(0, room)]);
  }
}

/** The end of the last line of `chunk` before `limit`: a line feed, or the carriage return of a progress bar. */
function lastEnd(chunk: Uint8Array, limit: number): number {
  if (limit === 0) return -1;
  return Math.max(
    chunk.lastIndexOf(newline, limit - 1),
    chunk.lastIndexOf(carriageReturn, limit - 1),
  );
}

function beginning(line: Uint8Array): Buffer {
  return Buffer.from(line.subarray(0, lineBytes));
}

function readable(line: Buffer, mask: (text: string) => string): string {
  const text = stripControlSequences(settleReturns(line.toString("utf8"))).trim();
  return excerpt(mask(text), messageLength);
}
