/**
 * Runs tests, and then prints which programs the machine lacks and the counts: `deno task test [FILE…]`
 * runs all but the slow ones, `deno task test-slow` those. Files that are named run in either.
 * Exit code: that of `deno test`.
 */

import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { laneVariable } from "../tests/_lane.ts";
import { startMs, startVariable } from "../tests/_wait.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const isLinux = Deno.build.os === "linux";

/** Files of `deno task test-slow`: attacks, what is made and installed, clients, servers of others, programs of the
 * bundled configs, several instances, and the soak. */
const slowFiles: readonly RegExp[] = [
  /[_/]attack_test\.ts$/,
  /^tests\/configs\/(?:calls|flags)_test\.ts$/,
  /^tests\/build\/(?:compile|installers|kubernetes|npm|release_files)_test\.ts$/,
  /^tests\/e2e\/(?:bounds|clients|coding_tasks|flood|real_servers|rolling_restart|shared_\w+|soak|walk)_test\.ts$/,
  /^tests\/e2e\/sandbox_everywhere_test\.ts$/,
];

/** Files that are slow on Linux, for their many starts of programs. Other systems run the fast lane alone. */
const longFiles: readonly RegExp[] = [
  /^tests\/build\/(?:bundle_modules|portable)_test\.ts$/,
  /^tests\/configs\/tools_test\.ts$/,
  /^tests\/e2e\/(?:agents|elsewhere|features|hostile_server|kept_scripts|launcher|progress)_test\.ts$/,
  /^tests\/e2e\/(?:protocol_tasks|proxy|readme|share|skills|structured|subscriptions|windows_servers)_test\.ts$/,
];

/** Files in both lanes on Linux: the fast one runs a part of their tests, by `tests/_lane.ts`. */
const sharedFiles: readonly RegExp[] = [
  /^tests\/build\/packed_modules_test\.ts$/,
  /^tests\/cli\/commands\/trust_test\.ts$/,
  /^tests\/e2e\/(?:endings|habits|http|jobs|outputs|permissions|policy|upstream)_test\.ts$/,
  /^tests\/server\/plain_calls_test\.ts$/,
  /^tests\/sources\/command\/structured_test\.ts$/,
  /^tests\/sources\/scripts\/(?:vm|script_run)_test\.ts$/,
  /^tests\/sources\/upstream\/(?:plain_requests|server)_test\.ts$/,
  /^tests\/worker\/run_task_test\.ts$/,
];

/** Tests that a machine may not define, since they go by what it has. */
const maxAbsent = 10;

/** The tests of each lane. */
const recordFile = join(root, "build", "test_counts.json");

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

if (import.meta.main) {
  const missing = await Deno.makeTempFile({ prefix: "climax-missing-" });
  try {
    const [lane, ...args] = Deno.args;
    if (lane !== "fast" && lane !== "slow") {
      throw new Error(`The lane must be fast or slow: ${lane}`);
    }
    const files = filesOf(lane, args);
    // Attacks and servers of others have not been tried together
    const given = lane === "fast" ? await groupsOf(files) : files;
    const variables = files.length === 0 || !isLinux ? {} : { [laneVariable]: lane };
    const { code, text } = await runTests([...args, ...given], missing, variables);
    const names = new Set((await Deno.readTextFile(missing)).split("\n").filter((name) => name));
    const counts = countsOf(text);
    print(
      names.size === 0 ? "" : `Tests were ignored for want of: ${[...names].sort().join(", ")}\n`,
    );
    // Before the counts, which `.ci/run` reads in the last line
    const isWhole = counts !== undefined && (args.length > 0 || await compareCount(lane, counts));
    if (counts) {
      print(`${counts.passed} passed, ${counts.failed} failed, ${counts.ignored} skipped\n`);
    }
    Deno.exitCode = code !== 0 || isWhole ? code : 1;
  } finally {
    await Deno.remove(missing);
  }
}

/**
 * Compares the tests of a whole lane, ignored ones too, with the record, which follows when there are more. Fewer by
 * more than `maxAbsent`, as after a table of tests has lost its rows, are a failure. Other systems than Linux have no
 * record.
 */
async function compareCount(
  lane: "fast" | "slow",
  { passed, failed, ignored }: Counts,
): Promise<boolean> {
  if (!isLinux) return true;
  const record = JSON.parse(await Deno.readTextFile(recordFile));
  const count = passed + failed + ignored;
  const name = relative(root, recordFile);
  const isWhole = count + maxAbsent >= record[lane];
  if (!isWhole) {
    print(`${count} tests, ${record[lane]} in ${name}: if they are to go, write ${count} there\n`);
  } else if (count > record[lane]) {
    await Deno.writeTextFile(
      recordFile,
      JSON.stringify({ ...record, [lane]: count }, null, 2) + "\n",
    );
    print(`${name} has ${count} tests now: commit it\n`);
  }
  return isWhole;
}

/** The arguments of `deno test` for the files of a lane; none where `args` name files. */
export function filesOf(
  lane: "fast" | "slow",
  args: readonly string[],
  system = Deno.build.os as string,
): readonly string[] {
  if (args.some((arg) => !arg.startsWith("-"))) return [];
  const files = testFiles(join(root, "tests"));
  const isOf = (patterns: readonly RegExp[], file: string) =>
    patterns.some((each) => each.test(file));
  const slow = system === "linux" ? [...slowFiles, ...longFiles] : slowFiles;
  const isSlow = (file: string) => isOf(slow, file);
  if (lane === "slow") return files.filter((file) => isSlow(file) || isOf(sharedFiles, file));
  // By name, since `--ignore` of several files does not hold beside several folders in Deno 2.9.6
  return ["src", ...files.filter((file) => !isSlow(file))];
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
  variables: Readonly<Record<string, string>>,
): Promise<{ readonly code: number; readonly text: string }> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", "--no-check", "--doc", "--parallel", ...permissions, ...args],
    env: {
      CLIMAX_TEST_MISSING: missing,
      ...variables,
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
function countsOf(text: string): Counts | undefined {
  // deno-lint-ignore no-control-regex
  const plain = text.replace(/\x1b\[[0-9;]*m/g, "");
  const summary = plain.match(/^(?:ok|FAILED) \| \d+ passed.*$/gm)?.at(-1);
  if (summary === undefined) return undefined;
  const numberOf = (word: string) => Number(summary.match(new RegExp(`(\\d+) ${word}`))?.[1] ?? 0);
  return { passed: numberOf("passed"), failed: numberOf("failed"), ignored: numberOf("ignored") };
}

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(text));
}
