/**
 * The portable form of the program: a beginning that starts Deno with named permissions, a line that
 * says how it was built, and the bundled code.
 */

import { asciiOf } from "./ascii.ts";
import { type BuildInfo, buildInfoKey } from "../process/build_info.ts";
import { ClimaxError, ExitCode } from "../errors.ts";
import { isPlain, shellWord } from "../text/shell_word.ts";

/**
 * Bytes of a first line that Linux reads (`BINPRM_BUF_SIZE`); it cuts the rest off without a word, and
 * a permission that is cut may be a wider one. Other systems read more.
 */
const maxFirstLineBytes = 255;

/** Without the last, Deno imports from a few sites it trusts, with `--deny-import` too (2.9.6). */
const interpreter = ["deno", "run", "--no-config", "--no-prompt", "--no-remote", "--no-npm"];

const infoStart = `globalThis[Symbol.for("${buildInfoKey}")]=JSON.parse(`;

/**
 * A whole script. A sealed one is started by the Deno at `otherwise`, an absolute path, where no `deno`
 * is on PATH.
 */
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

/**
 * Variables by which whoever starts a script has Deno load more, allow more or tell more (Deno 2.9). A
 * sealed server is started without them.
 */
const loaderVariables: readonly string[] = [
  "NODE_OPTIONS",
  "DENO_PERMISSION_BROKER_PATH",
  "DENO_COVERAGE_DIR",
  "DENO_AUDIT_PERMISSIONS",
  "DENO_TRACE_PERMISSIONS",
  "DENO_V8_FLAGS",
  "OTEL_DENO",
];

/** The code of a script that {@linkcode portableScript} made. */
export function codeOf(script: string): string {
  const info = script.indexOf(`\n${infoStart}`) + 1;
  return script.slice(script.indexOf("\n", info) + 1);
}

/** A first line that starts Deno, or a shell that does where that would be cut. */
function beginning(command: readonly string[]): string {
  const short = `#!/usr/bin/env -S ${command.map(quoteForEnv).join(" ")}`;
  const { length } = new TextEncoder().encode(short);
  if (length <= maxFirstLineBytes) return `${short}\n`;
  return throughShell(command);
}

interface Beginning {
  /** Variables to be taken out of the environment. */
  readonly without?: readonly string[];
  readonly otherwise?: string | undefined;
}

/**
 * A line that is a text and a comment to JavaScript, and to a shell a command that does nothing, one
 * that takes variables out of the environment, and one that becomes Deno.
 */
function throughShell(
  [program, ...args]: readonly string[],
  { without = [], otherwise }: Beginning = {},
): string {
  const unset = without.length === 0 ? "" : `unset ${without.join(" ")}; `;
  const [found, find] = otherwise === undefined
    ? [program, ""]
    : ['"$deno"', `deno=$(command -v deno) || deno=${commentedWord(otherwise)}; `];
  const words = args.map(commentedWord).join(" ");
  return `#!/bin/sh\n":" //; ${unset}${find}exec ${found} ${words} "$0" "$@"\n`;
}

/** One word for a shell that stands in a comment of JavaScript, which these characters would end. */
function commentedWord(word: string): string {
  if (/[\n\r\0\u2028\u2029]/.test(word)) throw refusal(word);
  return shellWord(word);
}

/** JSON stands in a string, so that no text in it can be code, nor end the line. */
function infoLine(info: BuildInfo): string {
  const json = JSON.stringify(JSON.stringify(info));
  return `${infoStart}${asciiOf(json)});\n`;
}

/** One word for `env -S`, which splits at spaces and knows double quotes (GNU coreutils, FreeBSD). */
function quoteForEnv(word: string): string {
  if (isPlain(word)) return word;
  if (/["\\$\n\r\0\u2028\u2029]/.test(word)) throw refusal(word);
  return `"${word}"`;
}

function refusal(word: string): ClimaxError {
  const message = `'${word}' cannot stand in the first line of a script`;
  const hint = "Rename the file, or leave out --portable";
  return new ClimaxError("Nothing was built", ExitCode.file, [{ message, hint }]);
}
