/**
 * Runs the tests by Deno for Windows under Wine: `deno task test-windows [--folder DIR] [FILE…]`. Takes Linux on
 * x86-64, root, and `debootstrap`, or `apt-get` to install it; elsewhere it says so and ends. On Windows it runs
 * `deno task test`.
 *
 * The folder (default: `wine` in the cache directory of climax) keeps a Debian with Wine, Deno, Node.js and Git for the next run;
 * `--clean` removes it. Tests run in a process namespace of their own, so that none of their processes is left.
 *
 * Prints each test that failed or was ignored with the reason, then the counts. Exit code 1 after a failure that
 * {@linkcode explanations} does not explain.
 */

import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import manifest from "../deno.json" with { type: "json" };
import { cacheFolder } from "../src/process/folders.ts";
import { isHere } from "../tests/_requirements.ts";
import { buildArguments } from "./_arguments.ts";
import { say } from "./_problems.ts";
import { filesOf, permissions } from "./test.ts";
import { type FileReport, readReport, summaryLines } from "./_windows_report.ts";
import { exists, inSystem, mark, must, prepareSystem, run } from "./_windows_system.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

/** Seconds for one file of tests. */
const fileSeconds = 300;

async function testWindows(args: readonly string[]): Promise<number> {
  const { options, flags } = buildArguments(args, ["folder"], ["--clean"]);
  const files = flags.filter((flag) => flag !== "--clean");
  if (Deno.build.os === "windows") {
    return await run([Deno.execPath(), "task", "test", ...files], {});
  }
  const folder = resolve(options.get("folder") ?? join(cacheFolder() ?? "/var/tmp", "wine"));
  if (flags.includes("--clean")) return await clean(folder);
  const missing = await missingHere();
  if (missing !== undefined) {
    say(`The tests of Windows are ignored for want of ${missing}`);
    return 0;
  }
  await prepareSystem(folder);
  await copyProject(folder);
  const wanted = files.length > 0 ? files : filesOf("fast").filter((file) => file !== "src");
  const reports = await runFiles(folder, wanted);
  for (const line of summaryLines(reports)) print(line);
  return reports.some(({ failed }) => failed.some(({ reason }) => reason === undefined)) ? 1 : 0;
}

/** Removes what an earlier run has made, and no other folder. @returns the exit code */
async function clean(folder: string): Promise<number> {
  if (await exists(join(folder, mark))) {
    await Deno.remove(folder, { recursive: true });
  } else if (await exists(folder)) {
    say(`'${folder}' was not made by this task, and is not removed`);
    return 1;
  }
  return 0;
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

/** Returns what this machine lacks for a Debian with Wine. */
async function missingHere(): Promise<string | undefined> {
  if (Deno.build.os !== "linux" || Deno.build.arch !== "x86_64") return "Linux on x86-64";
  if (Deno.uid() !== 0) return "root, who may make a system in a folder";
  if (await isHere("debootstrap", ["--version"])) return undefined;
  if (!(await isHere("apt-get", ["--version"]))) return "debootstrap";
  await run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", "debootstrap"], {
    stdout: "null",
  });
  return (await isHere("debootstrap", ["--version"])) ? undefined : "debootstrap";
}

/** The files that Git tracks or would, and the portable form, which is made here. */
async function copyProject(folder: string): Promise<void> {
  const project = join(folder, "system", "w", manifest.name);
  if (await exists(project)) await Deno.remove(project, { recursive: true });
  const list = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  const { stdout } = await new Deno.Command("git", { args: list, cwd: root }).output();
  const names = new TextDecoder().decode(stdout).split("\0").filter((name) => name !== "");
  for (const name of names) {
    const target = join(project, name);
    await Deno.mkdir(dirname(target), { recursive: true });
    if (await exists(join(root, name))) await Deno.copyFile(join(root, name), target);
  }
  await must([Deno.execPath(), "task", "--quiet", "bundle", "--output", "dist/test/climax.mjs"], {
    cwd: root,
  });
  await must(["cp", "-r", join(root, "dist"), project]);
  // Some tests use the repository that they are in
  const git: [string, ...string[]] = [
    "git",
    "-c",
    "user.name=test",
    "-c",
    "user.email=test@example.org",
  ];
  for (const args of [["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "test"]]) {
    await must([...git, ...args], { cwd: project });
  }
}

/** Runs each file by itself: under Wine, a runtime that aborts takes the rest of its files with it. */
async function runFiles(folder: string, files: readonly string[]): Promise<FileReport[]> {
  const place = join(folder, "system", "w");
  const logs = join(place, "logs");
  if (await exists(logs)) await Deno.remove(logs, { recursive: true });
  await Deno.mkdir(logs);
  const flags = ["test", "--no-check", "--cached-only", ...permissions].join(" ");
  await Deno.writeTextFile(
    join(place, "one.sh"),
    [
      `cd /w/${manifest.name}`,
      'log=/w/logs/$(echo "$1" | tr / +)',
      ': > "$log.missing"',
      'export CLIMAX_TEST_MISSING="Z:$(echo "$log.missing" | tr / "\\\\134")"',
      `export CLIMAX_TEST_BUNDLE=dist/test/climax.mjs`,
      `timeout -k 10 ${fileSeconds} wine /w/deno.exe ${flags} "$1" > "$log.log" 2>&1`,
      'echo "exit code $?" >> "$log.log"',
      "",
    ].join("\n"),
  );
  await Deno.writeTextFile(join(place, "files"), files.join("\n"));
  const jobs = navigator.hardwareConcurrency;
  await run(inSystem(join(folder, "system"), `xargs -a /w/files -P ${jobs} -n 1 sh /w/one.sh`), {});
  return await Promise.all(files.map(async (file) => {
    const log = join(logs, file.replaceAll("/", "+"));
    const [text, missing] = await Promise.all(
      [".log", ".missing"].map((end) => Deno.readTextFile(log + end).catch(() => "")),
    );
    return readReport(file, text!, missing!);
  }));
}

if (import.meta.main) Deno.exitCode = await testWindows(Deno.args);
