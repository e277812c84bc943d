/**
 * Starts the program under test, in one place: from its sources; as the bundle that
 * `CLIMAX_TEST_BUNDLE` names, which `deno task test` has just made of them and which starts in a third
 * of the time; or as the executable file that `CLIMAX_UNDER_TEST` names.
 */

import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { scaledSeconds } from "../_wait.ts";

/** The top of the project. */
export const root: string = fileURLToPath(new URL("../../", import.meta.url));

/** The program of the sources. */
export const sources: string = join(root, "main.ts");

/** The portable form that was made of the sources before the tests, if it was. */
export function givenBundle(): string | undefined {
  const path = Deno.env.get("CLIMAX_TEST_BUNDLE");
  return path ? resolve(root, path) : undefined;
}

/** Program and arguments that stand for `climax`. */
export function climax(...args: string[]): [string, ...string[]] {
  const artefact = Deno.env.get("CLIMAX_UNDER_TEST");
  if (artefact) return [resolve(artefact), ...args];
  return givenBundle() === undefined ? climaxOfSources(...args) : climaxUnder(permissions, ...args);
}

/**
 * Program and arguments of `climax run` with `args`. Tools that write do not ask, unless `args` say who decides: most tests are not
 * about the question.
 */
export function climaxRun(...args: string[]): [string, ...string[]] {
  const isDecided = args.some((word) => /^--(?:policy|clients)(?:=|$)/.test(word));
  return climax("run", ...args, ...(isDecided ? [] : ["--policy", "open"]));
}

/** True if the program under test is a binary, which takes no flags of Deno. */
export const isBinary: boolean = /^(?!.*\.mjs$)./.test(Deno.env.get("CLIMAX_UNDER_TEST") ?? "");

/** Program and arguments for the sources, for tests of both. */
export function climaxOfSources(...args: string[]): [string, ...string[]] {
  return [Deno.execPath(), "run", ...permissions, sources, ...args];
}

/** Program and arguments under exactly `permissions`; a binary has its own built in. */
function climaxUnder(
  permissions: readonly string[],
  ...args: string[]
): [string, ...string[]] {
  const bundle = givenBundle();
  // As a bundle's first line has it, which itself needs a `deno` on PATH
  const line = bundle === undefined
    ? ["--no-prompt"]
    : ["--no-config", "--no-prompt", "--no-remote", "--no-npm"];
  return [Deno.execPath(), "run", ...line, ...permissions, bundle ?? sources, ...args];
}

const permissions = [
  "--allow-read",
  "--allow-env",
  "--allow-run",
  "--allow-write",
  "--allow-net=127.0.0.1",
];

/** The path of a file in `tests/fixtures/e2e`. */
export function fixture(name: string): string {
  return fileURLToPath(new URL(`../fixtures/e2e/${name}`, import.meta.url));
}

/**
 * The path of a config of `tests/fixtures/e2e` with its timeouts of some seconds as long as this machine needs
 * (`scaledSeconds`).
 */
export function scaledFixture(name: string): string {
  const text = Deno.readTextFileSync(fixture(name)).replaceAll(
    /^( +timeout: )(\d(?:\.\d)?)$/gm,
    (_, key: string, seconds: string) => `${key}${scaledSeconds(Number(seconds))}`,
  );
  const folder = Deno.makeTempDirSync({ prefix: "climax-test-" });
  globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
  const path = join(folder, name);
  Deno.writeTextFileSync(path, text);
  return path;
}

/** Returns the folder of this Deno's downloads. */
export function denoDir(): string {
  known ??= JSON.parse(decoder.decode(
    new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).outputSync().stdout,
  )).denoDir as string;
  return known;
}

let known: string | undefined;
const decoder = new TextDecoder();

/**
 * The variables that a child process gets: ours without what would change the behaviour of climax
 * or of git, and where the probe of the fixtures is.
 */
export function environment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const kept = Object.entries(Deno.env.toObject())
    .filter(([name]) => !/^(?:INIT_CWD$|CLIMAX_|GIT_)/.test(name));
  return {
    ...Object.fromEntries(kept),
    // The name in texts
    CLIMAX_LAUNCHER: "climax",
    NO_COLOR: "1",
    // Or another home would mean to download every package again
    DENO_DIR: denoDir(),
    // A test reads no configs of the person
    XDG_CONFIG_HOME: join(root, "dist", "test-settings"),
    XDG_STATE_HOME: join(root, "dist", "test-state", String(Deno.pid)),
    PROBE: fixture("probe.js"),
    PROBE_DENO: Deno.execPath(),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: Deno.build.os === "windows" ? "NUL" : "/dev/null",
    GIT_AUTHOR_NAME: "Ada",
    GIT_AUTHOR_EMAIL: "ada@example.org",
    GIT_COMMITTER_NAME: "Ada",
    GIT_COMMITTER_EMAIL: "ada@example.org",
    ...more,
  };
}
