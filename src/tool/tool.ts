/** Defines tools as search, policy and schema use them, whatever their source: readonly, with defaults applied. */

import type { Feature } from "./feature.ts";

type JsonValue =
  | string
  | number
  | boolean
  | readonly (JsonValue | null)[]
  | { readonly [key: string]: JsonValue | null };

/** The types of arguments, named as in JSON Schema; `json` is any value. */
export type ArgType = ScalarType | "array" | "json";

export type ScalarType = "string" | "integer" | "number" | "boolean";

/** Rules for the characters of texts, the strictest first. */
export const textRules = ["url", "line", "multiline", "json", "any"] as const;

/**
 * - `url`: no control characters, no format characters, no white space
 * - `line`: no control characters but tab, no line breaks
 * - `multiline`: no control characters but tab and the line breaks LF and CR LF
 * - `json`: as `multiline`; a value that is no text is written as JSON
 * - `any`: every character; NUL and lone surrogates are refused wherever a text is read
 */
export type TextRule = typeof textRules[number];

export type ArgValue = JsonValue;

/** Values by name; arguments that were neither given nor have a default are absent. */
export type ArgValues = ReadonlyMap<string, ArgValue>;

/**
 * Steps that reduce lines of an output, in the order in which they are applied: `count` merges equal lines, `top` keeps
 * the largest numbers.
 */
export const lineSteps = ["count", "top", "rows", "first"] as const;

type LineStep = typeof lineSteps[number];

/** How the value of an argument is used in a call. */
export type ArgRole =
  | { readonly kind: "positional" }
  /** The flag on the command line; if it ends in `=`, the value is joined to it. */
  | { readonly kind: "flag"; readonly flag: string }
  /** The value stands in a word of the command line, at a place that the config names. */
  | {
    readonly kind: "placed";
    /** True if the value begins a word, which the program may read as an option. */
    readonly standsAlone: boolean;
    /** True if the same word has the value of another argument too. */
    readonly isShared: boolean;
    /** True if the value is followed by other text in its word. @default false */
    readonly isPart?: boolean;
  }
  | { readonly kind: "stdin" }
  | { readonly kind: "cwd" }
  /** The value selects lines of the output and is not passed to the program. */
  | { readonly kind: "lines"; readonly step: LineStep }
  /** The value is passed on unchanged under its name, as to an MCP server. */
  | { readonly kind: "json" };

/** The policy's constraints of an argument's value, all of which must hold. */
export interface Constraint {
  /** Must match the whole value, as text. */
  readonly pattern?: Pattern;
  readonly min?: number;
  readonly max?: number;
  /** The value has at most this many characters as a text. */
  readonly maxLength?: number;
  /** The directory that the value must lie in: an absolute path, with links resolved. */
  readonly within?: string;
  /** True if a positional value may begin with `-`, though the program could read it as an option. */
  readonly allowLeadingDash?: boolean;
  readonly secret?: boolean;
}

/** The config's constraints of an argument's value. A policy can add constraints, and not remove any. */
export interface Limits {
  /** An RE2 expression that must match the whole value, as text. */
  readonly pattern?: string;
  readonly min?: number;
  readonly max?: number;
  /** The directory that the value must lie in: absolute, or relative to the directory of the call. */
  readonly within?: string;
  /**
   * Names that no part of the path below `within` may have, with links resolved; `.*` stands for all hidden names. A
   * name that begins with `/` is a directory that the path may not be in.
   */
  readonly never?: readonly string[];
  /** Texts that the value may not contain, in any letter case. */
  readonly excludes?: readonly string[];
  /** True if the value may begin with `-` where programs look for options: this program passes it on to another. */
  readonly allowsLeadingDash?: boolean;
  /** True for a working directory whose links are checked too, since the program reads the files in it. */
  readonly holdsLinks?: boolean;
}

/** A regular expression that is matched in linear time. */
export interface Pattern {
  readonly source: string;
  matches(text: string): boolean;
}

