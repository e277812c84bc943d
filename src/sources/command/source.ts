/** What a config says about how to run a tool's program; a tool has this as its `source`. */

import type { Sandbox } from "../../exec/sandbox_view.ts";
import type { SandboxRequest } from "../../exec/sandbox_request.ts";
import type { RecordFormat } from "../../files/select_file.ts";
import type { Select } from "../../files/selection.ts";
import type { SandboxRecord } from "../../tool/runner.ts";
import { type ArgValue, commandKind, type Source, type Tool } from "../../tool/tool.ts";
import type { ConfigFile } from "./schema.ts";

/** If a config sets no timeout, a call takes at most this many seconds. */
export const defaultTimeout = 30;

export interface CommandSource extends Source {
  readonly kind: typeof commandKind;
  /** True if the config may come from a stranger, and the person has not accepted the config. */
  readonly isForeign?: true;
  readonly command: readonly [string, ...string[]];
  /** How to tell by `--version` that the installed program is the one that the config means. */
  readonly program?: ConfigFile["program"];
  /** The order of the words on the command line; absent: positional arguments, then flags, as in the config. */
  readonly template?: readonly Piece[];
  readonly display?: Display;
  /** What the program prints; absent for plain text. */
  readonly output?: "image" | Structure;
  /** Fixed text for the standard input, used if no argument gives one. */
  readonly stdin?: string;
  /** Variables that the program gets beside those that it inherits. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of variables that the program inherits; absent if it inherits all. */
  readonly inheritEnv?: readonly string[];
  readonly hidesStderr?: boolean;
  /** The meanings of exit codes that are no failures, by code. */
  readonly exitCodes?: Readonly<Record<string, string>>;
  /** Arguments for a second, wider run if a call finds nothing. */
  readonly retryWith?: Readonly<Record<string, ArgValue>>;
  readonly masksUrlCredentials?: boolean;
  /** The directory in which a call runs if no argument names one; absent: the served folder. */
  readonly workingDir?: string;
  /** The directory in which the program always starts; the call's directory is then passed as an argument. */
  readonly startIn?: string;
  /** The rights that the program asks for in its sandbox; it gets them only if the config is a bundled one. */
  readonly sandboxRequest?: SandboxRequest;
  readonly privateItems?: ReadonlyMap<string, readonly string[]>;
  /** The words of the config's `global_args`, which are added to each command line. */
  readonly globalArgs: readonly string[];
}

/** How a trial shows the effect of a call: by a boolean argument of the tool, or by another command line. */
export type Display = { readonly arg: string } | Pick<CommandTool, "args" | "source">;

export type Piece =
  | { readonly kind: "rest" }
  /** A helper is a program of climax. It starts in the folder of the tool and enters other folders by itself. */
  | { readonly kind: "helper"; readonly name: string }
  | { readonly kind: "token"; readonly parts: readonly Part[] }
  | { readonly kind: "condition"; readonly arg: string; readonly isGiven: boolean }
  /** Pieces of a command line that are left out together if an argument among them has no value. */
  | { readonly kind: "group"; readonly pieces: readonly Piece[] };

export type Part = string | Placeholder;

export interface Placeholder {
  readonly arg: string;
  /** True for `{name?}`, whose word is left out if the argument has no value. */
  readonly isOptional: boolean;
}

export interface Structure extends RecordFormat {
  readonly select?: Select;
}

export interface CommandTool extends Tool {
  readonly source: CommandSource;
}

export function commandSourceOf(tool: Tool): CommandSource {
  return tool.source as CommandSource;
}

/** Matches names of environment variables whose values are probably secret. */
export const secretName =
  /(?:^|_)(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY)(?:_|$)/i;

export function describeSandbox(
  { write, read, hide, network }: Omit<Sandbox, "creates">,
): SandboxRecord {
  return {
    write,
    ...(read.includes("/") ? {} : { read }),
    ...(hide.length === 0 ? {} : { hide }),
    network,
  };
}
