/** The interface between calls and tools: a runner makes a plan of a call. Only runners read `tool.source`. */

import type { Problem } from "../errors.ts";
import type { CallResult } from "./result.ts";
import type { ArgValues, Tool } from "./tool.ts";

export interface Runner {
  /** True if the runner needs permissions or checks something even without a tool. @default false */
  readonly alwaysActive?: boolean;
  /** True if calls act on files that other calls use, so that a client's calls must keep their order. */
  readonly keepsOrder?: boolean;
  /** Gets the tools of a session once, before the first call. The caller does not wait for work that this starts. */
  start?(tools: readonly Tool[]): void;
  /** Returns the sandbox of a call of `tool` whose arguments name no directory; nothing if there is none. */
  sandbox?(tool: Tool): SandboxRecord | undefined;
  /** Returns where a call runs. @default climax's own directory */
  location?(tool: Tool, values: ArgValues): ExecutionLocation;
  /** Turns a call into a plan. `values` are coerced and checked, with defaults. */
  prepare(tool: Tool, values: ArgValues): Plan | Refusal | Promise<Plan | Refusal>;
  /** Returns the permissions that serving the tools needs. @default none */
  permissions?(): Permissions;
  /** Returns problems and warnings of `tools` on this machine. Absent: there are none. */
  check?(tools: readonly Tool[]): Promise<Check>;
  /** Closes all that was opened for calls. Resolves when that is done. */
  close?(): Promise<void>;
}

export interface ExecutionLocation {
  /** The directory to which relative paths of the call are relative. @default climax's own */
  readonly directory?: string | undefined;
  /** The directory in which the program starts, if it is not `directory`. */
  readonly startIn?: string | undefined;
  /** The directory of a call whose arguments name none. */
  readonly home?: string | undefined;
  /** True if the files are not on this machine. @default false */
  readonly isElsewhere?: boolean;
  /** True if the program refuses links below climax's directory, so that paths need no resolving. @default false */
  readonly followsNoLinks?: boolean;
}

export type Runners = ReadonlyMap<string, Runner>;

export interface Plan {
  readonly ok: true;
  readonly preview: PlanPreview;
  /** True if the call needs a permit of the session's semaphore. @default true */
  readonly needsPermit?: boolean;
  /** Waits for calls that must not run at the same time. Absent: there are none. */
  readonly takeTurn?: (
    signal: AbortSignal | undefined,
  ) => Promise<{ readonly hasWaited: boolean; end(): void }>;
  /** If the tool asks by its arguments: returns why a person must be asked; nothing if not. Absent: one is asked. */
  readonly reasonToAsk?: () => Promise<string | undefined>;
  /** Returns why the run cannot start, even after a yes; nothing if it can. Absent: it can. */
  readonly refuses?: () => Promise<string | undefined>;
  /** A dry run or the like, whose output the question shows. */
  readonly trial?: PlannedTrial;
  /** Returns a hash of what the preview does not show of the tool, to bind a yes to it; equal at all instances. */
  readonly identity?: () => string;
  /**
   * Returns a hash of the project's code that the call runs, as far as that is cheap; absent without such code, or if a
   * sandbox confines it.
   */
  readonly projectState?: () => Promise<string>;
  /** Runs the call. Never rejects because of the agent or the tool. */
  run(options: PlanOptions): Promise<CallResult>;
}

/** How a question can show a call's effect: by a run that prints it and changes nothing; or why it cannot. */
type PlannedTrial =
  | Pick<Plan, "preview" | "run"> & {
    /** The program, if files of the project decide what it prints, so that it could lie. */
    readonly saidBy?: string | undefined;
    /** True if the call would fail as this run does. @default false */
    readonly isDryRun?: boolean;
  }
  | { readonly withheld: string }
  /** The call changes nothing itself, so it needs no question. */
  | "itself";

/** A plan for persons and logs, with secret values masked. */
export interface PlanPreview {
  /** Entries of the audit log, with the keys of its JSON. */
  readonly record: Readonly<Record<string, unknown>>;
  /** Entries that `--dry-run` shows besides. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** The directory that the call is about, if its program starts in another one. */
  readonly place?: string;
  readonly line: string;
  /** The standard input of the program or the code of a script, which questions show. */
  readonly input?: string;
  /** The line above the input in questions. @default a line about the standard input */
  readonly inputTitle?: string;
  /** The server or config that wrote the tool's texts, if no person has accepted it; questions then name it. */
  readonly saidBy?: string;
  /** `NAME=VALUE` for each variable of a config that is not bundled, which questions show. */
  readonly variables?: readonly string[];
  /** A random name within the plan, which differs between plans of the same call. */
  readonly generated?: string;
}

