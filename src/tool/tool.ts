/** The types that search, policy and schema use for a tool of any source: readonly, with their defaults applied. */

import type { Feature } from "./feature.ts";

/** A value of JSON other than null. */
type JsonValue =
  | string
  | number
  | boolean
  | readonly (JsonValue | null)[]
  | { readonly [key: string]: JsonValue | null };

/** The types an argument may have, named as in JSON Schema; `json` is any value. */
export type ArgType = ScalarType | "array" | "json";

export type ScalarType = "string" | "integer" | "number" | "boolean";

/** The kinds of texts, the strictest first. */
export const textRules = ["url", "line", "multiline", "json", "any"] as const;

/**
 * - `url`: no control characters, no marks of format, no white space
 * - `line`: no control characters but tab, no line breaks
 * - `multiline`: no control characters but tab and the line breaks LF and CR LF
 * - `json`: as `multiline`; a value that is no text is written as JSON
 * - `any`: every character; NUL and lone surrogates are refused wherever a text is read
 */
export type TextRule = typeof textRules[number];

/** A coerced argument value. */
export type ArgValue = JsonValue;

/** Values by argument name; an argument that was not given and has no default is absent. */
export type ArgValues = ReadonlyMap<string, ArgValue>;

/** Ways to take lines, in their order: `count` makes equal ones one, `top` takes those with the largest numbers. */
export const lineSteps = ["count", "top", "rows", "first"] as const;

export type LineStep = typeof lineSteps[number];

/** The use of an argument's value in a call; exactly one of these. */
export type ArgRole =
  | { readonly kind: "positional" }
  /** The flag as it stands on the command line; one that ends in `=` is joined to its value. */
  | { readonly kind: "flag"; readonly flag: string }
  /** The value is a word of its own on the command line. */
  | {
    readonly kind: "placed";
    /** True when a program may read it as an option. */
    readonly standsAlone: boolean;
    /** True when the value of another argument is part of the same word. */
    readonly isShared: boolean;
    /** True if the value may begin a word that has more. @default false */
    readonly isPart?: boolean;
  }
  /** The text given to the command on its standard input. */
  | { readonly kind: "stdin" }
  | { readonly kind: "cwd" }
  /** The value takes lines of the standard output, and is not passed on. */
  | { readonly kind: "lines"; readonly step: LineStep }
  /** The value is passed on unchanged under its name. */
  | { readonly kind: "json" };

/** A policy's constraints of an argument's value; all that are present must hold. */
export interface Constraint {
  /** The whole value, as text, must match. */
  readonly pattern?: Pattern;
  readonly min?: number;
  readonly max?: number;
  /** The value has at most this many characters as a text. */
  readonly maxLength?: number;
  /** Absolute path, symbolic links resolved, of the directory that the value must lie in. */
  readonly within?: string;
  /** True if a positional value may begin with `-`. */
  readonly allowLeadingDash?: boolean;
  /** True if the value is kept out of logs. */
  readonly secret?: boolean;
}

/** The config's constraints of an argument's value. A policy can only add to them. */
export interface Limits {
  /** An RE2 expression that the whole value, as text, matches. */
  readonly pattern?: string;
  readonly min?: number;
  readonly max?: number;
  /** The directory in which the value must lie: absolute, or relative to the directory of the call. */
  readonly within?: string;
  /**
   * Names that no part of the path below `within` may have, links resolved; `.*` is every hidden name. One
   * that begins with `/` is a directory that the path may not be in.
   */
  readonly never?: readonly string[];
  /** The value may not contain these texts, in any letter case. */
  readonly excludes?: readonly string[];
  /** True if the value may begin with `-` where a program would look for options, as the program passes it on. */
  readonly allowsLeadingDash?: boolean;
  /** True for a working directory whose links are checked too, since the program reads files there. */
  readonly holdsLinks?: boolean;
}

/** A regular expression that is matched in linear time. */
export interface Pattern {
  readonly source: string;
  /** Returns whether the whole of `text` matches. */
  matches(text: string): boolean;
}

/** Default maximum of items in a list: more than a person writes, few enough to be harmless. */
export const maxItems = 1000;

