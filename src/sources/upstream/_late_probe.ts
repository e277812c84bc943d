/**
 * The probe of 2026-07-28 on a pipe, for servers that start slowly: the client of the SDK waits some seconds for an
 * answer and then sends `initialize` on the same pipe. An answer to the probe that arrives after that is kept here;
 * if the server then refuses `initialize`, a second client takes over the running process with it.
 */

import {
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type PriorDiscovery,
  type Transport,
} from "@modelcontextprotocol/client";
import { type Clock, systemClock } from "../../async/clock.ts";

/** The ids of the probes of the SDK begin with it. */
const probePrefix = "server-discover-probe-";

/** The id of `initialize` is sent with it: its answer must not be taken for that of a request of the next client. */
const initializePrefix = "initialize-";

/** Milliseconds from the refusal of `initialize` that a late answer to the probe is waited for. */
const refusalMs = 2_000;

/** A transport over one pipe, which may be handed over to a second client. */
export class LateProbeTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** With `pid`, this tells the SDK that silence means an old server and not a lost one. */
  readonly stderr = null;
  readonly pid = null;
  /** Resolves with a late answer to the probe, once `initialize` was refused; for other servers, never. */
  readonly late: Promise<PriorDiscovery>;
  readonly #pipe: Transport;
  readonly #clock: Clock;
  readonly #resolve: (prior: PriorDiscovery) => void;
  #isStarted: boolean;
  #hasInitialized = false;
  /** The refusal of `initialize`, and the late answer to the probe. */
  #refusal: JSONRPCMessage | undefined;
  #late: PriorDiscovery | undefined;
  #isHandedOver = false;

  constructor(pipe: Transport, isStarted = false, clock: Clock = systemClock) {
    this.#pipe = pipe;
    this.#clock = clock;
    this.#isStarted = isStarted;
    ({ promise: this.late, resolve: this.#resolve } = Promise.withResolvers<PriorDiscovery>());
    pipe.onmessage = (message) => this.#receive(message);
    pipe.onerror = (error) => this.onerror?.(error);
    pipe.onclose = () => this.onclose?.();
  }

  async start(): Promise<void> {
    if (this.#isStarted) return;
    this.#isStarted = true;
    await this.#pipe.start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isHandedOver) throw new Error("the connection is closed");
    if ("id" in message && "method" in message && message.method === "initialize") {
      this.#hasInitialized = true;
      return await this.#pipe.send({ ...message, id: `${initializePrefix}${message.id}` });
    }
    await this.#pipe.send(message);
  }

  async close(): Promise<void> {
    if (this.#isHandedOver) this.onclose?.();
    else await this.#pipe.close();
  }

  /** The transport for the second client. The first one gets no more messages, and its end does not end the pipe. */
  handOver(): LateProbeTransport {
    this.#isHandedOver = true;
    return new LateProbeTransport(this.#pipe, true, this.#clock);
  }

  #receive(message: JSONRPCMessage): void {
    const id = "id" in message ? message.id : undefined;
    const isAnswer = "result" in message || "error" in message;
    if (!isAnswer || typeof id !== "string") return this.onmessage?.(message);
    if (id.startsWith(initializePrefix)) {
      // The answer to the first client, after the second one has taken over
      if (!this.#hasInitialized) return;
      const answer = { ...message, id: Number(id.slice(initializePrefix.length)) };
      if ("result" in answer) return this.onmessage?.(answer);
      this.#refusal = answer;
      // A server may refuse `initialize` faster than it answers the probe
      this.#clock.after(refusalMs, () => this.#refuse(), { unref: true });
      return this.#adopt();
    }
    if (!this.#hasInitialized || !id.startsWith(probePrefix)) return this.onmessage?.(message);
    if (!isJSONRPCResultResponse(message)) return this.#refuse();
    // The SDK checks it
    this.#late = { kind: "modern", discover: message.result } as unknown as PriorDiscovery;
    this.#adopt();
  }

  #adopt(): void {
    if (this.#refusal === undefined || this.#late === undefined) return;
    this.#refusal = undefined;
    this.#resolve(this.#late);
  }

  /** Gives the refusal of `initialize` to the client. */
  #refuse(): void {
    const refusal = this.#refusal;
    this.#refusal = undefined;
    if (refusal !== undefined) this.onmessage?.(refusal);
  }
}
