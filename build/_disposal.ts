/**
 * Checks that minifying kept every `using`: the minifier inlines a name that is used once, and the resource
 * is never disposed then (esbuild 0.25.5).
 */

import { notBuilt } from "./_problems.ts";

/**
 * Compares the code before and after minifying.
 *
 * @throws {ClimaxError} when declarations with `using` are missing from `short`
 */
export function requireDisposal(whole: string, short: string): void {
  const declared = countUsing(whole);
  const missing = declared - countUsing(short);
  if (missing === 0) return;
  throw notBuilt(
    `The bundler lost declarations with 'using': ${missing} of ${declared}`,
    "Close what is used once in a 'finally'",
  );
}

function countUsing(code: string): number {
  return code.match(/\busing [\w$]+ ?=/g)?.length ?? 0;
}
