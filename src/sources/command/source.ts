/** The source of a tool of a command-line program, stored in `tool.source`. */

import type { Sandbox } from "../../exec/sandbox_view.ts";
import type { SandboxRequest } from "../../exec/sandbox_request.ts";
import type { RecordFormat } from "../../files/select_file.ts";
import type { Select } from "../../files/selection.ts";
import type { SandboxRecord } from "../../tool/runner.ts";
import { type ArgValue, commandKind, type Source, type Tool } from "../../tool/tool.ts";
import type { ConfigFile } from "./schema.ts";

/** The timeout in seconds if the config has none. */
export const defaultTimeout = 30;

export interface CommandSource extends Source {
  readonly kind: typeof commandKind;
  /** The config may be a stranger's, and is not accepted. */
  readonly isForeign?: true;
  /** The program and its subcommands, one word each, with their variables expanded. */
  readonly command: readonly [string, ...string[]];
  /** Recognises the program among others of its name; absent: no other is known. */
  readonly program?: ConfigFile["program"];
  /** The order of the words; absent for positional arguments, then flags, as they are defined. */
  readonly template?: readonly Piece[];
  readonly display?: Display;
  /** The format of what the program prints; absent for plain text. */
  readonly output?: "image" | Structure;
  /** The standard input, if no argument gives it. */
  readonly stdin?: string;
  /** The variables that are added to the inherited ones. */
  readonly env: Readonly<Record<string, string>>;
  /** The names of the inherited variables; absent: all. */
  readonly inheritEnv?: readonly string[];
  /** True if the standard error of the program is discarded unread. */
  readonly hidesStderr?: boolean;
  /** The meanings of exit codes that are no failures, such as 1 of grep. */
  readonly exitCodes?: Readonly<Record<string, string>>;
  /** The values of a second run, for calls that find nothing. */
  readonly retryWith?: Readonly<Record<string, ArgValue>>;
  /** Removes credentials in URLs from results. */
  readonly masksUrlCredentials?: boolean;
  /** The directory if no argument gives one; absent: that of the server. */
  readonly workingDir?: string;
  /** The program starts in this directory, and gets the directory of the call as an argument of the template. */
  readonly startIn?: string;
  /** The rights that the program needs in its sandbox. Only configs that come with climax can widen a sandbox. */
  readonly sandboxRequest?: SandboxRequest;
  /** The items of fixed lists, by argument, that stand for one item for each private name. */
  readonly privateItems?: ReadonlyMap<string, readonly string[]>;
  /** The words that follow all arguments of a call: the `global_args` of the config. */
  readonly globalArgs: readonly string[];
}

/** The way to show the effect of a call: a boolean argument of it, or another command line. */
export type Display = { readonly arg: string } | Pick<CommandTool, "args" | "source">;

/** One element of a template. */
export type Piece =
  | { readonly kind: "rest" }
  /** The text of a program that comes with climax. It starts in the folder of the tool, and goes to others itself. */
  | { readonly kind: "helper"; readonly name: string }
  | { readonly kind: "token"; readonly parts: readonly Part[] }
  /** A condition is no token: its group is omitted unless the argument has a value, or has none. */
  | { readonly kind: "condition"; readonly arg: string; readonly isGiven: boolean }
  /** A group is omitted as a whole if an argument in it is absent. */
  | { readonly kind: "group"; readonly pieces: readonly Piece[] };

/** Text, or the argument whose value it has. */
export type Part = string | Placeholder;

/** A placeholder for the value of an argument. */
export interface Placeholder {
  readonly arg: string;
  /** True if the placeholder is written with `?`. */
  readonly isOptional: boolean;
}

export interface Structure extends RecordFormat {
  /** The part of the values in a result; absent: all of them. */
  readonly select?: Select;
}

export interface CommandTool extends Tool {
  readonly source: CommandSource;
}

export function commandSourceOf(tool: Tool): CommandSource {
  return tool.source as CommandSource;
}

/** Variables with such names hold secrets. */
export const secretName =
  /(?:^|_)(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY)(?:_|$)/i;

/** Returns the rights that `sandbox` leaves. */
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
