/** Looks at the store at intervals: its condition, its clock, and whether it has lost its records. */

import type { Redis } from "iovalkey";
import { type CancelTimer, type Clock, repeat } from "../async/clock.ts";
import { log } from "../log.ts";
import {
  generationOf,
  refusalOf,
  resultsOf,
  stateErrorOf,
  type StateRefusal,
} from "./_connection.ts";
import { slowMs, type StoreCondition } from "./store.ts";

/** Milliseconds between two looks. */
const beatMs = 1000;

interface HealthOptions {
  /** Key of the record that a store without records does not have. */
  readonly generationKey: string;
  /** Key of a record for finding out whether the store has room. */
  readonly probeKey: string;
  readonly clock: Clock;
  readonly onBeat: () => Promise<void>;
}

export class Health {
  readonly #connection: Redis;
  readonly #options: HealthOptions;
  readonly #onCondition = new Set<(condition: StoreCondition) => void>();
  condition: StoreCondition = "down";
  generation: string | undefined;
  lastError: Error | undefined;
  refusal: StateRefusal | undefined;
  #isFull = false;
  #offsetMs = 0;
  #beating: Promise<void> | undefined;
  #stop: CancelTimer | undefined;
  #isStopped = false;

  constructor(connection: Redis, options: HealthOptions) {
    this.#connection = connection;
    this.#options = options;
    connection.on("error", (error: Error) => {
      this.lastError = error;
      this.refusal ??= refusalOf(error);
    });
    connection.on("close", () => this.change("down"));
    connection.on("ready", () => void this.#beat());
  }

  now(): number {
    return this.#options.clock.now() + this.#offsetMs;
  }

  onCondition(listener: (condition: StoreCondition) => void): void {
    this.#onCondition.add(listener);
  }

  /** Looks once, and then at intervals. */
  async start(): Promise<void> {
    await this.#beat();
    const beat = () => void this.#beat();
    this.#stop = repeat(this.#options.clock, beatMs, beat, { unref: true });
  }

  stop(): void {
    this.#stop?.();
    this.#isStopped = true;
  }

  change(condition: StoreCondition): void {
    this.#isFull = condition === "full" || (this.#isFull && condition === "down");
    if (condition === this.condition || this.#isStopped) return;
    this.condition = condition;
    log(condition === "up" ? "info" : "warning", `The shared store is ${condition}`);
    for (const listener of this.#onCondition) listener(condition);
  }

  async #beat(): Promise<void> {
    if (this.#connection.status !== "ready") return;
    this.#beating ??= this.#look();
    await this.#beating;
    this.#beating = undefined;
  }

  async #look(): Promise<void> {
    const { clock, generationKey, probeKey, onBeat } = this.#options;
    const began = clock.now();
    try {
      const look = this.#connection.multi().time().get(generationKey).info("server");
      const [time, known, info] = await resultsOf(look) as [
        [string, string],
        string | null,
        string,
      ];
      const ended = clock.now();
      const [seconds, micros] = time.map(Number);
      this.#offsetMs = seconds! * 1000 + micros! / 1000 - (began + ended) / 2;
      this.#setGeneration(generationOf(known ?? await this.#newGeneration(), info));
      await onBeat();
      // This comes last: a write that found the store full meanwhile is newer than this look
      if (this.#isFull) await this.#connection.set(probeKey, "", "PX", beatMs);
      this.lastError = undefined;
      this.change(ended - began > slowMs ? "slow" : "up");
    } catch (error) {
      if (error instanceof Error) this.lastError = error;
      this.refusal ??= refusalOf(error);
      const { failure } = stateErrorOf(error);
      this.change(failure === "full" ? "full" : failure === "late" ? "slow" : "down");
    }
  }

  async #newGeneration(): Promise<string> {
    await this.#connection.set(this.#options.generationKey, crypto.randomUUID(), "NX");
    return await this.#connection.get(this.#options.generationKey) ?? "";
  }

  #setGeneration(generation: string): void {
    if (this.generation !== undefined && this.generation !== generation) {
      log("warning", "The shared store has begun again: open questions must be asked again");
    }
    this.generation = generation;
  }
}
