/**
 * What a program is called by, apart from where it is. `Deno.Command` has no option for it that is
 * public; its implementation takes one under a symbol, which is how `node:child_process` passes its
 * `argv0`. That module itself is no way: it wants the whole environment readable and changes
 * arguments that look like those of Deno. Where the symbol is not found, programs are called by
 * their path, and nothing else is different.
 */

let symbol: symbol | undefined | "unknown" = "unknown";

/** The option of `Deno.Command` that calls a program by `name`. */
export function withArgv0(name: string): Deno.CommandOptions {
  if (symbol === "unknown") symbol = findSymbol();
  return symbol === undefined ? {} : { [symbol]: name } as Deno.CommandOptions;
}

/** Options are asked for each key there is before anything is started, and here the asking ends. */
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
    // It was found, or there is no program without a name
  }
  return found;
}
