/** Bounded copies of the audit log for stdout and OTLP over HTTP (JSON). What finds no room is counted as lost. */

import { type Clock, systemClock } from "../async/clock.ts";
import { deadline, delay } from "../async/deadline.ts";
import { messageOf, UsageError } from "../errors.ts";
import { log } from "../log.ts";
import { isReadableOnTheWay, sendOnce } from "../net/send_once.ts";
import { plural } from "../text/plural.ts";
import type { AuditCopy, AuditLine } from "./audit_log.ts";
import { io, optionalVariable } from "../io.ts";
import { version } from "../process/version.ts";
import { percentDecoded } from "../text/percent.ts";

/** Most bytes that wait: 8 MiB. */
export const maxWaitingBytes = 8 * 1024 * 1024;

const batchLines = 256;

/** Milliseconds until a delivery is tried again: at first, and at most. */
const retryMs = [500, 30_000] as const;

/** Milliseconds for the rest at the end. */
const closeMs = 5_000;

interface AuditReceiver {
  readonly name: string;
  /** Delivers `lines` whole, returns how many are not wanted at all. @throws if they are to be sent again */
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

  get lost(): number {
    return this.#lost;
  }

  add(line: AuditLine): void {
    if (this.#bytes + line.text.length > maxWaitingBytes) return this.#lose(1, "it takes too few");
    this.#lines.push(line);
    this.#bytes += line.text.length;
    this.#sending ??= this.#sendAll();
  }

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

const sendMs = 10_000;

/** Most bytes of an answer that are read: one is a count and a reason. */
const maxAnswerBytes = 64 * 1024;

/** The receiver that `place` names: `-`, or the URL of an OTLP receiver. @throws {UsageError} */
export function auditReceiver(place: string): AuditReceiver {
  if (place === "-") return stdout;
  const url = URL.parse(place);
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    throw new UsageError(
      `Not a place for copies of the audit log: '${place}'`,
      "Expected - for stdout, or the URL of an OTLP receiver such as http://127.0.0.1:4318",
    );
  }
  if (url.pathname === "/") url.pathname = "/v1/logs";
  const headers = otlpHeaders();
  if (Object.keys(headers).length > 0 && isReadableOnTheWay(url)) {
    throw new UsageError(
      `Not a place for copies of the audit log: '${place}' is another machine, without TLS`,
      "OTEL_EXPORTER_OTLP_HEADERS may have a credential: give an https URL, or unset the variable",
    );
  }
  return otlpReceiver(url, headers);
}

const stdout: AuditReceiver = {
  name: "stdout",
  async send(lines) {
    const bytes = new TextEncoder().encode(lines.map(({ text }) => `${text}\n`).join(""));
    for (let at = 0; at < bytes.length;) at += await io().stdout.write(bytes.subarray(at));
    return 0;
  },
};

function otlpReceiver(url: URL, own: Record<string, string>): AuditReceiver {
  const headers = { "content-type": "application/json", ...own };
  const options = { secrets: Object.values(own), maxBytes: maxAnswerBytes };
  return {
    name: url.host,
    async send(lines, ending) {
      const signal = AbortSignal.any([ending, AbortSignal.timeout(sendMs)]);
      const body = JSON.stringify(otlpLogs(lines));
      const response = await sendOnce(url, { method: "POST", headers, body, signal }, options);
      const answer = await response.text();
      if (response.ok) return countRejected(answer);
      // OTLP 1.x, section "Failures": only these are to be sent again
      if (![429, 502, 503, 504].includes(response.status)) return lines.length;
      throw new Error(`status ${response.status}`);
    },
  };
}

function otlpLogs(lines: readonly AuditLine[]): object {
  const instance = lines[0]?.entry["instance"];
  const resource = {
    "service.name": "climax",
    "service.version": version,
    "service.instance.id": instance,
  };
  const logRecords = lines.map(({ text, entry }) => {
    const { time, trace_id: traceId, span_id: spanId, client, profile, tool, decision } = entry;
    const timeUnixNano = String(BigInt(Date.parse(time)) * 1_000_000n);
    return {
      timeUnixNano,
      observedTimeUnixNano: timeUnixNano,
      severityNumber: decision === "allowed" ? 9 : 13,
      severityText: decision === "allowed" ? "INFO" : "WARN",
      eventName: "climax.audit",
      body: { stringValue: text },
      attributes: attributesOf({
        "gen_ai.tool.name": tool,
        "enduser.id": client,
        "climax.profile": profile,
        "climax.sequence": entry["sequence"],
      }),
      ...(traceId === undefined ? {} : { traceId }),
      ...(spanId === undefined ? {} : { spanId }),
    };
  });
  const scopeLogs = [{ scope: { name: "climax.audit", version }, logRecords }];
  return { resourceLogs: [{ resource: { attributes: attributesOf(resource) }, scopeLogs }] };
}

function attributesOf(values: Readonly<Record<string, unknown>>): object[] {
  return Object.entries(values).flatMap(([key, value]) => {
    if (value === undefined) return [];
    return [{
      key,
      value: typeof value === "number" ? { intValue: value } : { stringValue: value },
    }];
  });
}

function countRejected(answer: string): number {
  try {
    return Number(JSON.parse(answer).partialSuccess?.rejectedLogRecords) || 0;
  } catch {
    return 0;
  }
}

/** As the specification of OpenTelemetry's exporters has it: `KEY=VALUE,…`, percent-encoded. */
function otlpHeaders(): Record<string, string> {
  const pairs = (optionalVariable("OTEL_EXPORTER_OTLP_HEADERS") ?? "").split(",");
  return Object.fromEntries(pairs.flatMap((pair) => {
    const at = pair.indexOf("=");
    if (at < 1) return [];
    return [[pair.slice(0, at).trim(), percentDecoded(pair.slice(at + 1).trim())]];
  }));
}
