/** Where copies of the audit log go: stdout, and a receiver of OpenTelemetry (OTLP over HTTP, as JSON). */

import { UsageError } from "../errors.ts";
import { io } from "../io.ts";
import { optionalVariable } from "../process/environment.ts";
import { version } from "../process/version.ts";
import { percentDecoded } from "../text/percent.ts";
import type { AuditLine } from "./audit_log.ts";
import type { AuditReceiver } from "./audit_queue.ts";

/** Milliseconds for one delivery. */
const sendMs = 10_000;

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
  return otlpReceiver(url);
}

const stdout: AuditReceiver = {
  name: "stdout",
  async send(lines) {
    const bytes = new TextEncoder().encode(lines.map(({ text }) => `${text}\n`).join(""));
    for (let at = 0; at < bytes.length;) at += await io().stdout.write(bytes.subarray(at));
    return 0;
  },
};

function otlpReceiver(url: URL): AuditReceiver {
  const headers = { "content-type": "application/json", ...otlpHeaders() };
  return {
    name: url.host,
    async send(lines, ending) {
      const response = await fetch(url, {
        method: "POST",
        headers,
        body: JSON.stringify(otlpLogs(lines)),
        redirect: "error",
        signal: AbortSignal.any([ending, AbortSignal.timeout(sendMs)]),
      });
      const answer = await response.text();
      if (response.ok) return rejectedBy(answer);
      // OTLP 1.x, section "Failures": only these are to be sent again
      if (![429, 502, 503, 504].includes(response.status)) return lines.length;
      throw new Error(`status ${response.status}`);
    },
  };
}

/** The logs of `lines` in the JSON of OTLP: each is a record whose body is the line. */
export function otlpLogs(lines: readonly AuditLine[]): object {
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

/** The number of records that the receiver did not take. */
function rejectedBy(answer: string): number {
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
