/** How a tool of a command-line program is started: what this source keeps in `tool.source`. */

import type { RecordFormat } from "../../files/record_format.ts";
import type { Select } from "../../files/selection.ts";
import type { Source, Tool } from "../../tool/tool.ts";
import type { Piece } from "./template.ts";

/** The `kind` of this source's sources. */
export const commandKind = "command";

/** Seconds a tool may take when its config does not say. */
export const defaultTimeout = 30;

/** How a tool of a command-line program is started. */
export interface CommandSource extends Source {
  readonly kind: typeof commandKind;
  /** Base command and subcommand, one token each, variables expanded. */
  readonly command: readonly [string, ...string[]];
  /** Where the arguments stand; absent: positionals, then flags, in definition order. */
  readonly template?: readonly Piece[];
  /** What the program prints, where that is more than a text. */
  readonly output?: "image" | Structure;
  /** Text for the program's standard input, unless an argument is. */
  readonly stdin?: string;
  /** Variables added to the environment the command inherits. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of the variables that are inherited; absent: all. */
  readonly inheritEnv?: readonly string[];
  /** Whether what the program writes to its standard error is discarded unread. */
  readonly hidesStderr?: boolean;
  /** Whether credentials in URLs are taken out of results. */
  readonly masksUrlCredentials?: boolean;
  /** Directory the command runs in, unless an argument says otherwise; absent: the server's own. */
  readonly workingDir?: string;
  /** Where it is started instead, and told of that directory by a place in the template. */
  readonly startIn?: string;
  /** Tokens appended after every argument, from the config's `global_args`. */
  readonly globalArgs: readonly string[];
}

/** Values that a program prints. */
export interface Structure extends RecordFormat {
  /** What of the values a result has; absent: all of them. */
  readonly select?: Select;
}

/** A tool of this source. */
export interface CommandTool extends Tool {
  readonly source: CommandSource;
}

/** The source of a tool of this source. */
export function sourceOf(tool: Tool): CommandSource {
  return tool.source as CommandSource;
}
