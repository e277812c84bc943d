/** Reads the arguments of a build task: a few options of its own, and Deno flags for the program it builds. */

/** Options by name, without their dashes, and everything else in order. */
export interface BuildArguments {
  readonly options: ReadonlyMap<string, string>;
  readonly flags: readonly string[];
}

/** Reads `args`, where each of `names` may stand as `--name value`. */
export function buildArguments(
  args: readonly string[],
  names: readonly string[],
): BuildArguments {
  const options = new Map<string, string>();
  const flags: string[] = [];
  for (let position = 0; position < args.length; position++) {
    const name = args[position]!.replace(/^--/, "");
    if (!names.includes(name)) flags.push(args[position]!);
    else options.set(name, args[++position] ?? "");
  }
  return { options, flags };
}
