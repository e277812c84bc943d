/** The interface between tools and their sources. A call becomes a plan; only a runner reads `tool.source`. */

import type { Problem } from "../errors.ts";
import type { CallResult } from "./result.ts";
import type { ArgValues, Tool } from "./tool.ts";

/** Runs the calls of one kind of source. */
export interface Runner {
  /** True when the runner needs permissions, or checks something, even without a tool. @default false */
  readonly alwaysActive?: boolean;
  /** True if its calls act on the same files as others, so that those of one client stay in order. */
  readonly keepsOrder?: boolean;
  /** Receives the tools of a session once, before the first call; it does not wait for work that this begins. */
  start?(tools: readonly Tool[]): void;
  /** Returns the sandbox of `tool` if no argument names a directory; nothing if there is none. */
  sandbox?(tool: Tool): SandboxRecord | undefined;
  /** Returns the location of a call. @default climax's own directory */
  location?(tool: Tool, values: ArgValues): ExecutionLocation;
  /** Turns a call into a plan. `values` are coerced, checked, and have the defaults filled in. */
  prepare(tool: Tool, values: ArgValues): Plan | Refusal | Promise<Plan | Refusal>;
  /** Returns the permissions that serving the tools needs. @default none */
  permissions?(): Permissions;
  /** Finds problems and warnings of `tools` on this machine; absent: there are none. */
  check?(tools: readonly Tool[]): Promise<Check>;
  /** Closes everything that was opened for calls; resolves when that is done. */
  close?(): Promise<void>;
}

export interface ExecutionLocation {
  /** The directory to which relative paths of the call are relative. @default climax's own */
  readonly directory?: string | undefined;
  /** The directory in which the program is started, if it is another one. */
  readonly startIn?: string | undefined;
  /** The directory if no argument names one. */
  readonly home?: string | undefined;
  /** True when the files there are on another machine. @default false */
  readonly isElsewhere?: boolean;
  /** True if the program refuses links below climax's own directory: paths lead where they say. @default false */
  readonly followsNoLinks?: boolean;
}

/** The runners of a session by the `kind` of their tools' sources. */
export type Runners = ReadonlyMap<string, Runner>;

export interface Plan {
  readonly ok: true;
  readonly preview: PlanPreview;
  /** True when the call needs a permit of the session's semaphore. @default true */
  readonly needsPermit?: boolean;
  /** Waits for calls that must not run at the same time; absent: there are none. */
  readonly takeTurn?: (
    signal: AbortSignal | undefined,
  ) => Promise<{ readonly hasWaited: boolean; end(): void }>;
  /** Returns why a call asks a person, if its tool asks by the arguments; nothing if it need not. Absent: it asks. */
  readonly reasonToAsk?: () => Promise<string | undefined>;
  /** Returns why the run cannot start, even after a yes; nothing if it can. Absent: it can. */
  readonly refuses?: () => Promise<string | undefined>;
  /** Runs the tool's dry run, for the question. */
  readonly trial?: PlannedTrial;
  /** Returns a hash of the tool beyond the preview, to which a yes is bound. It is the same at every instance. */
  readonly identity?: () => string;
  /** Returns a hash of the project's code, if that is cheap; absent if a sandbox limits the code or there is none. */
  readonly projectState?: () => Promise<string>;
  /** Runs the call; never rejects for anything that the agent or the tool did. */
  run(options: PlanOptions): Promise<CallResult>;
}

/** A run that prints the effect of the call, for the question, without any effect; or why there is none. */
export type PlannedTrial =
  | Pick<Plan, "preview" | "run"> & {
    /** The program, if files of the project decide about its output. */
    readonly saidBy?: string | undefined;
    /** True if the call would fail when this run fails. @default false */
    readonly isDryRun?: boolean;
  }
  | { readonly withheld: string }
  /** The call itself changes nothing, and is that run. */
  | "itself";

/** A plan for people and logs, with secret values masked. */
export interface PlanPreview {
  /** The plan in the audit log, with the keys of its JSON. */
  readonly record: Readonly<Record<string, unknown>>;
  /** Further entries of the plan, which only `--dry-run` shows. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** The directory of the call, if its program starts in another one. */
  readonly place?: string;
  /** The plan in one line, for log lines and questions. */
  readonly line: string;
  /** The standard input of the program, or the code of a script, for questions. */
  readonly input?: string;
  /** The line above the input. @default that it is the standard input */
  readonly inputTitle?: string;
  /** The server or config whose texts no person has accepted; absent: climax or the person wrote them. */
  readonly saidBy?: string;
  /** The variables of a config that is not bundled, for questions: `NAME=VALUE` each. */
  readonly variables?: readonly string[];
  /** A random name that the plan has generated. Another plan of the same call has another one. */
  readonly generated?: string;
}

/** Ids in hexadecimal, as in W3C Trace Context. */
export interface CallTrace {
  readonly traceId: string;
  /** The id of the span of the call; absent if it has none of its own. */
  readonly spanId?: string;
}

