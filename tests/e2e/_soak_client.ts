/** A client that keeps count: of every request, how often it was answered. */

import type { SoakRequest } from "./_soak_requests.ts";

/** Counts of the answers to all requests. */
export interface Accounts {
  /** Requests with an id of their own. */
  readonly requests: number;
  readonly cancelled: number;
  /** Lines that have no id to be answered under. */
  readonly nameless: number;
  readonly namelessAnswers: number;
  readonly progress: number;
  /** Ids that were answered more than once, and ids that no request had. */
  readonly surplus: number;
  /** Requests that were not cancelled and not answered. */
  readonly unanswered: number;
  /** Progress of calls that were answered already. */
  readonly lateProgress: number;
}

/** Speaks JSON-RPC lines to a server's pipes. */
export class SoakClient {
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #encoder = new TextEncoder();
  readonly #waiting = new Map<number, () => void>();
  readonly #answers = new Map<number, number>();
  readonly #cancelled = new Set<number>();
  readonly #reading: Promise<void>;
  readonly #counts = { nameless: 0, namelessAnswers: 0, progress: 0, lateProgress: 0, surplus: 0 };
  #lastId = 0;

  constructor(child: Deno.ChildProcess) {
    this.#input = child.stdin.getWriter();
    this.#reading = this.#read(child.stdout);
  }

  /** Sends a request; returns its id and a promise of its end, which is its answer or its cancellation. */
  async request(
    { method, params, wantsProgress = false }: SoakRequest,
  ): Promise<{ id: number; done: Promise<void> }> {
    const id = ++this.#lastId;
    const meta = wantsProgress ? { _meta: { progressToken: id } } : {};
    this.#answers.set(id, 0);
    const done = new Promise<void>((resolve) => this.#waiting.set(id, resolve));
    await this.line(JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, ...meta } }));
    return { id, done };
  }

  /** Cancels a request, which may have been answered already. */
  async cancel(requestId: number): Promise<void> {
    this.#cancelled.add(requestId);
    const method = "notifications/cancelled";
    await this.line(JSON.stringify({ jsonrpc: "2.0", method, params: { requestId } }));
    this.#end(requestId);
  }

  /** Sends what is no request with an id. */
  async nameless(text: string): Promise<void> {
    this.#counts.nameless++;
    await this.line(text);
  }

  /** Writes a line. */
  async line(text: string): Promise<void> {
    await this.#input.write(this.#encoder.encode(`${text}\n`));
  }

  /** Ends the input and waits for the end of the output. */
  async close(): Promise<void> {
    await this.#input.close();
    await this.#reading;
  }

  /** The counts so far. */
  accounts(): Accounts {
    const unanswered = [...this.#answers].filter(([id, count]) => {
      return count === 0 && !this.#cancelled.has(id);
    });
    return {
      requests: this.#answers.size,
      cancelled: this.#cancelled.size,
      unanswered: unanswered.length,
      ...this.#counts,
    };
  }

  async #read(output: ReadableStream<Uint8Array>): Promise<void> {
    let parts: string[] = [];
    for await (const chunk of output.pipeThrough(new TextDecoderStream())) {
      const [first, ...others] = chunk.split("\n");
      parts.push(first!);
      for (const next of others) {
        this.#receive(JSON.parse(parts.join("")));
        parts = [next];
      }
    }
  }

  #receive(message: { id?: number | null; method?: string; params?: unknown }): void {
    if (message.method === "notifications/progress") {
      this.#counts.progress++;
      const { progressToken } = message.params as { progressToken: number };
      if (this.#answers.get(progressToken) !== 0) this.#counts.lateProgress++;
    } else if (message.method === undefined && (message.id ?? null) === null) {
      this.#counts.namelessAnswers++;
    } else if (message.method === undefined) {
      const id = message.id!;
      const count = this.#answers.get(id);
      if (count !== 0) this.#counts.surplus++;
      this.#answers.set(id, (count ?? 0) + 1);
      this.#end(id);
    }
  }

  #end(id: number): void {
    this.#waiting.get(id)?.();
    this.#waiting.delete(id);
  }
}