export interface ListRules {
  readonly type: Exclude<ScalarType, "boolean">;
  readonly enum?: readonly ArgValue[];
  readonly min: number;
  readonly max: number;
  /** Joins the items to one text, so that no item may contain it. */
  readonly separator?: string;
  /** The pattern of the items fits no comma. */
  readonly hasNoComma?: boolean;
}

export interface Arg {
  readonly name: string;
  /** Other names of the argument, which agents guess. They are accepted and not shown; `{from}..{to}` joins two. */
  readonly aliases?: readonly string[];
  /** The purpose of the argument, in a sentence or more; may be empty. */
  readonly description: string;
  readonly type: ArgType;
  readonly required: boolean;
  readonly default?: ArgValue;
  readonly enum?: readonly ArgValue[];
  readonly list?: ListRules;
  /** The value of an argument that is hidden from agents; what they send is ignored. */
  readonly fixed?: ArgValue;
  readonly examples?: readonly ArgValue[];
  readonly role: ArgRole;
  /** The characters that a text, or each text of a list, may have. @default any */
  readonly text?: TextRule;
  readonly limits?: Limits;
  readonly constraint?: Constraint;
  /** The effect of a call that gives it, where that is worse than the tool's. */
  readonly effect?: Effect;
  /** Describes the pattern; a refusal has it after "expected". */
  readonly patternWords?: string | undefined;
}

/** The worst effect of a call: it changes nothing, something, or something beyond recovery. */
export type Effect = "read" | "write" | "destructive";

/** Hints about a tool for clients, names as in MCP 2026-07-28, tool annotations. */
export interface Annotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** An icon, names as in MCP 2026-07-28. */
export interface Icon {
  readonly src: string;
  readonly [key: string]: unknown;
}