/** Ids in hexadecimal, as in W3C Trace Context. */
export interface CallTrace {
  readonly traceId: string;
  /** The span of the call; absent if tracing is off. */
  readonly spanId?: string;
}

/** The client of a call: its name, and the ways to ask and notify it. Passed on as a whole. */
export interface Caller {
  readonly trace?: CallTrace | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((event: ProgressEvent) => void) | undefined;
  /** Receives log messages of a server about the run; absent if the client wants none. */
  readonly onLog?: ((message: LogMessage) => void) | undefined;
  /** The least severe level of log messages that the client wants. */
  readonly logLevel?: LogSeverity | undefined;
  /** Answers that a client of 2026-07-28 sent unasked, by question. They go to the server; climax uses none. */
  readonly inputResponses?: Readonly<Record<string, unknown>> | undefined;
  /** Asks the person who uses the agent; absent if the client cannot. */
  readonly ask?: Ask | undefined;
  /** Identifies the person's connection: all its calls have the same object. */
  readonly elicitationScope?: object | undefined;
  /** The authenticated client, to whom results belong: other clients cannot read them. */
  readonly owner?: string | undefined;
  readonly client?: string | undefined;
  /** How a client without authentication is connected. @default the caller is a command or the page of a person */
  readonly via?: "stdio" | "http" | undefined;
}

export interface PlanOptions extends Caller {
  /** When it aborts, the run is killed without a grace period. */
  readonly forceSignal?: AbortSignal | undefined;
  /** True if the result goes to the client's own code, and not to a model. @default false */
  readonly forHost?: boolean | undefined;
  /** Returns whether a person agreed to the call after a trial whose output ends in `words`. @default false */
  readonly agreesTo?: ((words: string) => boolean) | undefined;
  /** The context of the call, for tools that make calls themselves. */
  readonly callerContext?: object | undefined;
}

/**
 * Asks the person who uses the agent; never rejects. `key` is the question's name at its server. `planText` says all
 * that a yes allows: nothing has changed yet, so the call may end and be repeated with the answer. `otherAnswer` waits
 * for an answer given elsewhere, which closes the client's question.
 */
export type Ask = (
  question: Question,
  key?: string,
  planText?: string,
  otherAnswer?: (stop: AbortSignal) => Promise<Answer | undefined>,
) => Promise<Answer>;

/** A question to a person; names as in MCP 2026-07-28, elicitation. */
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
  /** No person was asked, or no call waited for the answer. */
  | { readonly action: "unasked"; readonly reason: string }
  /** The call ends now, and its client repeats it with the answer. */
  | { readonly action: "deferred" };

/** Progress of a run, with few enough events to send each to the client. */
export interface ProgressEvent {
  /** Grows with every event. */
  readonly progress: number;
  /** The value of `progress` at the end, if it is known. */
  readonly total?: number;
  readonly message?: string;
  /** Returns the last whole lines of the output so far. */
  readonly tail?: () => string;
}

export const argumentStage = "Argument validation";

/** The reasons why a call is not made. */
export interface Refusal {
  readonly ok: false;
  /** The check that failed, such as {@linkcode argumentStage}; absent if the reasons need no heading. */
  readonly stage?: string;
  readonly reasons: readonly string[];
  /** Lines that help the agent to call again, which form the second block of the answer. */
  readonly help?: readonly string[];
  /** `unknown tool`, `absent server`, `withheld tool`, `arguments`, or the path of the deciding rule in the policy. */
  readonly rule: string;
  readonly tool?: Tool;
}

/** The permissions of Deno that serving needs; climax gives up all others before the first call. */
export interface Permissions {
  readonly net?: boolean | undefined;
  /** True if calls write files, other than those that are open already. @default false */
  readonly write?: boolean | undefined;
}

export interface Check {
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
  /** Findings that are no problem but worth a line. */
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
  /** Writable paths, besides a temporary folder. */
  readonly write: readonly string[];
  /** Readable paths. @default all that is not hidden */
  readonly read?: readonly string[];
  /** Hidden paths, besides keys and credentials. */
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

/** Returns the runners that have tools or are always active, each with its tools. */
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
