/** The interface between calls and tools: a runner makes a plan of a call. Only runners read `tool.source`. */

import type { Problem } from "../errors.ts";
import type { CallResult } from "./result.ts";
import type { ArgValues, Tool } from "./tool.ts";

export interface Runner {
  /** True if the runner needs permissions or checks something even without a tool. */
  readonly alwaysActive?: boolean;
  /** True if calls act on files that other calls use, so that a client's calls must keep their order. */
  readonly keepsOrder?: boolean;
  /** Gets the tools of a session once, before the first call. Work that this starts is not awaited. */
  start?(tools: readonly Tool[]): void;
  sandbox?(tool: Tool): SandboxRecord | undefined;
  location?(tool: Tool, values: ArgValues): ExecutionLocation;
  /** Turns coerced and checked values, defaults included, into a plan. */
  prepare(tool: Tool, values: ArgValues): Plan | Refusal | Promise<Plan | Refusal>;
  permissions?(): Permissions;
  check?(tools: readonly Tool[]): Promise<Check>;
  close?(): Promise<void>;
}

export interface ExecutionLocation {
  readonly directory?: string | undefined;
  readonly startIn?: string | undefined;
  /** The directory of a call whose arguments name none. */
  readonly home?: string | undefined;
  readonly isElsewhere?: boolean;
  /** True if the program refuses links below climax's directory, so that paths need no resolving. */
  readonly followsNoLinks?: boolean;
}

export type Runners = ReadonlyMap<string, Runner>;

export interface Plan {
  readonly ok: true;
  readonly preview: PlanPreview;
  readonly needsPermit?: boolean;
  /** Waits until no call runs that must not run at the same time. */
  readonly takeTurn?: (
    signal: AbortSignal | undefined,
  ) => Promise<{ readonly hasWaited: boolean; end(): void }>;
  /** Returns why a person must be asked about these arguments. Absent: a person is asked. */
  readonly reasonToAsk?: () => Promise<string | undefined>;
  /** Returns why the run cannot start, even after a yes. */
  readonly refuses?: () => Promise<string | undefined>;
  readonly trial?: PlannedTrial;
  /**
   * Returns a hash of what the preview does not show of the tool; equal at all instances. A yes is bound to the hash.
   */
  readonly identity?: () => string;
  /** Returns a cheap hash of the project's code that the call runs; absent if a sandbox confines the code. */
  readonly projectState?: () => Promise<string>;
  run(options: PlanOptions): Promise<CallResult>;
}

/** How a question shows a call's effect: by a run that prints the effect and changes nothing; or why none can. */
type PlannedTrial =
  | Pick<Plan, "preview" | "run"> & {
    /** The program, if files of the project decide what it prints, so that it could lie. */
    readonly saidBy?: string | undefined;
    readonly isDryRun?: boolean;
  }
  | { readonly withheld: string }
  /** The call changes nothing, so it needs no question. */
  | "itself";

export interface PlanPreview {
  readonly record: Readonly<Record<string, unknown>>;
  readonly details?: Readonly<Record<string, unknown>>;
  /** The directory that the call is about, if the program starts in another directory. */
  readonly place?: string;
  readonly line: string;
  readonly input?: string;
  readonly inputTitle?: string;
  /** The server or config that wrote the tool's texts, if no person has accepted it. Questions then name it. */
  readonly saidBy?: string;
  /** `NAME=VALUE` for each variable of a config that is not bundled. */
  readonly variables?: readonly string[];
  /** A random name within the plan. */
  readonly generated?: string;
}

/** Ids in hexadecimal, as in W3C Trace Context. */
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
  /** Answers that a client of 2026-07-28 sent unasked, by question. The server gets them; climax uses none. */
  readonly inputResponses?: Readonly<Record<string, unknown>> | undefined;
  readonly ask?: Ask | undefined;
  /** Identifies the person's connection: all its calls have the same object. */
  readonly elicitationScope?: object | undefined;
  /** The authenticated client. No other client may read the results of its calls. */
  readonly owner?: string | undefined;
  readonly client?: string | undefined;
  /** How a client is connected. @default the caller is a command or the page of a person */
  readonly via?: "stdio" | "http" | undefined;
}

export interface PlanOptions extends Caller {
  /** When this signal aborts, the run is killed without a grace period. */
  readonly forceSignal?: AbortSignal | undefined;
  /** True if the client's own code, and no model, reads the result. */
  readonly forHost?: boolean | undefined;
  /** Returns whether a person agreed to the call after a trial whose output ends in `words`. */
  readonly agreesTo?: ((words: string) => boolean) | undefined;
  readonly callerContext?: object | undefined;
}

/**
 * Asks the person who uses the agent; never rejects. `key` is the question's name at its server, `planText` all that a
 * yes allows. `otherAnswer` waits for an answer given elsewhere, which closes the client's question.
 */
export type Ask = (
  question: Question,
  key?: string,
  planText?: string,
  otherAnswer?: (stop: AbortSignal) => Promise<Answer | undefined>,
) => Promise<Answer>;

/** Names as in MCP 2026-07-28, elicitation. */
export type Question =
  | {
    readonly mode: "form";
    readonly message: string;
    /** A JSON Schema of an object with scalar properties only. */
    readonly requestedSchema: Readonly<Record<string, unknown>>;
  }
  | { readonly mode: "url"; readonly message: string; readonly url: string };

export type Answer =
  | { readonly action: "accept"; readonly content?: Readonly<Record<string, unknown>> }
  | { readonly action: "decline" | "cancel" }
  | { readonly action: "unasked"; readonly reason: string }
  /** The call ends now, and its client repeats the call with the answer. */
  | { readonly action: "deferred" };

/** Events of a run are few enough to send each to the client. */
export interface ProgressEvent {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
  /** Returns the last whole lines of the output so far. */
  readonly tail?: () => string;
}

export const argumentStage = "Argument validation";

export interface Refusal {
  readonly ok: false;
  /** A heading for the reasons, such as {@linkcode argumentStage}. */
  readonly stage?: string;
  readonly reasons: readonly string[];
  /** The second block of the answer, which helps the agent to call again. */
  readonly help?: readonly string[];
  /** `unknown tool`, `absent server`, `withheld tool`, `arguments`, or the path of the deciding rule in the policy. */
  readonly rule: string;
  readonly tool?: Tool;
}

/** The permissions of Deno that serving needs; climax gives up all others before the first call. */
export interface Permissions {
  readonly net?: boolean | undefined;
  readonly write?: boolean | undefined;
}

export interface Check {
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
  readonly notes?: readonly string[];
}

/** The severities of RFC 5424, least severe first. */
export const logSeverities = [
  ...["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"],
] as const;

export type LogSeverity = typeof logSeverities[number];

export interface LogMessage {
  readonly level: LogSeverity;
  readonly logger?: string;
  readonly data: unknown;
}

/** The level for a client of 2025 that set none: less severe messages may be meant for another client. */
export const sentUnasked: LogSeverity = "info";

export function isAsSevere(level: LogSeverity, least: LogSeverity): boolean {
  return logSeverities.indexOf(level) >= logSeverities.indexOf(least);
}

export interface SandboxRecord {
  /** Writable paths, in addition to a temporary folder. */
  readonly write: readonly string[];
  /** Readable paths. @default all that is not hidden */
  readonly read?: readonly string[];
  /** Hidden paths, in addition to keys and credentials. */
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
