/** Defines tools as search, policy and schema use them, whatever their source: readonly, with defaults applied. */

import type { Feature } from "./feature.ts";

type JsonValue =
  | string
  | number
  | boolean
  | readonly (JsonValue | null)[]
  | { readonly [key: string]: JsonValue | null };

export type ArgType = ScalarType | "array" | "json";

export type ScalarType = "string" | "integer" | "number" | "boolean";

/** Rules for the characters of texts, the strictest first. */
export const textRules = ["url", "line", "multiline", "json", "any"] as const;

/**
 * `url`: no control and format characters, no white space. `line`: no control characters but tab. `multiline`: also LF
 * and CR LF. `json`: as `multiline`, and written as JSON if the value is no text. `any`: all but NUL.
 */
export type TextRule = typeof textRules[number];

export type ArgValue = JsonValue;

export type ArgValues = ReadonlyMap<string, ArgValue>;

/**
 * Steps that reduce lines of an output, in the order of their application: `count` merges equal lines, `top` keeps the
 * largest numbers.
 */
export const lineSteps = ["count", "top", "rows", "first"] as const;

type LineStep = typeof lineSteps[number];

export type ArgRole =
  | { readonly kind: "positional" }
  /** The flag on the command line; after a final `=`, the value follows in the same word. */
  | { readonly kind: "flag"; readonly flag: string }
  | {
    readonly kind: "placed";
    /** True if the value begins a word, which the program may read as an option. */
    readonly standsAlone: boolean;
    readonly isShared: boolean;
    readonly isPart?: boolean;
  }
  | { readonly kind: "stdin" }
  | { readonly kind: "cwd" }
  /** The value selects lines of the output and is not passed to the program. */
  | { readonly kind: "lines"; readonly step: LineStep }
  | { readonly kind: "json" };

/** The policy's constraints of a value, all of which must hold. */
export interface Constraint {
  readonly pattern?: Pattern;
  readonly min?: number;
  readonly max?: number;
  readonly maxLength?: number;
  /** An absolute path, with links resolved. */
  readonly within?: string;
  readonly allowLeadingDash?: boolean;
  readonly secret?: boolean;
}

/** The config's constraints of a value. A policy adds constraints and removes none. */
export interface Limits {
  readonly pattern?: string;
  readonly min?: number;
  readonly max?: number;
  /** A path, absolute or relative to the directory of the call. */
  readonly within?: string;
  /**
   * Names that no part of the path below `within` may have, with links resolved; `.*` is every hidden name. An absolute
   * path is a directory that the value may not be in.
   */
  readonly never?: readonly string[];
  readonly excludes?: readonly string[];
  /** True if the program passes a value that begins with `-` on to another program, which may read options. */
  readonly allowsLeadingDash?: boolean;
  /** True for a working directory whose links are checked too, since the program reads the files in it. */
  readonly holdsLinks?: boolean;
}

export interface Pattern {
  readonly source: string;
  matches(text: string): boolean;
}

/** More items than persons write in a list, and few enough to be harmless. */
export const maxItems = 1000;

export interface ListRules {
  readonly type: Exclude<ScalarType, "boolean">;
  readonly enum?: readonly ArgValue[];
  readonly min: number;
  readonly max: number;
  /** The text between items that are joined to one text. */
  readonly separator?: string;
  /** True if no item can have a comma, so that a text with commas is a list. */
  readonly hasNoComma?: boolean;
}

export interface Arg {
  readonly name: string;
  /** Names that agents guess: accepted and not shown. `{from}..{to}` joins the values of two keys. */
  readonly aliases?: readonly string[];
  readonly description: string;
  readonly type: ArgType;
  readonly required: boolean;
  readonly default?: ArgValue;
  readonly enum?: readonly ArgValue[];
  readonly list?: ListRules;
  /** The value of every call. Agents do not see the argument, and what they send for it is ignored. */
  readonly fixed?: ArgValue;
  readonly examples?: readonly ArgValue[];
  readonly role: ArgRole;
  /** @default any */
  readonly text?: TextRule;
  readonly limits?: Limits;
  readonly constraint?: Constraint;
  /** The effect of a call with this argument. @default that of the tool */
  readonly effect?: Effect;
  /** Describes the pattern in refusals, after "expected". */
  readonly patternWords?: string | undefined;
}

/** The worst that a call can do: change nothing, change something, or destroy something beyond recovery. */
export type Effect = "read" | "write" | "destructive";

/** Names as in MCP 2026-07-28, tool annotations. */
export interface Annotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

export interface Icon {
  readonly src: string;
  readonly [key: string]: unknown;
}

