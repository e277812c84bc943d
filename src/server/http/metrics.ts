/** Counts requests and calls for Prometheus (text format 0.0.4), at a separate address, as the counts name tools. */

import type { IncomingMessage } from "node:http";
import type { CallContext } from "../../call/context.ts";
import { toolNameIn } from "../../call/envelope.ts";
import { io } from "../../io.ts";
import type { CallResult } from "../../tool/result.ts";
import { type SharedStore, storeConditions } from "../../state/store.ts";
import type { SurfaceObserver } from "../surface.ts";
import { nameCheck } from "./addresses.ts";
import { type Address, isLoopback } from "../../process/address.ts";
import { errorReply, type HttpReply, send } from "./answer.ts";
import { defaultHttpLimits } from "./limits.ts";
import { listen } from "./listener.ts";

/** Upper bounds of the buckets of durations, in seconds. */
const classes = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

interface MetricsSources {
  readonly runningJobs?: () => number;
  readonly waitingCalls?: () => number;
  readonly store?: Pick<SharedStore, "condition"> | undefined;
}

export class Metrics {
  readonly #requests = new Map<string, number>();
  readonly #calls = new Map<string, number>();
  readonly #durations = new Map<string, { readonly counts: number[]; sum: number }>();
  #running = 0;

  constructor(private readonly sources: MetricsSources = {}) {}

  onAnswer(status: number): void {
    count(this.#requests, labels({ status: `${status}` }));
  }

  async measure(
    { tool, profile }: { readonly tool: string; readonly profile: string | undefined },
    run: () => Promise<CallResult>,
  ): Promise<CallResult> {
    const called = profile === undefined ? { tool } : { profile, tool };
    const started = performance.now();
    this.#running++;
    try {
      const result = await run();
      count(this.#calls, labels({ ...called, outcome: result.isError ? "error" : "ok" }));
      return result;
    } finally {
      this.#running--;
      this.#observe(labels(called), (performance.now() - started) / 1000);
    }
  }

  text(): string {
    const { rss, heapUsed } = Deno.memoryUsage();
    const { runningJobs, waitingCalls } = this.sources;
    const requests = this.#requests;
    const calls = "Calls, by profile, tool and outcome";
    const callsWaiting = "Calls waiting for one of the permits of --concurrency";
    const durations = "Duration of calls, with the time they waited";
    return [
      ...family("climax_http_requests_total", "counter", "HTTP requests, by status", requests),
      ...family("climax_calls_total", "counter", calls, this.#calls),
      ...gauge("climax_calls_running", "Calls running or waiting", this.#running),
      ...gauge("climax_calls_waiting", callsWaiting, waitingCalls?.() ?? 0),
      ...gauge("climax_jobs_running", "Background jobs running", runningJobs?.() ?? 0),
      ...this.#histogram("climax_call_duration_seconds", durations),
      ...gauge("process_resident_memory_bytes", "Resident memory", rss),
      ...gauge("climax_heap_bytes", "JavaScript heap in use", heapUsed),
      ...this.#storeLines(),
      "",
    ].join("\n");
  }

  #storeLines(): string[] {
    const { store } = this.sources;
    if (store === undefined) return [];
    const values = storeConditions.map((condition) => {
      return [labels({ condition }), condition === store.condition ? 1 : 0] as const;
    });
    const help = "Condition of the store that instances share";
    return family("climax_state", "gauge", help, values);
  }

  #observe(key: string, seconds: number): void {
    const histogram = this.#durations.getOrInsertComputed(key, () => {
      return { counts: classes.map(() => 0).concat(0), sum: 0 };
    });
    const bucket = classes.findIndex((bound) => seconds <= bound);
    histogram.counts[bucket === -1 ? classes.length : bucket]!++;
    histogram.sum += seconds;
  }

  #histogram(name: string, help: string): string[] {
    const lines = this.#durations.entries().toArray().flatMap(([key, { counts, sum }]) => {
      let total = 0;
      const buckets = counts.map((each, bucket) => {
        total += each;
        return `${name}_bucket{${key},le="${classes[bucket] ?? "+Inf"}"} ${total}`;
      });
      return [...buckets, `${name}_sum{${key}} ${sum}`, `${name}_count{${key}} ${total}`];
    });
    return [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`, ...lines];
  }
}

export function measureCalls(
  catalogue: Pick<CallContext, "index">,
  metrics: Metrics,
): SurfaceObserver {
  const { profile } = io();
  return {
    onCall({ name, args, isListed }, run) {
      const tool = name === "climax_call" ? toolNameIn(args) ?? name : name;
      // All unknown tools count under one name, so that clients cannot make any number of labels
      const known = catalogue.index.resolve(tool)?.name ?? (isListed(tool) ? tool : "unknown");
      return metrics.measure({ tool: known, profile }, run);
    },
  };
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function labels(values: Readonly<Record<string, string>>): string {
  return Object.entries(values).map(([name, value]) => {
    const escaped = value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
    return `${name}="${escaped}"`;
  }).join(",");
}

type Values = Iterable<readonly [labels: string, value: number]>;

function gauge(name: string, help: string, value: number): string[] {
  return family(name, "gauge", help, [["", value]]);
}

function family(name: string, type: string, help: string, values: Values): string[] {
  const lines = [...values].map(([key, value]) => `${name}${key && `{${key}}`} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines];
}

/** Returns a function that closes the address. @throws {ClimaxError} if the address cannot be opened */
export async function serveMetrics(
  address: Address,
  metrics: Metrics,
): Promise<() => Promise<void>> {
  const limits = { ...defaultHttpLimits, connections: 64, pipelined: 4 };
  const checkNames = nameCheck(address, { hosts: [], origins: [] });
  const replyTo = ({ url, headers: { host, origin } }: IncomingMessage): HttpReply => {
    const wrong = isLoopback(address.host) ? checkNames(host, origin) : undefined;
    if (wrong !== undefined) return errorReply(403, wrong);
    if (url !== "/metrics") return errorReply(404, "Not found: metrics are at /metrics");
    const headers = { "content-type": "text/plain; version=0.0.4; charset=utf-8" };
    return { status: 200, headers, body: metrics.text() };
  };
  const { close } = await listen({ address, limits }, (req, res) => {
    send(res, replyTo(req));
    req.resume();
    return Promise.resolve();
  });
  return close;
}
