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
 * @example `(await programs({ nginx: ["-v"] })).test("nginx answers", fn)`
 */
export async function programs(
  needed: Readonly<Record<string, readonly string[]>>,
): Promise<Tests> {
  const found = await Promise.all(
    Object.entries(needed).map(([program, args]) => isHere(program, args)),
  );
  const missing = Object.keys(needed).filter((_, index) => !found[index]);
  missing.forEach(recordMissing);
  return testsUnless(missing.length > 0);
}

/** A requirement, and what defines tests that run only where it is met. */
export interface Tests extends Requirement {
  readonly test: (name: string, fn: Deno.TestDefinition["fn"]) => void;
}

/** Makes what defines tests that run unless `ignore` is true. */
export function testsUnless(ignore: boolean): Tests {
  return { ignore, test: (name, fn) => Deno.test({ name, ignore, fn }) };
}

/** For tests of links, modes, signals or a shell, which Windows has otherwise or not at all. */
export const unix: Tests = testsUnless(Deno.build.os === "windows");

/** For tests of what only Linux has. */
export const linux: Tests = testsUnless(Deno.build.os !== "linux");

/** Defines a test of {@linkcode unix}. */
export const unixTest = unix.test;

/** For tests of whole process trees: what lists processes, and what ends them. */
export const processTools: Tests = unix.ignore
  ? unix
  : await programs({ ps: ["-A", "-o", "pid="], kill: ["-l"] });

/** For what is not a program: a test runs where `isThere`, and the end of the run names it elsewhere. */
export function needs(name: string, isThere: boolean): Tests {
  if (!isThere) recordMissing(name);
  return testsUnless(!isThere);
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
