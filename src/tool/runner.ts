/** Defines what every kind of tool offers: a runner turns a call into a plan. */

import type { Problem } from "../errors.ts";
import type { CallResult } from "./result.ts";
import type { ArgValues, Tool } from "./tool.ts";

export interface Runner {
  readonly alwaysActive?: boolean;
  readonly keepsOrder?: boolean;
  start?(tools: readonly Tool[]): void;
  sandbox?(tool: Tool): SandboxRecord | undefined;
  location?(tool: Tool, values: ArgValues): ExecutionLocation;
  /** Makes a plan of a call. `values` have been checked and converted, and include defaults. */
  prepare(tool: Tool, values: ArgValues): Plan | Refusal | Promise<Plan | Refusal>;
  permissions?(): Permissions;
  check?(tools: readonly Tool[]): Promise<Check>;
  close?(): Promise<void>;
}

export interface ExecutionLocation {
  readonly directory?: string | undefined;
  readonly startIn?: string | undefined;
  /** The directory of a call that does not name one. */
  readonly home?: string | undefined;
  readonly isElsewhere?: boolean;
  /** True if the program itself refuses links below climax's directory, so that climax need not resolve them. */
  readonly followsNoLinks?: boolean;
}

export type Runners = ReadonlyMap<string, Runner>;

export interface Plan {
  readonly ok: true;
  readonly preview: PlanPreview;
  readonly needsPermit?: boolean;
  /** Waits for other calls that must not run at the same time as this call, and keeps them waiting until `end()`. */
  readonly takeTurn?: (
    signal: AbortSignal | undefined,
  ) => Promise<{ readonly hasWaited: boolean; end(): void }>;
  /**
   * Returns why a person must be asked about the call; `undefined` if nobody must. Without this function, a person is
   * asked.
   */
  readonly reasonToAsk?: () => Promise<string | undefined>;
  /** Returns why the call cannot run, even if a person agrees; `undefined` if it can. */
  readonly refuses?: () => Promise<string | undefined>;
  readonly trial?: PlannedTrial;
  readonly identity?: () => string;
  /** Returns a hash of the project's code that the call runs, by which a yes is bound to it; absent in a sandbox. */
  readonly projectState?: () => Promise<string>;
  run(options: PlanOptions): Promise<CallResult>;
}

type PlannedTrial =
  | Pick<Plan, "preview" | "run"> & {
    readonly saidBy?: string | undefined;
    readonly isDryRun?: boolean;
  }
  | { readonly withheld: string }
  /** The call itself is a trial: it changes nothing, so nobody is asked. */
  | "itself";

export interface PlanPreview {
  readonly record: Readonly<Record<string, unknown>>;
  readonly details?: Readonly<Record<string, unknown>>;
  /** The directory that the call works on, if the program starts in another one. */
  readonly place?: string;
  readonly line: string;
  readonly input?: string;
  readonly inputTitle?: string;
  /** The server or config that describes the tool, if no person has accepted it. Questions name it as the source. */
  readonly saidBy?: string;
  /** The variables that a config which is not bundled sets for the program, each as `NAME=VALUE`. */
  readonly variables?: readonly string[];
  readonly generated?: string;
}

/** Identifies a call across programs; ids are hexadecimal (W3C Trace Context). */
export interface CallTrace {
  readonly traceId: string;
  readonly spanId?: string;
}

export interface Caller {
  readonly trace?: CallTrace | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((event: ProgressEvent) => void) | undefined;
  readonly onLog?: ((message: LogMessage) => void) | undefined;
  readonly logLevel?: LogSeverity | undefined;
  /** Answers that a client sent to questions which climax had not asked. They are passed on to the tool's server. */
  readonly inputResponses?: Readonly<Record<string, unknown>> | undefined;
  readonly ask?: Ask | undefined;
  /** An object that identifies a person's connection: calls over the same connection have the same object. */
  readonly elicitationScope?: object | undefined;
  /** The name of the client that has proved who it is. No other client may read results of its calls. */
  readonly owner?: string | undefined;
  readonly client?: string | undefined;
  /** How the client is connected; absent if a person calls by a command or on the page. */
  readonly via?: "stdio" | "http" | undefined;
}

