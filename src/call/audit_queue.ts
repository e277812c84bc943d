/**
 * Lines of the audit log on their way to another place: bounded in bytes, and tried again while that place does not take
 * them. What finds no room is lost, which is counted and said.
 */

import { type Clock, systemClock } from "../async/clock.ts";
import { deadline, delay } from "../async/deadline.ts";
import { messageOf } from "../errors.ts";
import { log } from "../log.ts";
import { plural } from "../text/plural.ts";
import type { AuditCopy, AuditLine } from "./audit_log.ts";

/** Most bytes that wait: 8 MiB. */
export const maxWaitingBytes = 8 * 1024 * 1024;

/** Most lines of one delivery. */
const batchLines = 256;

/** Milliseconds until a delivery is tried again: at first, and at most. */
const retryMs = [500, 30_000] as const;

/** Milliseconds for the rest at the end. */
const closeMs = 5_000;

/** A place that takes lines. */
export interface AuditReceiver {
  /** Its name for people. */
  readonly name: string;
  /**
   * Delivers `lines` whole. Returns how many of them the place does not want at all.
   *
   * @throws if they are to be sent again
   */
  send(lines: readonly AuditLine[], signal: AbortSignal): Promise<number>;
}

export class AuditQueue implements AuditCopy {
  readonly #receiver: AuditReceiver;
  readonly #clock: Clock;
  readonly #ending = new AbortController();
  #lines: AuditLine[] = [];
  #bytes = 0;
  #lost = 0;
  #isSaid = false;
  #sending: Promise<void> | undefined;

  constructor(receiver: AuditReceiver, clock: Clock = systemClock) {
    this.#receiver = receiver;
    this.#clock = clock;
  }

  /** The number of lines that were lost. */
  get lost(): number {
    return this.#lost;
  }

  add(line: AuditLine): void {
    if (this.#bytes + line.text.length > maxWaitingBytes) return this.#lose(1, "it takes too few");
    this.#lines.push(line);
    this.#bytes += line.text.length;
    this.#sending ??= this.#sendAll();
  }

  /** Delivers what waits, within some seconds. */
  async close(): Promise<void> {
    await deadline(this.#sending ?? Promise.resolve(), closeMs, undefined, this.#clock);
    this.#ending.abort();
    if (this.#lines.length > 0) this.#lose(this.#lines.length, "it took none at the end");
  }

  async #sendAll(): Promise<void> {
    const { signal } = this.#ending;
    let waitMs: number = retryMs[0];
    // All calls of one turn of the event loop in one delivery
    await Promise.resolve();
    while (this.#lines.length > 0 && !signal.aborted) {
      const batch = this.#lines.slice(0, batchLines);
      try {
        const refused = await this.#receiver.send(batch, signal);
        this.#lines = this.#lines.slice(batch.length);
        this.#bytes -= batch.reduce((sum, { text }) => sum + text.length, 0);
        if (refused > 0) this.#lose(refused, "it refused them");
        else this.#isSaid = false;
        waitMs = retryMs[0];
      } catch (error) {
        if (signal.aborted) break;
        log("warning", `audit copy to ${this.#receiver.name} waits: ${messageOf(error)}`);
        await delay(waitMs, signal, this.#clock);
        waitMs = Math.min(2 * waitMs, retryMs[1]);
      }
    }
    // In the same turn: a line that comes next begins a delivery
    this.#sending = undefined;
  }

  /** Said once until lines are delivered again. */
  #lose(count: number, why: string): void {
    this.#lost += count;
    if (this.#isSaid) return;
    this.#isSaid = true;
    const lines = plural(count, "line");
    log("error", `audit copy to ${this.#receiver.name}: ${lines} lost, more may follow: ${why}`);
  }
}
