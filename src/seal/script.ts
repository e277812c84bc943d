/**
 * The portable form of the program: a first line that starts Deno with named permissions, a line
 * that says how it was built, and the bundled code.
 */

import { type BuildInfo, buildInfoKey } from "../build_info.ts";
import { ClimaxError, ExitCode } from "../errors.ts";

/** A whole script. */
export function portableScript(code: string, info: BuildInfo, flags: readonly string[]): string {
  const interpreter = ["deno", "run", "--no-config", "--no-prompt", ...flags].map(quote).join(" ");
  return `#!/usr/bin/env -S ${interpreter}\n${infoLine(info)}\n${code}`;
}

/** The code of a script that {@linkcode portableScript} made. */
export function codeOf(script: string): string {
  return script.slice(script.indexOf("\n", script.indexOf("\n") + 1) + 1);
}

/** JSON stands in a string, so that no text in it can be code. */
function infoLine(info: BuildInfo): string {
  const json = JSON.stringify(JSON.stringify(info));
  return `globalThis[Symbol.for("${buildInfoKey}")]=JSON.parse(${escapeSeparators(json)});`;
}

/** These end a line of JavaScript, as the parts of a script that reads lines see it. */
function escapeSeparators(json: string): string {
  return json.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** One word for `env -S`, which splits at spaces and knows double quotes (GNU coreutils, FreeBSD). */
function quote(word: string): string {
  if (/^[\w\-=,./:@%+~]+$/.test(word)) return word;
  if (/["\\$\n\r\0]/.test(word)) {
    const message = `'${word}' cannot stand in the first line of a script`;
    const hint = "Rename the file, or leave out --portable";
    throw new ClimaxError("Nothing was built", ExitCode.file, [{ message, hint }]);
  }
  return `"${word}"`;
}
