/** Reads the arguments of a build task: a few options of its own, and Deno flags for the program it builds. */

/** Options by name, without their dashes, and everything else in order. */
export interface BuildArguments {
  readonly options: ReadonlyMap<string, string>;
  readonly flags: readonly string[];
}

/**
 * Reads `args`, where each of `names` may stand as `--name value`.
 *
 * @param words Other words with dashes, in addition to permissions
 * @throws for any other option, which would become a flag of the program
 */
export function buildArguments(
  args: readonly string[],
  names: readonly string[],
  words: readonly string[] = [],
): BuildArguments {
  const options = new Map<string, string>();
  const flags: string[] = [];
  for (let position = 0; position < args.length; position++) {
    const arg = args[position]!;
    const name = arg.replace(/^--/, "");
    if (names.includes(name)) {
      options.set(name, args[++position] ?? "");
    } else if (/^--(?!allow-|deny-)/.test(arg) && !words.includes(arg)) {
      const known = [...names.map((each) => `--${each}`), ...words].join(", ");
      throw new Error(`There is no option '${arg}': expected ${known}, or permissions`);
    } else {
      flags.push(arg);
    }
  }
  return { options, flags };
}
