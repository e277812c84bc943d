/** The `tool.source` of a tool of a command-line program: what its config says of running it. */

import type { Sandbox } from "../../exec/sandbox_view.ts";
import type { SandboxRequest } from "../../exec/sandbox_request.ts";
import type { RecordFormat } from "../../files/select_file.ts";
import type { Select } from "../../files/selection.ts";
import type { SandboxRecord } from "../../tool/runner.ts";
import { type ArgValue, commandKind, type Source, type Tool } from "../../tool/tool.ts";
import type { ConfigFile } from "./schema.ts";

/** The timeout in seconds, if the config sets none. */
export const defaultTimeout = 30;

export interface CommandSource extends Source {
  readonly kind: typeof commandKind;
  /** True if the config may come from a stranger, and the person has not accepted it. */
  readonly isForeign?: true;
  readonly command: readonly [string, ...string[]];
  /** How to tell by `--version` that the installed program is the one that the config means. */
  readonly program?: ConfigFile["program"];
  /** The order of the words; absent: positional arguments, then flags, in the order of the config. */
  readonly template?: readonly Piece[];
  readonly display?: Display;
  /** What the program prints; absent for plain text. */
  readonly output?: "image" | Structure;
  /** Fixed text for the standard input, used if no argument gives one. */
  readonly stdin?: string;
  /** Variables for the program beside the inherited ones. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of variables that the program inherits; absent if it inherits all. */
  readonly inheritEnv?: readonly string[];
  readonly hidesStderr?: boolean;
  /** The meanings of exit codes that are no failures. */
  readonly exitCodes?: Readonly<Record<string, string>>;
  /** Arguments for a second, wider run if a call finds nothing. */
  readonly retryWith?: Readonly<Record<string, ArgValue>>;
  readonly masksUrlCredentials?: boolean;
  /** The directory of a call if no argument names one; absent: the served folder. */
  readonly workingDir?: string;
  /** The directory in which the program always starts; the call's directory is then passed as an argument. */
  readonly startIn?: string;
  /** The rights that the program needs in its sandbox. Only those of a bundled config have an effect. */
  readonly sandboxRequest?: SandboxRequest;
  /** By argument, items of a list with `{private}`, each of which climax repeats for every private file name. */
  readonly privateItems?: ReadonlyMap<string, readonly string[]>;
  /** The `global_args` of the config as words. They follow the arguments of each call. */
  readonly globalArgs: readonly string[];
}

/** How to show the effect of a call: by a boolean argument of the tool, or by another command line. */
export type Display = { readonly arg: string } | Pick<CommandTool, "args" | "source">;

export type Piece =
  | { readonly kind: "rest" }
  /** The text of a helper, a program of climax: it starts in the folder of the tool, and goes to others itself. */
  | { readonly kind: "helper"; readonly name: string }
  | { readonly kind: "token"; readonly parts: readonly Part[] }
  /** Its group is left out unless the argument has a value, or with `isGiven: false`, unless the argument has none. */
  | { readonly kind: "condition"; readonly arg: string; readonly isGiven: boolean }
  /** Pieces of a command line that are left out together if an argument among them has no value. */
  | { readonly kind: "group"; readonly pieces: readonly Piece[] };

export type Part = string | Placeholder;

export interface Placeholder {
  readonly arg: string;
  /** True for `{name?}`: its word is left out if the argument has no value. */
  readonly isOptional: boolean;
}

export interface Structure extends RecordFormat {
  /** Selects which values are in a result; absent: all. */
  readonly select?: Select;
}

export interface CommandTool extends Tool {
  readonly source: CommandSource;
}

export function commandSourceOf(tool: Tool): CommandSource {
  return tool.source as CommandSource;
}

/** Matches names of environment variables that probably hold secrets. */
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
