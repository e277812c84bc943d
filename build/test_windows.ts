/**
 * Runs the tests by Deno for Windows under Wine: `deno task test-windows [--folder DIR] [FILE…]`. Takes Linux on
 * x86-64, root, and `debootstrap`, or `apt-get` to install it; elsewhere it says so and ends. On Windows it runs
 * `deno task test`.
 *
 * The folder (default: `wine` in the cache directory of climax) keeps a Debian with Wine, and Deno, for the next run;
 * `--clean` removes it. Tests run in a process namespace of their own, so that none of their processes is left.
 *
 * Prints each test that failed or was ignored with the reason, then the counts. Exit code 1 after a failure that
 * {@linkcode explanations} does not explain.
 */

import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import manifest from "../deno.json" with { type: "json" };
import { cacheFolder } from "../src/process/folders.ts";
import { sha256 } from "../src/text/hash.ts";
import { isHere } from "../tests/_requirements.ts";
import { buildArguments } from "./_arguments.ts";
import { say } from "./_problems.ts";
import { filesOf, permissions } from "./test.ts";
import { type FileReport, readReport, summaryLines } from "./_windows_report.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

/** Debian 12 has a Wine that cannot run Deno. */
const debian = { suite: "trixie", mirror: "http://deb.debian.org/debian" } as const;

/** Of Deno itself: `deno bundle` takes this version of esbuild from npm. */
const esbuild = "npm:@esbuild/win32-x64@0.25.5";

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
  await prepareDeno(folder);
  await copyProject(folder);
  const wanted = files.length > 0 ? files : filesOf("fast", []).filter((file) => file !== "src");
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

/** What this machine lacks for a Debian with Wine. */
async function missingHere(): Promise<string | undefined> {
  if (Deno.build.os !== "linux" || Deno.build.arch !== "x86_64") return "Linux on x86-64";
  if (Deno.uid() !== 0) return "root, who may make a system in a folder";
  if (await isHere("debootstrap", ["--version"])) return undefined;
  if (!(await isHere("apt-get", ["--version"]))) return "debootstrap";
  await run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", "debootstrap"], quiet);
  return (await isHere("debootstrap", ["--version"])) ? undefined : "debootstrap";
}

/** The file that marks a folder of this task. */
const mark = "made-by-test-windows";

const quiet = { stdout: "null" } as const;

/** Runs a program. @returns its exit code */
async function run(
  [program, ...args]: readonly [string, ...string[]],
  options: Omit<Deno.CommandOptions, "args">,
): Promise<number> {
  return (await new Deno.Command(program, { args, stdin: "null", ...options }).spawn().status).code;
}

/** Does `step` once for a folder. */
async function once(folder: string, name: string, step: () => Promise<void>): Promise<void> {
  const done = join(folder, `${name}.done`);
  if (await exists(done)) return;
  say(`${name} …`);
  await step();
  await Deno.writeTextFile(done, "");
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch {
    return false;
  }
}

async function must(words: readonly [string, ...string[]], options = {}): Promise<void> {
  const code = await run(words, { ...quiet, ...options });
  if (code !== 0) throw new Error(`${words.join(" ")} ended with exit code ${code}`);
}

async function prepareSystem(folder: string): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  const isEmpty = [...Deno.readDirSync(folder)].length === 0;
  // `--clean` removes the whole folder
  if (!isEmpty && !(await exists(join(folder, mark)))) {
    throw new Error(`'${folder}' must be empty or new: it would be removed by --clean`);
  }
  await Deno.writeTextFile(join(folder, mark), "");
  const system = join(folder, "system");
  await once(folder, "debian", async () => {
    if (await exists(system)) await Deno.remove(system, { recursive: true });
    const { suite, mirror } = debian;
    await must(["debootstrap", "--variant=minbase", suite, system, mirror]);
  });
  await once(folder, "wine", async () => {
    await must(inSystem(
      system,
      [
        "apt-get update -qq",
        "apt-get install -y -qq --no-install-recommends wine64 wine",
        "mkdir -p /w",
        "wineboot --init",
      ].join(" && "),
    ));
  });
}

/** The words that run a line of shell in the system, with its own processes and its own `/proc`. */
function inSystem(system: string, line: string): [string, ...string[]] {
  const inner = `mount -t proc proc '${system}/proc' && exec chroot '${system}' env -i ${
    Object.entries(variables).map(([name, value]) => `${name}='${value}'`).join(" ")
  } sh -c '${line.replaceAll("'", `'\\''`)}'`;
  return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", inner];
}

const variables = {
  PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
  HOME: "/root",
  XDG_RUNTIME_DIR: "/tmp",
  DEBIAN_FRONTEND: "noninteractive",
  WINEDEBUG: "-all",
  NO_COLOR: "1",
  DENO_DIR: "Z:\\w\\deno-dir",
  DENO_NO_UPDATE_CHECK: "1",
} as const;

/** Deno for Windows as npm has it, of our version or the newest of its minor version, and the packages of the tests. */
async function prepareDeno(folder: string): Promise<void> {
  const shared = join(folder, "system", "w");
  const [major, minor] = Deno.version.deno.split(".");
  await once(folder, `deno-${Deno.version.deno}`, async () => {
    const place = await Deno.makeTempDir();
    try {
      await must(["npm", "pack", "--silent", `@deno/win32-x64@~${major}.${minor}.0`], {
        cwd: place,
      });
      const [archive] = [...Deno.readDirSync(place)];
      await must(["tar", "xzf", join(place, archive!.name), "-C", place]);
      await Deno.copyFile(join(place, "package", "deno.exe"), join(shared, "deno.exe"));
    } finally {
      await Deno.remove(place, { recursive: true });
    }
  });
  const lock = await Deno.readTextFile(join(root, "deno.lock"));
  await once(folder, `packages-${sha256(lock).slice(0, 8)}`, async () => {
    const options = { cwd: root, env: { DENO_DIR: join(shared, "deno-dir") } };
    const install = ["install", "--quiet", "--frozen", "--os", "win32", "--arch", "x64"];
    await must([Deno.execPath(), ...install], options);
    await must([Deno.execPath(), "cache", "--quiet", "--no-lock", esbuild], options);
  });
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