/** A JSON Schema (draft 2020-12) of an object. */
export interface ObjectSchema {
  readonly type: "object";
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

/** The origin of a tool. Only the runner of its `kind` knows the other keys. */
export interface Source {
  readonly kind: string;
}

/** The `kind` of tools of a program that each call starts. */
export const commandKind = "command";

/** The `kind` of built-in tools, which belong to no program. */
export const builtinKind = "builtin";

export function isBuiltin({ owner }: Pick<Tool, "owner">): boolean {
  return owner.isBuiltin === true;
}

export interface Tool {
  /** The name is unique in the catalogue. */
  readonly name: string;
  /** The purpose of the tool, in a sentence or more; may be empty. */
  readonly description: string;
  readonly owner: Owner;
  /** The arguments, for coercion and policy. */
  readonly args: readonly Arg[];
  /** The schema that agents see. @default it is made from `args` */
  readonly input?: ObjectSchema;
  readonly output?: ObjectSchema;
  /** Selects a part of each result; tools of configs select by themselves. */
  readonly select?: ResultSelect;
  /** Options that every call has, such as `no-edit`: a call may ask for them. */
  readonly options?: readonly string[];
  /** True if unknown keys are passed on instead of ignored. */
  readonly isOpen?: boolean;
  /** True if a call with an unknown key is refused. @default see `unknownRefused` */
  readonly refusesUnknown?: boolean;
  /** The effect of a call; absent if it is unknown, which counts as `write`. */
  readonly effect?: Effect;
  /** The effect of a call without the arguments that have one of their own. @default that of the tool */
  readonly plainEffect?: Effect;
  /**
   * The most that a destructive call loses: replaced text, or files or staged changes, unless git has the same. In a
   * record by argument, the last given argument decides. @default it is not known
   */
  readonly loses?: "text" | "files" | "staged" | Readonly<Record<string, "files" | "staged">>;
  /** True if no sandbox shows what it talks to: processes or services of this machine. */
  readonly needsHost?: boolean;
  /** True if the runner refuses calls beyond the policy's effect, which may be milder than the tool's own. */
  readonly keepsEffect?: boolean;
  /** The effect that the policy gives the tool. */
  readonly policyEffect?: Effect;
  readonly annotations?: Annotations;
  readonly title?: string;
  readonly icons?: readonly Icon[];
  /**
   * True if a person must confirm each call; `outside`: each that leaves the folder or cannot be taken back. @default
   * if there is no policy and the tool declares that it writes
   */
  readonly needsConsent?: boolean | "outside";
  /** Says why calls ask a person, after "It asks because"; absent if a rule of the policy makes each call ask. */
  readonly consentReason?: string;
  /** Present if the tool runs a project's code: it needs a sandbox, or a person who confirms each call. */
  readonly requires?: "sandbox";
  /** Says in a sentence what confines that code in this run. */
  readonly confinement?: string;
  /** The first line of the confirmation question; `{name}` is an argument's value. */
  readonly question?: string;
  /** Requests in people's words that the tool answers; search uses them. */
  readonly examples?: readonly string[];
  /**
   * Former names, and names that agents guess. They are found and called, but not shown; several tools may share
   * one.
   */
  readonly aliases?: readonly string[];
  /** The fixed words after the program of a bundled config, `start` for `docker start`; absent for helpers. */
  readonly subcommand?: readonly string[];
  /** Milliseconds a call may take. */
  readonly timeoutMs: number;
  /** `true`: calls continue in the background at once; `false`: never. */
  readonly background?: boolean;
  /** Milliseconds after which a call continues in the background, 0: never; absent: the session's. */
  readonly softTimeoutMs?: number;
  readonly source: Source;
  /** At most this many calls of the tool run at once; absent if it has no bound of its own. */
  readonly concurrency?: number;
  /** This many bytes of the start of each stream are kept, and as many of the end; absent: the session's number. */
  readonly keepBytes?: number;
  /** The policy's rule that allows the tool; absent: there is no policy, and it does not ask. */
  readonly rule?: string;
  /** Data for the program of a client, such as the page of an App, which no model sees. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Present if the entry is a prompt or a resource. */
  readonly feature?: Feature;
}

/** Selects the part of results that an agent gets: a table with `columns`, else a line for each item. */
export interface ResultSelect {
  /** A JSONPath (RFC 9535). @default the value, or the items of a list */
  readonly items?: string;
  /** Names of columns, each with the path of its value in an item; without a path the name is a key of the item. */
  readonly columns?: readonly { readonly name: string; readonly path?: string }[];
}

/** Adds `select` to `tool`, and removes its output schema, which is the schema of the whole result. */
export function withSelect(tool: Tool, select: ResultSelect): Tool {
  const { output: _, ...rest } = tool;
  return { ...rest, select };
}

/** Makes an argument that is passed on unchanged; it is a text unless `rest` says otherwise. */
export function textArg(name: string, description: string, rest: Partial<Arg> = {}): Arg {
  return { name, description, type: "string", required: false, role: { kind: "json" }, ...rest };
}

/** The program, server or other source that a tool belongs to, as search results and summaries name it. */
export interface Owner {
  readonly name: string;
  /** The purpose of the owner, in a sentence or more; may be empty. */
  readonly description: string;
  readonly category?: string;
  readonly tags: readonly string[];
  /** Operating systems that have such a program. @default all */
  readonly systems?: readonly ("linux" | "macos" | "windows")[];
  /** True for an MCP server. @default false */
  readonly isServer?: boolean;
  readonly isScripts?: boolean;
  /** True for tools of climax itself. */
  readonly isBuiltin?: boolean;
  /** True for a config that comes with climax. */
  readonly isBundled?: boolean;
}

/** A server whose tools are not known, because it does not answer at present. */
export interface AbsentOwner extends Owner {
  /** The beginning of the names of its tools. */
  readonly prefix: string;
  /** True if the source was tried in vain, and is not only awaited. @default false */
  readonly hasFailed?: boolean;
  /** Says why the server is absent and when it is tried again, in a sentence without a period. */
  explain(): string;
  /** Connects again now, unless the server is paused. */
  retry(): void;
}

export interface WithheldTool {
  /** The tool, with the name, the owner and the effect that a policy needs. */
  readonly tool: Tool;
  /** The text for a caller. */
  readonly explanation: string;
  /** The text that a search shows instead of the explanation and a name that a stranger chose. */
  readonly unnamed?: string;
}

/** Withholds `tool` with the cause and the command by which a person accepts it; `unnamed` hides a stranger's name. */
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
