/**
 * What tests take from the machine besides Deno, Node.js and git: programs that may be missing. A test
 * whose program is missing is ignored, and the end of the run names the program.
 */

/** Part of the definition of a test. */
export interface Requirement {
  readonly ignore: boolean;
}

/**
 * Looks whether programs are here: each starts with its arguments and ends with exit code 0.
 *
 * @example `Deno.test({ name, ...await programs({ nginx: ["-v"] }), fn })`
 */
export async function programs(
  needed: Readonly<Record<string, readonly string[]>>,
): Promise<Requirement> {
  const found = await Promise.all(
    Object.entries(needed).map(([program, args]) => isHere(program, args)),
  );
  const missing = Object.keys(needed).filter((_, index) => !found[index]);
  missing.forEach(recordMissing);
  return { ignore: missing.length > 0 };
}

/** A test of links, modes, signals or a shell, which Windows has otherwise or not at all. */
export function unixTest(name: string, fn: (context: Deno.TestContext) => void | Promise<void>) {
  Deno.test({ name, ignore: Deno.build.os === "windows", fn });
}

/** For tests of whole process trees: what lists processes, and what ends them. */
export const processTools: Requirement = Deno.build.os === "windows"
  ? { ignore: true }
  : await programs({ ps: ["-A", "-o", "pid="], kill: ["-l"] });

/** For what is not a program: a test runs where `isThere`, and the end of the run names it elsewhere. */
export function needs(name: string, isThere: boolean): Requirement {
  if (!isThere) recordMissing(name);
  return { ignore: !isThere };
}

/** Whether a program starts here and ends with exit code 0. */
export async function isHere(program: string, args: readonly string[]): Promise<boolean> {
  const output = await outputOf(program, args);
  return output?.success ?? false;
}

/** What a program prints and how it ends; `undefined` if it is missing, which Deno throws at once. */
export async function outputOf(
  program: string,
  args: readonly string[],
): Promise<Deno.CommandOutput | undefined> {
  try {
    return await new Deno.Command(program, { args: [...args], stdin: "null" }).output();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.PermissionDenied) {
      return undefined;
    }
    throw error;
  }
}

/** Has the end of the run say that something was missing. `build/test.ts` reads the file. */
export function recordMissing(name: string): void {
  const file = Deno.env.get("CLIMAX_TEST_MISSING");
  if (file) Deno.writeTextFileSync(file, `${name}\n`, { append: true });
}
