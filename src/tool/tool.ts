/**
 * The vocabulary of climax: what search, policy and schema need to know of a tool, whatever it is
 * made of. How a call of it is carried out is its source's business, see `runner.ts`.
 *
 * Everything here is readonly and has its defaults applied. What people write (YAML, JSON) has types
 * of its own in `sources/`; nothing after a source's `resolve` sees those.
 */

import type { TextRule } from "./text_rule.ts";

/** A value of JSON other than null. */
export type JsonValue =
  | string
  | number
  | boolean
  | readonly (JsonValue | null)[]
  | { readonly [key: string]: JsonValue | null };

/** The types an argument may have, named as in JSON Schema; `json` is any value. */
export type ArgType = ScalarType | "array" | "json";

/** The types of a single value. */
export type ScalarType = "string" | "integer" | "number" | "boolean";

/** A coerced argument value. */
export type ArgValue = JsonValue;

/** Values by argument name; an argument that was not given and has no default is absent. */
export type ArgValues = ReadonlyMap<string, ArgValue>;

/** What an argument's value becomes when a tool is called; exactly one of these. */
export type ArgRole =
  | { readonly kind: "positional" }
  /** `flag` as it stands on the command line; one that ends in `=` is joined to its value. */
  | { readonly kind: "flag"; readonly flag: string }
  /** A place of its own on the command line. */
  | {
    readonly kind: "placed";
    /** Whether a program may read it as an option. */
    readonly standsAlone: boolean;
    /** Whether the value of another argument is part of the same word. */
    readonly isShared: boolean;
  }
  /** The text given to the command on its standard input. */
  | { readonly kind: "stdin" }
  /** The directory the command runs in. */
  | { readonly kind: "cwd" }
  /** Passed on as it is, under its name. */
  | { readonly kind: "json" };

/** What a policy demands of an argument's value; everything that is present must hold. */
export interface Constraint {
  /** The whole value, as text, matches. */
  readonly pattern?: Pattern;
  readonly min?: number;
  readonly max?: number;
  /** Characters of the value as text. */
  readonly maxLength?: number;
  /** Absolute path, symbolic links resolved, of the directory that the value must lie in. */
  readonly within?: string;
  /** Whether a positional value may begin with `-`. */
  readonly allowLeadingDash?: boolean;
  /** Whether the value is kept out of logs. */
  readonly secret?: boolean;
}

/** What a tool's author states of an argument's value; a policy can only narrow it. */
export interface Limits {
  /** An RE2 expression that the whole value, as text, matches. */
  readonly pattern?: string;
  readonly min?: number;
  readonly max?: number;
  /** Directory the value must lie in: absolute, or seen from the directory of the call. */
  readonly within?: string;
  /**
   * Names that no part of the path below `within` may have, links resolved; `.*` is every hidden
   * name. One that begins with `/` is a directory that the path may not lie in.
   */
  readonly never?: readonly string[];
  /** Texts that the value may not contain, letter case aside. */
  readonly excludes?: readonly string[];
  /**
   * Of a directory to run in: whether links in it, and in those above it up to `within`, are held as
   * the directory itself is, for a program that reads files there which no argument names.
   */
  readonly holdsLinks?: boolean;
}

/** A regular expression that is matched in linear time. */
export interface Pattern {
  /** As the policy has it. */
  readonly source: string;
  /** Whether the whole of `text` matches. */
  matches(text: string): boolean;
}

/** Items that a list may have when nobody says: more than a person writes, fewer than harm. */
export const maxItems = 1000;

/** What the items of a list may be. */
export interface ListRules {
  readonly type: Exclude<ScalarType, "boolean">;
  readonly enum?: readonly ArgValue[];
  /** Items there must be at least. */
  readonly min: number;
  /** Items there may be at most. */
  readonly max: number;
  /** Joins the items to one text, so that no item may contain it. */
  readonly separator?: string;
}

/** One argument of a tool. */
export interface Arg {
  readonly name: string;
  /** May be empty. */
  readonly description: string;
  readonly type: ArgType;
  readonly required: boolean;
  readonly default?: ArgValue;
  readonly enum?: readonly ArgValue[];
  /** Present for lists. */
  readonly list?: ListRules;
  /** The value whatever an agent sends; such an argument is shown to nobody. */
  readonly fixed?: ArgValue;
  /** Values that show what is meant. */
  readonly examples?: readonly ArgValue[];
  readonly role: ArgRole;
  /** Which characters a text, or each item of a list of texts, may have; absent: any. */
  readonly text?: TextRule;
  readonly limits?: Limits;
  readonly constraint?: Constraint;
}

/** What a tool belongs to, a program for example, as search and summary show it. */
export interface Owner {
  readonly name: string;
  /** May be empty. */
  readonly description: string;
  readonly category?: string;
  readonly tags: readonly string[];
}

/** What a call may change: nothing, something, or something that cannot be brought back. */
export type Effect = "read" | "write" | "destructive";

/** What a tool says of itself to clients, names as in MCP 2026-07-28, tool annotations. */
export interface Annotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** A picture, names as in MCP 2026-07-28. */
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

/** Where a tool comes from. Only the runner of that `kind` knows what else is in it. */
export interface Source {
  readonly kind: string;
}

/** The `kind` of the tools that are built in: they belong to no program. */
export const builtinKind = "builtin";

/** Whether `tool` is built in. */
export function isBuiltin({ source }: Pick<Tool, "source">): boolean {
  return source.kind === builtinKind;
}

/** One tool of the catalogue. */
export interface Tool {
  /** Unique in the catalogue. */
  readonly name: string;
  /** May be empty. */
  readonly description: string;
  readonly owner: Owner;
  /** What coercion and policy see. */
  readonly args: readonly Arg[];
  /** The schema that agents are shown, word for word; absent: the one that `args` come to. */
  readonly input?: ObjectSchema;
  /** The schema of structured results. */
  readonly output?: ObjectSchema;
  /** Whether keys that no argument has are passed on instead of ignored. */
  readonly isOpen?: boolean;
  /** Whether a call with a key that no argument has is refused. */
  readonly refusesUnknown?: boolean;
  /** Absent: unknown, which is treated as `write`. */
  readonly effect?: Effect;
  readonly annotations?: Annotations;
  /** What people are shown instead of the name. */
  readonly title?: string;
  /** Pictures for it, as MCP 2026-07-28 has them. */
  readonly icons?: readonly Icon[];
  /** Whether a person has to agree to each call. */
  readonly needsConsent?: boolean;
  /** What the person is asked then, besides the command line; `{name}` is an argument's value. */
  readonly question?: string;
  /** Requests in people's words that the tool answers, for search. */
  readonly examples?: readonly string[];
  /** Names it had: found and called, never shown. */
  readonly aliases?: readonly string[];
  /** Milliseconds a call may take. */
  readonly timeoutMs: number;
  /** Whether calls go on behind an answer at once; `false`: none ever does. */
  readonly background?: boolean;
  /** Milliseconds after which a call goes on behind an answer, 0: never; absent: the session's. */
  readonly softTimeoutMs?: number;
  readonly source: Source;
  /** Calls of this tool that may run at once; absent: as many as there are places. */
  readonly concurrency?: number;
  /** Bytes kept of the beginning, and as many of the end, of each stream; absent: the session's. */
  readonly keepBytes?: number;
  /** The rule of the policy that lets the tool be called; absent: there is no policy. */
  readonly rule?: string;
}
