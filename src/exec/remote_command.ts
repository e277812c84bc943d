/** The input of an executor for a run elsewhere, and the command line of its client. */

import type { Cleanup } from "./cleanup.ts";
import type { Token } from "./invocation.ts";

/** The parts of a run elsewhere that the tool decides. */
export interface RemoteCommandOptions {
  /** A unique id of the run. */
  readonly id: string;
  readonly env: Readonly<Record<string, string>>;
  /** The directory that an argument names; relative to that of the executor. */
  readonly cwd?: Token | undefined;
  readonly stdin?: string | undefined;
  readonly timeoutMs: number;
}

/** The command line of a client. */
export interface RemoteCommandLine {
  readonly argv: readonly [string, ...string[]];
  /** For logs: with `***` for secret values. */
  readonly shown: readonly string[];
  /** Input of the client. */
  readonly stdin?: string;
  /** Variables of the client, in addition to those it inherits. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cleanup: Cleanup;
}

/**
 * Sends a command line as a script for a POSIX shell elsewhere, over standard input, in front of the input of the
 * program: a command line is visible to all users of the machine, has a length limit, and would be read by the shell
 * of the account.
 */
interface RemoteCommand {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
  readonly stdin?: string | undefined;
}

interface RemoteInput {
  /** For `sh -c`; all shells read its characters the same within single quotes. */
  readonly loader: string;
  readonly stdin: string;
}

/** The exit code for a missing directory: that of a program that cannot be run. */
const noDirectory = 126;

export function remoteInput({ argv, env, cwd, stdin = "" }: RemoteCommand): RemoteInput {
  const lines = [
    ...Object.entries(env).map(([name, value]) => `export ${name}=${quoteForShell(value)}`),
    ...(cwd === undefined ? [] : [`cd -- ${quoteForShell(cwd)} || exit ${noDirectory}`]),
    `exec ${argv.map(quoteForShell).join(" ")}`,
  ];
  return inputOf(lines.join("\n"), stdin);
}

export function inputOf(script: string, stdin = ""): RemoteInput {
  const { length } = new TextEncoder().encode(script);
  // Byte by byte: the input of the program follows the script
  const loader = `eval "$(dd bs=1 count=${length} 2>/dev/null)"`;
  return { loader, stdin: script + stdin };
}

/** A script that ends all processes with `marker` (`NAME=VALUE`) in their environment; Linux only. */
export function endingScript(marker: string): string {
  return `found() {
  for file in /proc/[0-9]*/environ; do
    if tr '\\0' '\\n' < "$file" 2> /dev/null | grep -qx ${quoteForShell(marker)}; then
      id=\${file#/proc/}
      echo "\${id%/environ}"
    fi
  done
}
kill -TERM $(found) 2> /dev/null
for wait in 1 2 3 4; do
  [ -z "$(found)" ] && exit 0
  sleep 0.5
done
kill -KILL $(found) 2> /dev/null
exit 0`;
}

/** `text` as one word for a POSIX shell. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
