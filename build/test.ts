/**
 * Runs tests, and then prints which programs the machine lacks and the counts: `deno task test [FILE…]`
 * runs all but those in `tests/slow/`, `deno task test-slow` those. Files that are named run in either.
 * Exit code: that of `deno test`.
 */

import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { startMs, startVariable } from "../tests/_wait.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const isLinux = Deno.build.os === "linux";

/** The folder of the slow tests: attacks, what is made and installed, clients and servers of others. */
const slowFolder = "tests/slow/";

/** The fewest tests of a whole lane on Linux, so that a table of tests that has lost its rows is noticed. */
const leastTests = { fast: 5000, slow: 530 };

/** Files that need modules of their own: a sandbox that was made once is not tried again, and what stays open is to be
 * of that file. */
const ownFiles: readonly string[] = [
  "tests/cli/main_test.ts",
  "tests/e2e/sandbox_commands_test.ts",
];

/** The permissions of tests. */
export const permissions: readonly string[] = [
  ...["--allow-read", "--allow-write", "--allow-env", "--allow-run", "--allow-sys"],
  "--allow-net=127.0.0.1,localhost",
];

/** The counts in the summary of `deno test`. */
interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly ignored: number;
}

type Lane = keyof typeof leastTests;

if (import.meta.main) {
  const missing = await Deno.makeTempFile({ prefix: "climax-missing-" });
  try {
    const [lane, ...args] = Deno.args;
    if (lane !== "fast" && lane !== "slow") {
      throw new Error(`The lane must be fast or slow: ${lane}`);
    }
    const isWhole = args.every((arg) => arg.startsWith("-"));
    const all = isWhole ? filesOf(lane) : [];
    // Attacks and servers of others have not been tried together
    const files = lane === "fast" ? await groupsOf(all) : all;
    const { code, text } = await runTests([...args, ...files], missing);
    const names = new Set((await Deno.readTextFile(missing)).split("\n").filter((name) => name));
    if (names.size > 0) print(`Tests were ignored for want of: ${[...names].sort().join(", ")}\n`);
    const { passed, failed, ignored } = countsOf(text);
    const sum = passed + failed + ignored;
    const isShort = isLinux && args.length === 0 && sum < leastTests[lane];
    if (isShort) print(`${sum} tests, but build/test.ts has ${leastTests[lane]} as the fewest\n`);
    // `.ci/run` reads the last line
    print(`${passed} passed, ${failed} failed, ${ignored} skipped\n`);
    Deno.exitCode = isShort ? 1 : code;
  } finally {
    await Deno.remove(missing);
  }
}

/** The test files of a lane, and for the fast one `src`, whose examples are tests. */
export function filesOf(lane: Lane): readonly string[] {
  const files = testFiles(join(root, "tests"));
  if (lane === "slow") return files.filter((file) => file.startsWith(slowFolder));
  // By name, since `--ignore` of several files does not hold beside several folders in Deno 2.9.6
  return ["src", ...files.filter((file) => !file.startsWith(slowFolder))];
}

/**
 * Makes files that import several of `files` each, and returns their paths: `deno test` loads all modules for each
 * file that it is given, which takes half a second of computing. What waits for programs comes first.
 */
async function groupsOf(files: readonly string[]): Promise<readonly string[]> {
  const folder = join(root, "dist", "test", "groups");
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  await Deno.mkdir(folder, { recursive: true });
  const isLong = (file: string) => file.startsWith("tests/e2e/");
  const isGrouped = (file: string) => file.endsWith("_test.ts") && !ownFiles.includes(file);
  const grouped = files.filter(isGrouped);
  const groups = [
    ...chunksOf(grouped.filter(isLong), 4),
    ...chunksOf(grouped.filter((file) => !isLong(file)), 12),
  ].map((members, index) => {
    const path = join(folder, `${index}_test.ts`);
    Deno.writeTextFileSync(
      path,
      members.map((file) => `import "../../../${file}";\n`).join(""),
    );
    return path;
  });
  return [...files.filter((file) => !isGrouped(file)), ...groups];
}

function chunksOf(files: readonly string[], size: number): string[][] {
  return Array.from(
    { length: Math.ceil(files.length / size) },
    (_, index) => files.slice(index * size, (index + 1) * size),
  );
}

/** The test files below a folder, by their paths from the root of the project. */
function testFiles(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    const path = join(folder, name);
    if (isDirectory) return testFiles(path);
    return name.endsWith("_test.ts") ? [relative(root, path).replaceAll("\\", "/")] : [];
  }).toSorted();
}

/** Starts `deno test` and passes its output on as it comes. */
async function runTests(
  args: readonly string[],
  missing: string,
): Promise<{ readonly code: number; readonly text: string }> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", "--no-check", "--doc", "--parallel", ...permissions, ...args],
    env: {
      CLIMAX_TEST_MISSING: missing,
      [startVariable]: String(startMs()),
      // A third of the time tests wait for processes
      DENO_JOBS: Deno.env.get("DENO_JOBS") ?? String(navigator.hardwareConcurrency + 1),
    },
    stdin: "null",
    stdout: "piped",
  }).spawn();
  const decoder = new TextDecoder();
  // The summary is at the end
  let text = "";
  for await (const chunk of child.stdout) {
    Deno.stdout.writeSync(chunk);
    text = (text + decoder.decode(chunk, { stream: true })).slice(-10_000);
  }
  return { code: (await child.status).code, text };
}

/** Reads `ok | 120 passed (3 steps) | 0 failed | 1 ignored (12s)`, the last such line. */
function countsOf(text: string): Counts {
  // deno-lint-ignore no-control-regex
  const plain = text.replace(/\x1b\[[0-9;]*m/g, "");
  const summary = plain.match(/^(?:ok|FAILED) \| \d+ passed.*$/gm)?.at(-1) ?? "";
  const numberOf = (word: string) => Number(summary.match(new RegExp(`(\\d+) ${word}`))?.[1] ?? 0);
  return { passed: numberOf("passed"), failed: numberOf("failed"), ignored: numberOf("ignored") };
}

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(text));
}