export interface ObjectSchema {
  readonly type: "object";
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

/** Only the runner of its `kind` reads the other keys of a source. */
export interface Source {
  readonly kind: string;
}

export const commandKind = "command";

export const builtinKind = "builtin";

export function isBuiltin({ owner }: Pick<Tool, "owner">): boolean {
  return owner.isBuiltin === true;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly owner: Owner;
  readonly args: readonly Arg[];
  readonly input?: ObjectSchema;
  readonly output?: ObjectSchema;
  readonly select?: ResultSelect;
  /** True if unknown keys are passed on, as to an MCP server, instead of ignored. */
  readonly isOpen?: boolean;
  readonly refusesUnknown?: boolean;
  /** An absent effect counts as `write`. */
  readonly effect?: Effect;
  /** The effect of a call without arguments that have an effect. @default that of the tool */
  readonly plainEffect?: Effect;
  /**
   * What a destructive call loses at most: replaced text, files, or staged changes, unless git has the same content. In
   * a record by argument, the last given argument decides. @default not known
   */
  readonly loses?: "text" | "files" | "staged" | Readonly<Record<string, "files" | "staged">>;
  readonly needsHost?: boolean;
  /** True if the runner refuses calls with a worse effect than the policy's, which may be milder than the tool's. */
  readonly keepsEffect?: boolean;
  readonly policyEffect?: Effect;
  readonly annotations?: Annotations;
  readonly title?: string;
  readonly icons?: readonly Icon[];
  /**
   * True if a person must confirm each call; `outside`: calls that leave the folder or cannot be undone. @default
   * without a policy, tools that declare a change ask
   */
  readonly needsConsent?: boolean | "outside";
  readonly consentReason?: string;
  /** Present if the tool runs the project's code, which needs a sandbox or a person's confirmation of each call. */
  readonly requires?: "sandbox";
  readonly confinement?: string;
  /** The first line of questions to a person; `{name}` stands for the value of an argument. */
  readonly question?: string;
  readonly examples?: readonly string[];
  /** Former names, and names that agents guess: found and called, and not shown. Several tools may share an alias. */
  readonly aliases?: readonly string[];
  readonly subcommand?: readonly string[];
  readonly timeoutMs: number;
  /** `true`: calls become background jobs at once. `false`: they never do. */
  readonly background?: boolean;
  /** A call becomes a background job after so many milliseconds; 0: never. @default the session's */
  readonly softTimeoutMs?: number;
  readonly source: Source;
  readonly concurrency?: number;
  /** Bytes that are kept of the start of each stream, and as many of the end. @default the session's */
  readonly keepBytes?: number;
  readonly rule?: string;
  /** No model sees these data, such as the page of an App. */
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly feature?: Feature;
}

/** Selects a part of a result: a table if there are `columns`, else a line for each item. */
export interface ResultSelect {
  /** A JSONPath (RFC 9535). @default the whole value, or the items of a list */
  readonly items?: string;
  /** The path of a column's value within an item; without a path, the column's name is the key. */
  readonly columns?: readonly { readonly name: string; readonly path?: string }[];
}

export function withSelect(tool: Tool, select: ResultSelect): Tool {
  const { output: _, ...rest } = tool;
  return { ...rest, select };
}

export function textArg(name: string, description: string, rest: Partial<Arg> = {}): Arg {
  return { name, description, type: "string", required: false, role: { kind: "json" }, ...rest };
}

export interface Owner {
  readonly name: string;
  readonly description: string;
  readonly category?: string;
  readonly tags: readonly string[];
  readonly systems?: readonly ("linux" | "macos" | "windows")[];
  readonly isServer?: boolean;
  readonly isScripts?: boolean;
  readonly isBuiltin?: boolean;
  readonly isBundled?: boolean;
}

export interface AbsentOwner extends Owner {
  readonly prefix: string;
  /** False while the connection is only awaited. */
  readonly hasFailed?: boolean;
  /** Returns a sentence without a period: why the server does not answer, and when it is tried again. */
  explain(): string;
  retry(): void;
}

export interface WithheldTool {
  readonly tool: Tool;
  readonly explanation: string;
  /** The explanation for searches, which shows no agent a name chosen by a stranger. */
  readonly unnamed?: string;
}

export function withheld(
  tool: Tool,
  cause: string,
  command: string,
  unnamed?: string,
): WithheldTool {
  const ask = (what: string) => `${what}\nAsk a person to look at it; this accepts it: ${command}`;
  const explanation = ask(`Tool '${tool.name}' is withheld: ${cause}`);
  return { tool, explanation, ...(unnamed ? { unnamed: ask(unnamed) } : {}) };
}