/** The client of a call: its name, and the ways to ask and notify it. It is passed on as a whole. */
export interface Caller {
  /** The trace of the request, for the audit log. */
  readonly trace?: CallTrace | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((event: ProgressEvent) => void) | undefined;
  /** Receives log messages of a server about the run; absent if the client wants none. */
  readonly onLog?: ((message: LogMessage) => void) | undefined;
  /** The least severe level of log messages that the client wants. */
  readonly logLevel?: LogSeverity | undefined;
  /** Answers that a client of 2026-07-28 sent unasked, by question. They go to the server, never to climax. */
  readonly inputResponses?: Readonly<Record<string, unknown>> | undefined;
  /** Asks the person who uses the agent; absent when that is impossible. */
  readonly ask?: Ask | undefined;
  /** Identifies the connection of that person: all its calls have the same object. */
  readonly elicitationScope?: object | undefined;
  /** The owner of the results if clients are authenticated: other clients cannot read them. */
  readonly owner?: string | undefined;
  /** The client's name, for the audit log. */
  readonly client?: string | undefined;
  /** The connection of a client without authentication. @default it is a command or the page of a person */
  readonly via?: "stdio" | "http" | undefined;
}

export interface PlanOptions extends Caller {
  /** When this signal aborts, the run is killed without a grace period. */
  readonly forceSignal?: AbortSignal | undefined;
  /** True if the result goes to the program of a client, and not to a model. @default false */
  readonly forHost?: boolean | undefined;
  /** Returns whether a person has agreed to the call after a trial whose output ends in `words`. @default false */
  readonly agreesTo?: ((words: string) => boolean) | undefined;
  /** The context of the call, for a tool that makes further calls itself. */
  readonly callerContext?: object | undefined;
}

/**
 * Asks the person who uses the agent, and waits for the answer; never rejects. `key` is the name of the question at its
 * server, which some clients look at. `planText` says all that a yes allows; with it nothing has been changed yet, so
 * that the call may end here and begin again with the answer. `otherAnswer` waits for an answer that does not come from
 * the client; a client whose question stays open while the call waits is asked no more then.
 */
export type Ask = (
  question: Question,
  key?: string,
  planText?: string,
  otherAnswer?: (stop: AbortSignal) => Promise<Answer | undefined>,
) => Promise<Answer>;

/** A question to a person, with names as in MCP 2026-07-28, elicitation. */
export type Question =
  | {
    readonly mode: "form";
    readonly message: string;
    /** A JSON Schema of an object whose properties are scalars. */
    readonly requestedSchema: Readonly<Record<string, unknown>>;
  }
  | { readonly mode: "url"; readonly message: string; readonly url: string };

export type Answer =
  | { readonly action: "accept"; readonly content?: Readonly<Record<string, unknown>> }
  /** The person declined, or closed the question. */
  | { readonly action: "decline" | "cancel" }
  /** The person was not asked, or no call waited for the answer. */
  | { readonly action: "unasked"; readonly reason: string }
  /** The call ends; its client sends it again with the answer. */
  | { readonly action: "deferred" };

/** Progress of a run, rare enough to be passed on. */
export interface ProgressEvent {
  /** The progress so far, which grows with every event. */
  readonly progress: number;
  /** The value of `progress` at the end, if known. */
  readonly total?: number;
  readonly message?: string;
  /** Returns the end of the output so far, whole lines of it. */
  readonly tail?: () => string;
}

/** The stage of a refusal for invalid arguments. */
export const argumentStage = "Argument validation";

/** A refusal says why a call is not made. */
export interface Refusal {
  readonly ok: false;
  /** The check that failed, such as {@linkcode argumentStage}; absent if the reasons are the whole text. */
  readonly stage?: string;
  readonly reasons: readonly string[];
  /** Lines that help to call again, in a second block of the answer. */
  readonly help?: readonly string[];
  /** `unknown tool`, `absent server`, `withheld tool`, `arguments`, or the path of a rule in the policy. */
  readonly rule: string;
  /** The tool of the call, if it is known. */
  readonly tool?: Tool;
}

/** The permissions of Deno that serving needs; all others are given up before the first call. */
export interface Permissions {
  /** True if calls use the network. @default false */
  readonly net?: boolean | undefined;
  /** True if calls write files that are not open. @default false */
  readonly write?: boolean | undefined;
}

export interface Check {
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
  /** Findings that are no problem, and worth a line. */
  readonly notes?: readonly string[];
}

/** The severities of RFC 5424, from least to most severe. */
export const logSeverities = [
  ...["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"],
] as const;

export type LogSeverity = typeof logSeverities[number];

export interface LogMessage {
  readonly level: LogSeverity;
  readonly logger?: string;
  /** Any value of JSON. */
  readonly data: unknown;
}

/** The level for a client of 2025 that has set none: it does not get messages that another client asked for. */
export const sentUnasked: LogSeverity = "info";

export function isAsSevere(level: LogSeverity, least: LogSeverity): boolean {
  return logSeverities.indexOf(level) >= logSeverities.indexOf(least);
}

export interface SandboxRecord {
  /** Paths that are writable, in addition to a temporary folder. */
  readonly write: readonly string[];
  /** Paths that are readable. @default everything that is not hidden */
  readonly read?: readonly string[];
  /** Paths that are hidden, in addition to keys and credentials. */
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

/** Returns what one of `all` needs. */
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
