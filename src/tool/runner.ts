/**
 * The seam between a tool and what it is made of: one runner for each kind of source. A call becomes
 * a plan, which is a plain value to show before it is something to run.
 *
 * Nobody but a runner opens `tool.source`.
 */

import type { Problem } from "../errors.ts";
import type { CallResult } from "./result.ts";
import type { ArgValues, Tool } from "./tool.ts";

/** What carries out the calls of one kind of source. */
export interface Runner {
  /** Whether it has needs, and something to check, while it has no tool. @default false */
  readonly alwaysActive?: boolean;
  /** Told once of the tools of a session, before the first call; what it begins is not waited for. */
  start?(tools: readonly Tool[]): void;
  /** Where a call would run; absent: in our own directory. */
  location?(tool: Tool, values: ArgValues): ExecutionLocation;
  /** What a call comes to. `values` are coerced, checked, and have the defaults filled in. */
  prepare(tool: Tool, values: ArgValues): Plan | Refusal | Promise<Plan | Refusal>;
  /**
   * What serving `tools` takes.
   *
   * @throws {ClimaxError} when a program that is to be named by its path cannot be found
   */
  permissions(tools: readonly Tool[], options?: PermissionOptions): Promise<Permissions>;
  /** What keeps `tools` from being called here, and what is doubtful about them. */
  check(tools: readonly Tool[]): Promise<Check>;
  /** Ends whatever was opened for calls; resolves when it is gone. */
  close(): Promise<void>;
}

/** Where a call runs. */
export interface ExecutionLocation {
  /** The directory it runs in, from which relative paths are seen; absent: our own. */
  readonly directory?: string | undefined;
  /** Where its program is started instead, which sees them from there. */
  readonly startIn?: string | undefined;
  /** The same when no argument says otherwise. */
  readonly home?: string | undefined;
  /** Whether the files there are not seen from here. @default false */
  readonly isElsewhere?: boolean;
}

/** The runners of a session by the `kind` of their tools' sources. */
export type Runners = ReadonlyMap<string, Runner>;

/** A call that may be run. */
export interface Plan {
  readonly ok: true;
  readonly preview: PlanPreview;
  /** Whether it takes one of the session's places while it runs. @default true */
  readonly needsPermit?: boolean;
  /** Carries it out; never rejects for anything the agent or the tool did. */
  run(options: PlanOptions): Promise<CallResult>;
}

/** A plan as people and logs see it, secret values masked. */
export interface PlanPreview {
  /** What the audit log has of it, keys as in its JSON. */
  readonly record: Readonly<Record<string, unknown>>;
  /** What `--dry-run` says besides. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** The same within one line, for log lines and questions. */
  readonly line: string;
  /** What it is given to read, for questions. */
  readonly input?: string;
}

/** What is particular to one run. */
export interface PlanOptions {
  /** Ends the run when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /** Cuts the grace of ending it short when it aborts. */
  readonly forceSignal?: AbortSignal | undefined;
  readonly onProgress?: ((event: ProgressEvent) => void) | undefined;
  /** Asks the person behind the agent; absent: there is no way to. */
  readonly ask?: Ask | undefined;
  /** Who would be asked: the same object for all calls of one connection. */
  readonly elicitationScope?: object | undefined;
  /** Whose results these are, where clients have shown who they are: others cannot read them. */
  readonly owner?: string | undefined;
}

/** Asks the person behind the agent, and waits for as long as that takes; never rejects. */
export type Ask = (question: Question) => Promise<Answer>;

/** What a person is asked, names as in MCP 2026-07-28, elicitation. */
export type Question =
  | {
    readonly mode: "form";
    readonly message: string;
    /** A JSON Schema of an object whose properties are scalars. */
    readonly requestedSchema: Readonly<Record<string, unknown>>;
  }
  | { readonly mode: "url"; readonly message: string; readonly url: string };

/** What came of a question. */
export type Answer =
  | { readonly action: "accept"; readonly content?: Readonly<Record<string, unknown>> }
  /** The person said no, or went away without a word. */
  | { readonly action: "decline" | "cancel" }
  /** The person was never asked, or nobody waited for the answer. */
  | { readonly action: "unasked"; readonly reason: string };

/** News of a run, seldom enough to be passed on. */
export interface ProgressEvent {
  /** Grows with every event. */
  readonly progress: number;
  /** What `progress` will be at the end, where that is known. */
  readonly total?: number;
  readonly message?: string;
}

/** The stage of a refusal whose arguments are not what the tool takes. */
export const argumentStage = "Argument validation";

/** Why a call may not be made. */
export interface Refusal {
  readonly ok: false;
  /** What was looked at, such as {@linkcode argumentStage}; the first words of the text. */
  readonly stage: string;
  readonly reasons: readonly string[];
  /** What decided, for the audit log. */
  readonly rule: string;
}

/** Settings of {@linkcode Runner.permissions}. */
export interface PermissionOptions {
  /** Whether programs are named by absolute paths. @default false */
  readonly resolve?: boolean;
}

/** Deno permissions. */
export interface Permissions {
  /** Programs, by name or absolute path, or `all` of them. */
  readonly run?: readonly string[] | "all";
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  /** Names of environment variables. */
  readonly env?: readonly string[];
  /** `HOST` or `HOST:PORT` each, or `all` of them. */
  readonly net?: readonly string[] | "all";
}

/** What {@linkcode Runner.check} found. */
export interface Check {
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
  /** What is well, worth a line. */
  readonly notes?: readonly string[];
}
