/** The portable form of the program: a line that starts Deno, the build info, and the code. */

import { type BuildInfo, buildInfoKey } from "../process/build_info.ts";
import { type ClimaxError, FileError } from "../errors.ts";
import { isPlain, shellWord } from "../text/shell_word.ts";

/** Bytes of a first line in Linux (`BINPRM_BUF_SIZE`); a cut permission may be a wider one. */
const maxFirstLineBytes = 255;

/** Without the last flag, Deno imports from a few trusted sites, even with `--deny-import` (2.9.6). */
const interpreter = ["deno", "run", "--no-config", "--no-prompt", "--no-remote", "--no-npm"];

const infoStart = `globalThis[Symbol.for("${buildInfoKey}")]=JSON.parse(`;

/** Creates a script. A sealed one is started by the Deno at `otherwise` when PATH has none. */
export function portableScript(
  code: string,
  info: BuildInfo,
  flags: readonly string[],
  otherwise?: string,
): string {
  const command = [...interpreter, ...flags];
  const start = info.sealed === undefined
    ? beginning(command)
    : throughShell(command, { without: loaderVariables, otherwise });
  return `${start}${infoLine(info)}${code}`;
}

/** Variables that make Deno load, allow or report more (2.9). A sealed server removes them. */
const loaderVariables: readonly string[] = [
  "NODE_OPTIONS",
  "DENO_PERMISSION_BROKER_PATH",
  "DENO_COVERAGE_DIR",
  "DENO_AUDIT_PERMISSIONS",
  "DENO_TRACE_PERMISSIONS",
  "DENO_V8_FLAGS",
  "OTEL_DENO",
];

/** Returns the code in a script of {@linkcode portableScript}. */
export function moduleCodeOf(script: string): string {
  const info = script.indexOf(`\n${infoStart}`) + 1;
  return script.slice(script.indexOf("\n", info) + 1);
}

/** A first line that starts Deno, or a shell that starts it when the line would be too long. */
function beginning(command: readonly string[]): string {
  const short = `#!/usr/bin/env -S ${command.map(quoteForEnv).join(" ")}`;
  const { length } = new TextEncoder().encode(short);
  if (length <= maxFirstLineBytes) return `${short}\n`;
  return throughShell(command);
}

interface Beginning {
  /** Variables to remove from the environment. */
  readonly without?: readonly string[];
  readonly otherwise?: string | undefined;
}

/** A text and a comment in JavaScript; in a shell, it removes variables and executes Deno. */
function throughShell(
  [program, ...args]: readonly string[],
  { without = [], otherwise }: Beginning = {},
): string {
  const unset = without.length === 0 ? "" : `unset ${without.join(" ")}; `;
  const [found, find] = otherwise === undefined
    ? [program, ""]
    : ['"$deno"', `deno=$(command -v deno) || deno=${commentWord(otherwise)}; `];
  const words = args.map(commentWord).join(" ");
  return `#!/bin/sh\n":" //; ${unset}${find}exec ${found} ${words} "$0" "$@"\n`;
}

/** Quotes a shell word inside a comment of JavaScript, which these characters would end. */
function commentWord(word: string): string {
  if (/[\n\r\0\u2028\u2029]/.test(word)) throw refusal(word);
  return shellWord(word, "posix");
}

/** The JSON is in a string, so that no text in it can be code or end the line. */
function infoLine(info: BuildInfo): string {
  const json = JSON.stringify(JSON.stringify(info));
  return `${infoStart}${asciiOf(json)});\n`;
}

/**
 * Escapes every character of `code` beyond ASCII with the same meaning in a string, a template, a regular
 * expression and a name; only `String.raw` sees a difference. With one other character V8 stores the whole
 * file in two bytes a character, which costs a tenth of a start.
 */
export function asciiOf(code: string): string {
  return code.replace(/[^\0-\x7f]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** Quotes a word for `env -S`, which splits at spaces and knows double quotes (GNU coreutils, FreeBSD). */
function quoteForEnv(word: string): string {
  if (isPlain(word)) return word;
  if (/["\\$\n\r\0\u2028\u2029]/.test(word)) throw refusal(word);
  return `"${word}"`;
}

function refusal(word: string): ClimaxError {
  const message = `'${word}' cannot stand in the first line of a script`;
  const hint = "Rename the file, or leave out --portable";
  return new FileError("Nothing was built", { message, hint });
}
