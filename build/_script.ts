/** The portable form of the program: a line that starts Deno, a line that says how it was built, and the code. */

import { formKey } from "../src/process/build_info.ts";
import { isPlain } from "../src/text/shell_word.ts";
import { notBuilt } from "./_problems.ts";

/** Bytes of a first line in Linux (`BINPRM_BUF_SIZE`); a cut permission may be a wider one. */
const maxFirstLineBytes = 255;

/** Without the last flag, Deno imports from a few trusted sites, even with `--deny-import` (2.9.6). */
const interpreter = ["deno", "run", "--no-config", "--no-prompt", "--no-remote", "--no-npm"];

/** Creates a script that Deno runs with `flags`. @throws {ClimaxError} when they do not fit into its first line */
export function portableScript(code: string, flags: readonly string[]): string {
  const line = `#!/usr/bin/env -S ${[...interpreter, ...flags].join(" ")}`;
  // `env` splits at spaces, and has a quoting of its own
  const odd = flags.find((flag) => !isPlain(flag));
  if (odd !== undefined) {
    throw notBuilt(`'${odd}' cannot stand in the first line of a script`, "Give another flag");
  }
  if (line.length > maxFirstLineBytes) {
    throw notBuilt("The first line of the script is longer than Linux reads", "Give fewer flags");
  }
  return `${line}\nglobalThis[Symbol.for("${formKey}")]="portable";\n${code}`;
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
