/**
 * START HERE for how a server is connected again: the states of its connection, the events that change them, and the
 * text for people and agents in each state. The functions are pure; `server.ts` stores the state, and acts on it.
 * `SessionDoubt` judges by an error whether the server has lost the session.
 *
 * ```
 * state       connect       opened      failed or ended   session unknown
 * idle        connecting
 * connecting                connected   idle, then paused
 * connected                             idle, then paused idle, once answered
 * paused      connecting, after the pause
 * ```
 *
 * A refused login leads to idle, and the removal of the server to closed, from any state.
 */

import { excerpt } from "../../text/excerpt.ts";
import { plural } from "../../text/plural.ts";
import { connectMs, firstBackoffMs, firstConnectMs, maxBackoffMs } from "./_bounds.ts";
import { cleanText } from "./_clean_texts.ts";

const maxReasonLength = 300;

interface Common {
  readonly failures: number;
  readonly reason?: string;
  /** False until the server has answered once: its program may still have to be installed, so climax waits longer. */
  readonly wasSeen: boolean;
}

/** Times are in milliseconds. `isProven`: the server has answered a request over this connection. */
export type ConnectionState =
  & Common
  & (
    | { readonly phase: "idle" }
    | { readonly phase: "connecting"; readonly since: number }
    | { readonly phase: "connected"; readonly isProven: boolean }
    | { readonly phase: "paused"; readonly until: number }
    | { readonly phase: "closed" }
  );

/** `refused`: the server needs a login, which is no failure. `session unknown`: the server was probably restarted. */
export type ConnectionEvent =
  | { readonly type: "connect" | "opened" | "answered" | "close" }
  | { readonly type: "failed" | "refused" | "ended" | "session unknown"; readonly reason: string };

export function initialState(wasSeen: boolean): ConnectionState {
  return { phase: "idle", failures: 0, wasSeen };
}

export function nextState(
  state: ConnectionState,
  event: ConnectionEvent,
  now: number,
): ConnectionState {
  if (state.phase === "closed") return state;
  const { failures, wasSeen, reason } = state;
  const common = { failures, wasSeen };
  switch (event.type) {
    case "close":
      return { ...common, phase: "closed" };
    case "connect":
      if (state.phase === "connecting" || state.phase === "connected") return state;
      if (pauseMs(state, now) > 0) return state;
      return { ...common, ...(reason && { reason }), phase: "connecting", since: now };
    case "opened":
      if (state.phase !== "connecting") return state;
      return { ...common, phase: "connected", isProven: false };
    case "answered":
      if (state.phase !== "connected" || state.isProven) return state;
      return { phase: "connected", isProven: true, failures: 0, wasSeen: true };
    case "session unknown":
      if (state.phase !== "connected") return state;
      if (!state.isProven) return afterFailure(common, event.reason, now);
      return { ...common, phase: "idle", reason: event.reason };
    case "refused":
      if (state.phase !== "connecting") return state;
      return { ...common, phase: "idle", reason: event.reason };
    case "failed":
    case "ended":
      if (state.phase !== "connecting" && state.phase !== "connected") return state;
      return afterFailure(common, event.reason, now);
  }
}

function afterFailure(before: Common, reason: string, now: number): ConnectionState {
  const failures = before.failures + 1;
  const common = { failures, reason, wasSeen: before.wasSeen };
  if (failures < 2) return { ...common, phase: "idle" };
  const backoffMs = Math.min(firstBackoffMs * 2 ** (failures - 2), maxBackoffMs);
  return { ...common, phase: "paused", until: now + backoffMs };
}

export function pauseMs(state: ConnectionState, now: number): number {
  return state.phase === "paused" ? Math.max(0, state.until - now) : 0;
}

export function connectTimeoutMs({ wasSeen }: ConnectionState, isProgram: boolean): number {
  return isProgram && !wasSeen ? firstConnectMs : connectMs;
}

