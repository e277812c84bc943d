/** Log messages of servers, with the names of MCP 2026-07-28, logging. */

/** The severities of RFC 5424, from least to most severe. */
export const logSeverities = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const;

export type LogSeverity = typeof logSeverities[number];

export interface LogMessage {
  readonly level: LogSeverity;
  readonly logger?: string;
  /** Any value of JSON. */
  readonly data: unknown;
}

/** The level for a client of 2025 that asks for none: what others asked for is not sent to it. */
export const sentUnasked: LogSeverity = "info";

export function isAsSevere(level: LogSeverity, least: LogSeverity): boolean {
  return logSeverities.indexOf(level) >= logSeverities.indexOf(least);
}

/** A client that receives log messages. */
export interface LogListener {
  /** Servers are asked for messages from `level` on, unless another client asks for less severe ones. */
  setLevel(level: LogSeverity): void;
  stop(): void;
}