/** The default bound of the items in a list: more than persons write, and few enough to be harmless. */
export const maxItems = 1000;

export interface ListRules {
  readonly type: Exclude<ScalarType, "boolean">;
  readonly enum?: readonly ArgValue[];
  readonly min: number;
  readonly max: number;
  /** The text between items that are joined to one text; no item may contain it. */
  readonly separator?: string;
  /** True if the pattern of the items allows no comma, so that a text with commas is a list. */
  readonly hasNoComma?: boolean;
}

export interface Arg {
  readonly name: string;
  /** Names that agents guess for the argument: accepted and not shown. `{from}..{to}` joins the values of two keys. */
  readonly aliases?: readonly string[];
  /** The purpose of the argument, in a sentence or more; may be empty. */
  readonly description: string;
  readonly type: ArgType;
  readonly required: boolean;
  readonly default?: ArgValue;
  readonly enum?: readonly ArgValue[];
  readonly list?: ListRules;
  /** The value, if agents cannot choose it: the argument is hidden, and what they send is ignored. */
  readonly fixed?: ArgValue;
  readonly examples?: readonly ArgValue[];
  readonly role: ArgRole;
  /** The rule for the characters of a text, or of each text in a list. @default any */
  readonly text?: TextRule;
  readonly limits?: Limits;
  readonly constraint?: Constraint;
  /** The effect of a call that gives this argument, if it is not the tool's. */
  readonly effect?: Effect;
  /** Describes the pattern in refusals, after "expected". */
  readonly patternWords?: string | undefined;
}

/** What a call can do at worst: change nothing, change something, or destroy something beyond recovery. */
export type Effect = "read" | "write" | "destructive";

/** Hints about a tool for clients; names as in MCP 2026-07-28, tool annotations. */
export interface Annotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** An icon; names as in MCP 2026-07-28. */
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

/** Where a tool comes from. Only the runner of its `kind` knows the other keys. */
export interface Source {
  readonly kind: string;
}

/** The `kind` of tools that start a program for each call. */
export const commandKind = "command";

/** The `kind` of climax's built-in tools. */
export const builtinKind = "builtin";

export function isBuiltin({ owner }: Pick<Tool, "owner">): boolean {
  return owner.isBuiltin === true;
}

export interface Tool {
  readonly name: string;
  /** The purpose of the tool, in a sentence or more; may be empty. */
  readonly description: string;
  readonly owner: Owner;
  /** The arguments, for coercion and policy. */
  readonly args: readonly Arg[];
  /** The schema that agents see. @default made from `args` */
  readonly input?: ObjectSchema;
  readonly output?: ObjectSchema;
  /** Selects a part of each result. Tools of configs select in their runner. */
  readonly select?: ResultSelect;
  /** True if unknown keys are passed on, as to an MCP server, instead of ignored. */
  readonly isOpen?: boolean;
  /** True if calls with unknown keys are refused. @default `unknownRefused()` decides */
  readonly refusesUnknown?: boolean;
  /** Absent if it is not known, which counts as `write`. */
  readonly effect?: Effect;
  /** The effect of a call without arguments that have an effect. @default that of the tool */
  readonly plainEffect?: Effect;
  /**
   * What a destructive call loses at most: replaced text, files, or staged changes, unless git has the same content. In
   * a record by argument, the last given argument decides. @default not known
   */
  readonly loses?: "text" | "files" | "staged" | Readonly<Record<string, "files" | "staged">>;
  /** True if the tool talks to processes or services of this machine, of which a sandbox shows nothing. */
  readonly needsHost?: boolean;
  /** True if the runner refuses calls with a worse effect than the policy's, which may be milder than the tool's. */
  readonly keepsEffect?: boolean;
  readonly policyEffect?: Effect;
  readonly annotations?: Annotations;
  readonly title?: string;
  readonly icons?: readonly Icon[];
  /**
   * True if a person must confirm each call; `outside`: calls that leave the folder or cannot be undone. @default if
   * there is no policy, tools that declare a change ask
   */
  readonly needsConsent?: boolean | "outside";
  /** Why calls ask a person, as the end of "It asks because"; absent if a rule of the policy demands it always. */
  readonly consentReason?: string;
  /** Present if the tool runs the project's code, which needs a sandbox or a person's confirmation of each call. */
  readonly requires?: "sandbox";
  /** Says in a sentence what confines the project's code in this session. */
  readonly confinement?: string;
  /** The first line of questions to a person; `{name}` is replaced by the value of an argument. */
  readonly question?: string;
  /** Requests in everyday words that the tool answers, which search compares with queries. */
  readonly examples?: readonly string[];
  /** Former names, and names that agents guess: found and called, but not shown. Several tools may share one. */
  readonly aliases?: readonly string[];
  /** The fixed words of a bundled config behind the program, as `start` in `docker start`; absent for helpers. */
  readonly subcommand?: readonly string[];
  /** The most milliseconds of a call. */
  readonly timeoutMs: number;
  /** `true`: calls become background jobs at once. `false`: they never do. */
  readonly background?: boolean;
  /** Milliseconds after which a call becomes a background job; 0: never; absent: the session's. */
  readonly softTimeoutMs?: number;
  readonly source: Source;
  /** At most this many calls of the tool run at once; absent if it has no bound of its own. */
  readonly concurrency?: number;
  /** This many bytes of the start of each stream are kept, and as many of the end; absent: the session's number. */
  readonly keepBytes?: number;
  /** The path of the policy's rule that allows the tool; absent if there is no policy and calls do not ask. */
  readonly rule?: string;
  /** Data for the client's own code, such as the page of an App, which no model sees. */
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly feature?: Feature;
}