export function retryText(state: ConnectionState, now: number): string {
  const waitMs = pauseMs(state, now);
  return waitMs > 0 ? `is tried again in ${secondsOf(waitMs)}` : "is tried again at the next call";
}

export function absenceText(
  state: ConnectionState,
  now: number,
  isProgram: boolean,
  failure?: string,
): string {
  const { failures, reason = "", wasSeen } = state;
  const because = reason === "" ? "" : `: ${shortReason(reason)}`;
  switch (state.phase) {
    case "connecting": {
      const since = `(${secondsOf(now - state.since)})`;
      if (failures > 0) {
        return `is connecting again ${since}, after ${plural(failures, "failure")}${because}`;
      }
      return isProgram && !wasSeen
        ? `is still starting ${since}; a first start can take minutes`
        : `is still connecting ${since}`;
    }
    case "connected":
      return failure === undefined
        ? "is connected and has not listed its tools yet"
        : `is connected, and its tools are not known: ${shortReason(failure)}`;
    case "paused":
      return `failed ${plural(failures, "time")} and ${retryText(state, now)}${because}`;
    case "closed":
      return "is not connected any more: climax is ending";
    case "idle":
      return failures === 0
        ? `is not connected yet${because}`
        : `cannot be connected, and ${retryText(state, now)}${because}`;
  }
}

function shortReason(reason: string): string {
  return excerpt(cleanText(reason.split("\n", 1)[0]!), maxReasonLength);
}

function secondsOf(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}

/** A server that does not know the session of a request refuses it with one of these HTTP statuses. */
const refusals: readonly unknown[] = [400, 401, 404, 410];
/** These HTTP statuses are of rate limits and gateways, so they do not mean that the session is lost. */
const others: readonly unknown[] = [429, 502, 504];
/** Errors of MCP with these codes are about the request, so they do not mean that the session is lost. */
const requestErrors: readonly unknown[] = [-32601, -32602, -32002, -32042];

export class SessionDoubt {
  #lastCode: unknown;

  clear(): void {
    this.#lastCode = undefined;
  }

  /** Returns `unread` if a failed request may be sent again. A request that changes something must not run twice. */
  of(error: unknown, hasSession: boolean, mayChange: boolean): "none" | "unread" | "lost" {
    const doubt = this.#of(error, hasSession);
    return doubt === "unread" && mayChange && mayBeRead(error, hasSession) ? "lost" : doubt;
  }

  #of(error: unknown, hasSession: boolean): "none" | "unread" | "lost" {
    const { status, code, kind } = error as { [key in "status" | "code" | "kind"]?: unknown };
    const isRepeated = code === -32603 && this.#lastCode === code;
    this.#lastCode = code;
    if (status === 404 || status === 400 || code === "SEND_FAILED") return "unread";
    if (!hasSession) return "none";
    if (refusals.includes(status) || kind === "needs a login") return "unread";
    if (typeof status === "number") return others.includes(status) ? "none" : "lost";
    if (typeof code !== "number" || requestErrors.includes(code)) return "none";
    return code === -32603 && !isRepeated ? "none" : "lost";
  }
}

/** Returns whether a server may have carried out the request that it answered with `error`. */
function mayBeRead(error: unknown, hasSession: boolean): boolean {
  const { status, kind, data } = error as { [key in "status" | "kind"]?: unknown } & {
    data?: { text?: unknown };
  };
  // A tool that has run may itself have caused the 401, so a second request could run the tool twice
  if (status === 401 || kind === "needs a login") return true;
  const text = String(data?.text ?? "");
  if (/"code"\s*:\s*-32022\b/.test(text)) return false;
  if (/^\s*\{[^]*"jsonrpc"/.test(text) && /"id"\s*:\s*\d/.test(text)) return true;
  if (status === 404 && hasSession) return false;
  return [400, 404, 410].includes(Number(status)) &&
    !/session|initiali[sz]|protocol.?version/i.test(text);
}
