/** Defines tools as search, policy and calls use them, whatever their source. Defaults have been filled in. */

import type { Feature } from "./feature.ts";

type JsonValue =
  | string
  | number
  | boolean
  | readonly (JsonValue | null)[]
  | { readonly [key: string]: JsonValue | null };

export type ArgType = ScalarType | "array" | "json";

export type ScalarType = "string" | "integer" | "number" | "boolean";

/** Which characters a text argument may have: the rules, the strictest first. */
export const textRules = ["url", "line", "multiline", "json", "any"] as const;

/**
 * `url`: no white space, control or format characters. `line`: no control characters but tab. `multiline`: line ends,
 * too. `json`: as `multiline`, and other values are written as JSON. `any`: all characters but NUL.
 */
export type TextRule = typeof textRules[number];

export type ArgValue = JsonValue;

export type ArgValues = ReadonlyMap<string, ArgValue>;

/**
 * The ways to shorten an output by lines, in the order in which they apply: `count` merges equal lines, `top` keeps
 * those with the largest numbers.
 */
export const lineSteps = ["count", "top", "rows", "first"] as const;

type LineStep = typeof lineSteps[number];

export type ArgRole =
  | { readonly kind: "positional" }
  /** The flag in front of the value. If the flag ends with `=`, both are one word of the command line. */
  | { readonly kind: "flag"; readonly flag: string }
  | {
    readonly kind: "placed";
    /** True if the value begins a word of the command line, which the program may read as an option. */
    readonly standsAlone: boolean;
    readonly isShared: boolean;
    readonly isPart?: boolean;
  }
  | { readonly kind: "stdin" }
  | { readonly kind: "cwd" }
  /** climax uses the value to select lines of the program's output; the program does not get the value. */
  | { readonly kind: "lines"; readonly step: LineStep }
  | { readonly kind: "json" };

/** What a policy demands of the value of an argument. All of it must hold. */
export interface Constraint {
  readonly pattern?: Pattern;
  readonly min?: number;
  readonly max?: number;
  readonly maxLength?: number;
  /** The directory that the value must be in: an absolute path without links. */
  readonly within?: string;
  readonly allowLeadingDash?: boolean;
  readonly secret?: boolean;
}

/** What a config demands of the value of an argument. A policy can demand more, and not less. */
export interface Limits {
  readonly pattern?: string;
  readonly min?: number;
  readonly max?: number;
  /** The directory that the value must be in, absolute or relative to the directory of the call. */
  readonly within?: string;
  /**
   * Names that the value's path below `within` may not contain, also after links are resolved; `.*` means all hidden
   * names. An absolute path means a directory that the value may not be in.
   */
  readonly never?: readonly string[];
  readonly excludes?: readonly string[];
  /** True if a value may begin with `-`, since the program passes it on to another program. */
  readonly allowsLeadingDash?: boolean;
  readonly holdsLinks?: boolean;
}

export interface Pattern {
  readonly source: string;
  matches(text: string): boolean;
}

/** The most items of a list argument: more than people write, and few enough to be harmless. */
export const maxItems = 1000;

export interface ListRules {
  readonly type: Exclude<ScalarType, "boolean">;
  readonly enum?: readonly ArgValue[];
  readonly min: number;
  readonly max: number;
  /** The text between the items, if the program gets them joined to one text. */
  readonly separator?: string;
  /** True if items never contain a comma, so that a model's text with commas counts as a list. */
  readonly hasNoComma?: boolean;
}

export interface Arg {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly description: string;
  readonly type: ArgType;
  readonly required: boolean;
  readonly default?: ArgValue;
  readonly enum?: readonly ArgValue[];
  readonly list?: ListRules;
  /** The value of the argument in every call. Agents do not see the argument, and cannot change the value. */
  readonly fixed?: ArgValue;
  readonly examples?: readonly ArgValue[];
  readonly role: ArgRole;
  /** Which characters a text may have. @default any */
  readonly text?: TextRule;
  readonly limits?: Limits;
  readonly constraint?: Constraint;
  /** The effect of a call that gives this argument; of several the worst counts. @default the effect of the tool */
  readonly effect?: Effect;
  /** Says in a refusal, after "expected", what the pattern demands. */
  readonly patternWords?: string | undefined;
}

/** The worst that a call can do: change nothing, change something, or destroy something that cannot be recovered. */
export type Effect = "read" | "write" | "destructive";

/** Hints about a tool for clients, with the keys of MCP's tool annotations (2026-07-28). */
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

/** Where a tool comes from. Each `kind` has more keys of its own. */
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
  readonly isOpen?: boolean;
  readonly refusesUnknown?: boolean;
  /** The worst that a call can do. Unknown (absent) counts as `write`. */
  readonly effect?: Effect;
  /** The effect of a call whose arguments have no effect of their own. @default the effect of the tool */
  readonly plainEffect?: Effect;
  /**
   * What a destructive call can lose, unless git still has it: replaced text, files or staged changes. @default not
   * known
   */
  readonly loses?: "text" | "files" | "staged" | Readonly<Record<string, "files" | "staged">>;
  readonly needsHost?: boolean;
  readonly keepsEffect?: boolean;
  readonly policyEffect?: Effect;
  readonly annotations?: Annotations;
  readonly title?: string;
  readonly icons?: readonly Icon[];
  /**
   * True if a person must confirm each call; `outside`: only calls that leave the folder or cannot be undone. @default
   * without a policy, true for tools that declare a change
   */
  readonly needsConsent?: boolean | "outside";
  readonly consentReason?: string;
  /** Set if the tool runs code of the project: then it runs in a sandbox, or a person must confirm each call. */
  readonly requires?: "sandbox";
  readonly confinement?: string;
  /** The first line of the question to a person; `{name}` is replaced by the value of the argument `name`. */
  readonly question?: string;
  readonly examples?: readonly string[];
  /** Former names and names that agents guess: by them the tool is found and called. Several tools may share one. */
  readonly aliases?: readonly string[];
  readonly subcommand?: readonly string[];
  readonly timeoutMs: number;
  /** True if calls become background jobs at once, false if they never do. */
  readonly background?: boolean;
  /**
   * A call that takes more milliseconds than this becomes a background job; with 0, none does. @default the value of
   * the session
   */
  readonly softTimeoutMs?: number;
  readonly source: Source;
  readonly concurrency?: number;
  /** How many bytes of the start and of the end of each output stream are kept. @default the value of the session */
  readonly keepBytes?: number;
  readonly rule?: string;
  /** Data of the tool for clients, which no model sees, such as the page of an MCP App. */
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly feature?: Feature;
}

/** Shortens a result to selected values: with `columns` to a table, else to a line for each item. */
export interface ResultSelect {
  /** The JSONPath (RFC 9535) of the items. @default the items of a list, or the whole value as one item */
  readonly items?: string;
  /** The columns of the table. `path` leads to a value within the item. @default the key with the column's name */
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
  /** True if connecting to the server has failed; false while climax still waits for it. */
  readonly hasFailed?: boolean;
  /** Returns a clause without a period that says why the server does not answer, and when it is tried again. */
  explain(): string;
  retry(): void;
}

export interface WithheldTool {
  readonly tool: Tool;
  readonly explanation: string;
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