/** Selects the part of a result that an agent gets: a table if there are `columns`, else a line for each item. */
export interface ResultSelect {
  /** A JSONPath (RFC 9535). @default the whole value, or the items if it is a list */
  readonly items?: string;
  /** Names of columns, each with the path of its value within an item; without a path, the name is the key. */
  readonly columns?: readonly { readonly name: string; readonly path?: string }[];
}

/** Adds `select` to `tool` and drops its output schema, which the selection does not fit. */
export function withSelect(tool: Tool, select: ResultSelect): Tool {
  const { output: _, ...rest } = tool;
  return { ...rest, select };
}

/** Makes an argument whose value is passed on unchanged: a text unless `rest` says otherwise. */
export function textArg(name: string, description: string, rest: Partial<Arg> = {}): Arg {
  return { name, description, type: "string", required: false, role: { kind: "json" }, ...rest };
}

/** The program, server or other source to which a tool belongs, as search results and summaries name it. */
export interface Owner {
  readonly name: string;
  /** The purpose of the owner, in a sentence or more; may be empty. */
  readonly description: string;
  readonly category?: string;
  readonly tags: readonly string[];
  /** Operating systems on which the program exists. @default all */
  readonly systems?: readonly ("linux" | "macos" | "windows")[];
  /** True for an MCP server. @default false */
  readonly isServer?: boolean;
  readonly isScripts?: boolean;
  /** True for the built-in tools of climax. */
  readonly isBuiltin?: boolean;
  /** True for a config that comes with climax. */
  readonly isBundled?: boolean;
}

/** A server that does not answer at present, so that its tools are not known. */
export interface AbsentOwner extends Owner {
  /** The beginning of the names of its tools. */
  readonly prefix: string;
  /** True if the connection failed; false while it is only awaited. @default false */
  readonly hasFailed?: boolean;
  /** Says why the server does not answer and when it is tried again: a sentence without a period. */
  explain(): string;
  retry(): void;
}

export interface WithheldTool {
  readonly tool: Tool;
  /** The answer to a call of the tool. */
  readonly explanation: string;
  /** What a search shows instead of the explanation, so that a name chosen by a stranger reaches no agent. */
  readonly unnamed?: string;
}

/**
 * Withholds `tool`. The explanation has the cause and the command by which a person accepts the tool; `unnamed`
 * replaces a stranger's name in searches.
 */
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