export interface PlanOptions extends Caller {
  /** Once this signal aborts, the program is killed at once, without the grace period. */
  readonly forceSignal?: AbortSignal | undefined;
  /** True if a program of the client reads the result, and no model does. */
  readonly forHost?: boolean | undefined;
  readonly agreesTo?: ((words: string) => boolean) | undefined;
  readonly callerContext?: object | undefined;
}

/**
 * Asks the person who uses the client; never rejects. `key` names the question at the server that asks it, `planText`
 * is what a yes allows, and `otherAnswer` waits for an answer given elsewhere, such as by `climax approve`.
 */
export type Ask = (
  question: Question,
  key?: string,
  planText?: string,
  otherAnswer?: (stop: AbortSignal) => Promise<Answer | undefined>,
) => Promise<Answer>;

/** A question to a person, with the keys of an elicitation in MCP (2026-07-28). */
export type Question =
  | {
    readonly mode: "form";
    readonly message: string;
    /** The form to fill in, as the JSON Schema of an object of texts, numbers and booleans. */
    readonly requestedSchema: Readonly<Record<string, unknown>>;
  }
  | { readonly mode: "url"; readonly message: string; readonly url: string };

export type Answer =
  | { readonly action: "accept"; readonly content?: Readonly<Record<string, unknown>> }
  | { readonly action: "decline" | "cancel" }
  | { readonly action: "unasked"; readonly reason: string }
  /** The call ends without a result: the client asks the person itself, and then repeats the call with the answer. */
  | { readonly action: "deferred" };

/** The progress of a run. A run reports rarely enough that each report is sent to the client. */
export interface ProgressEvent {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
  /** Returns the last whole lines that the program has printed so far. */
  readonly tail?: () => string;
}

export const argumentStage = "Argument validation";

export interface Refusal {
  readonly ok: false;
  readonly stage?: string;
  readonly reasons: readonly string[];
  /** Tells the agent how to call the tool correctly. It follows in a second block of the answer. */
  readonly help?: readonly string[];
  /** What refused the call: a rule's path in the policy, `arguments`, or for example `unknown tool`. */
  readonly rule: string;
  readonly tool?: Tool;
}

/** The permissions of Deno that a runner needs. */
export interface Permissions {
  readonly net?: boolean | undefined;
  readonly write?: boolean | undefined;
}

export interface Check {
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
  readonly notes?: readonly string[];
}

/** The severities of log messages, least severe first (RFC 5424). */
export const logSeverities = [
  ...["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"],
] as const;

export type LogSeverity = typeof logSeverities[number];

export interface LogMessage {
  readonly level: LogSeverity;
  readonly logger?: string;
  readonly data: unknown;
}

/** A client of MCP 2025-11-25 that has set no level gets messages of this severity and of higher ones. */
export const sentUnasked: LogSeverity = "info";

export function isAsSevere(level: LogSeverity, least: LogSeverity): boolean {
  return logSeverities.indexOf(level) >= logSeverities.indexOf(least);
}

export interface SandboxRecord {
  /** Paths that the program may write, besides a temporary folder. */
  readonly write: readonly string[];
  /** Paths that the program may read. @default all paths that are not hidden */
  readonly read?: readonly string[];
  /** Paths that the program cannot see, besides keys and credentials, which are always hidden. */
  readonly hide?: readonly string[];
  readonly network: "none" | "host";
}

export function sandboxWords({ write, read, hide, network }: SandboxRecord): string {
  return [
    write.length === 0 ? "writes nowhere" : `writes in ${write.join(", ")}`,
    ...(read === undefined ? [] : [`reads the system and ${read.join(", ") || "nothing else"}`]),
    ...(hide === undefined ? [] : [`does not see ${hide.join(", ")}`]),
    network === "none" ? "no network" : "network",
  ].join("; ");
}

export function allPermissions(all: readonly Permissions[]): Permissions {
  return { net: all.some(({ net }) => net), write: all.some(({ write }) => write) };
}

export function runnersWithTools(
  { tools, runners }: {
    readonly tools: readonly Tool[];
    readonly runners: ReadonlyMap<string, Runner>;
  },
): (readonly [runner: Runner, tools: readonly Tool[]])[] {
  const byKind = Map.groupBy(tools, ({ source }) => source.kind);
  return [...runners].flatMap(([kind, runner]) => {
    const own = byKind.get(kind);
    return own !== undefined || runner.alwaysActive ? [[runner, own ?? []] as const] : [];
  });
}
