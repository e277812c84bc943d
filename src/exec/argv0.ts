/**
 * Sets the name that a program is started by, apart from its path. `Deno.Command` has no public option for it; its
 * implementation takes one under a symbol, as `node:child_process` does for `argv0`. That module cannot be used: it
 * needs permission for the whole environment and changes arguments that look like those of Deno. Without the symbol,
 * programs are started by their path, and nothing else changes.
 */

let symbol: symbol | undefined | "unknown" = "unknown";

export function withArgv0(name: string): Deno.CommandOptions {
  if (symbol === "unknown") symbol = findSymbol();
  return symbol === undefined ? {} : { [symbol]: name } as Deno.CommandOptions;
}

/** `Deno.Command` reads every option first; the error of this getter stops it before anything starts. */
function findSymbol(): symbol | undefined {
  let found: symbol | undefined;
  const options = new Proxy({}, {
    get(_, key) {
      if (typeof key !== "symbol" || key.description !== "argv0") return undefined;
      found = key;
      throw new Error("found");
    },
  });
  try {
    new Deno.Command("", options).outputSync();
  } catch {
    // The symbol was found, or the error is about the missing program
  }
  return found;
}
