/**
 * Counts the small faults in `src` that related tests notice: `deno task mutate [--count N] [--seed WORD] [FILE|FOLDER…]`.
 * Each fault is put into a temporary copy, one at a time, and the tests nearest to its file run: by imports, and of those
 * that start the program, by name. A test that fails or does not end notices it. Prints each fault, and at the end
 * what survived by folder. A seed picks the same faults as long as their lines stay the same.
 */

import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildArguments } from "./_arguments.ts";
import { type Fault, pickFaults } from "./_faults.ts";
import { say } from "./_problems.ts";
import { filesOf, permissions } from "./test.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

const defaultPlaces =
  "call policy exec server/http sources/upstream state sources/scripts catalog/rank"
    .split(" ").map((folder) => `src/${folder}`);

/** Most tests of a fault, one after the other. */
const maxTests = 12;

/** Most milliseconds of a test without a fault. With one it has as long as then, twice, and this much more. */
const [maxRunMs, moreMs] = [180_000, 20_000];

async function outputOf(program: string, args: string[], cwd: string): Promise<string> {
  const { success, stdout } = await new Deno.Command(program, { args, cwd, stderr: "inherit" })
    .output();
  if (!success) throw new Error(`${program} ${args[0]} has failed`);
  return new TextDecoder().decode(stdout);
}

/** Copies what git has or would add, with folders beside it for what tests write: a file in a project is less trusted. */
async function copyProject(): Promise<string> {
  const place = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "climax-mutate-" }));
  const copy = join(place, "project");
  const files = await outputOf("git", ["ls-files", "-z", "-co", "--exclude-standard"], root);
  for (const file of files.split("\0").slice(0, -1)) {
    Deno.mkdirSync(dirname(join(copy, file)), { recursive: true });
    Deno.copyFileSync(join(root, file), join(copy, file));
  }
  for (const folder of ["home", "tmp"]) Deno.mkdirSync(join(place, folder));
  return copy;
}

/** Returns by a file of `src` the tests that reach it, the nearest first. */
async function relateTests(copy: string): Promise<(file: string) => string[]> {
  const files = new Set([...filesOf("fast", []), ...filesOf("slow", [])]);
  const tests = [...files].filter((file) => file !== "src");
  const all = join(copy, "all.ts");
  Deno.writeTextFileSync(all, tests.map((test) => `import "./${test}";\n`).join(""));
  const { modules } = JSON.parse(await outputOf(Deno.execPath(), ["info", "--json", all], copy));
  const urlOf = (file: string) => pathToFileURL(join(copy, file)).href;
  const importers = new Map<string, string[]>();
  for (const { specifier, dependencies = [] } of modules) {
    // A thread is started by its path, and named by its types
    for (const { code, type } of dependencies) {
      const imported = (code ?? type)?.specifier;
      importers.set(imported, [...importers.get(imported) ?? [], specifier]);
    }
  }
  return (file) => {
    const distances = new Map([[urlOf(file), 0]]);
    for (const [module, distance] of distances) {
      for (const importer of importers.get(module) ?? []) {
        if (!distances.has(importer)) distances.set(importer, distance + 1);
      }
    }
    const folder = dirname(file).replace(/^src/, "tests");
    const words = basename(file, ".ts").split("_").concat(basename(folder)).filter((word) =>
      word !== ""
    );
    const distanceOf = (test: string) => {
      const isNamed = words.some((word) => basename(test).startsWith(word.replace(/s$/, "")));
      if (test.startsWith("tests/e2e/")) return isNamed ? 3 : Infinity;
      const distance = distances.get(urlOf(test)) ?? Infinity;
      const isNear = test.startsWith(`${folder}/`);
      // They start programs and read much
      const isWide = /^tests\/(?:cli|build|docs|configs)\//.test(test);
      return distance - (isNear ? 1.5 : 0) - (isNamed ? 0.7 : 0) + (isWide ? 4 : 0);
    };
    return tests.filter((test) => distanceOf(test) < Infinity)
      .toSorted((one, other) => distanceOf(one) - distanceOf(other));
  };
}

class Trial {
  readonly #copy: string;
  readonly #related: (file: string) => string[];
  /** Most milliseconds of tests; 0 for one that does not pass without a fault. */
  readonly #bounds = new Map<string, number>();

  constructor(copy: string, related: (file: string) => string[]) {
    this.#copy = copy;
    this.#related = related;
  }

  /** Returns how tests notice the fault, or undefined. */
  async notice({ file, line, changed }: Fault): Promise<string | undefined> {
    const path = join(this.#copy, file);
    const text = Deno.readTextFileSync(path);
    let rest = maxTests;
    for (const test of this.#related(file)) {
      const bound = await this.#boundOf(test);
      if (bound === 0) continue;
      Deno.writeTextFileSync(path, text.split("\n").with(line, changed).join("\n"));
      const how = await this.#run(test, bound);
      Deno.writeTextFileSync(path, text);
      if (how !== undefined && await this.#isPassed(test, bound)) return how;
      if (--rest === 0) return;
    }
  }

  async #boundOf(test: string): Promise<number> {
    const known = this.#bounds.get(test);
    if (known !== undefined) return known;
    const began = performance.now();
    const isPassed = await this.#isPassed(test, maxRunMs);
    const bound = isPassed ? Math.ceil(2 * (performance.now() - began)) + moreMs : 0;
    this.#bounds.set(test, bound);
    return bound;
  }

  /** Runs a test without a fault. One that fails by itself at times notices nothing. */
  async #isPassed(test: string, maxMs: number): Promise<boolean> {
    const isPassed = await this.#run(test, maxMs) === undefined;
    if (!isPassed) say(`not used, red or slow without a fault: ${test}`);
    return isPassed;
  }

  /** Returns how the test notices what the copy has, or undefined. */
  async #run(test: string, maxMs: number): Promise<string | undefined> {
    const copy = this.#copy;
    const signal = AbortSignal.timeout(maxMs);
    const { success } = await new Deno.Command(Deno.execPath(), {
      args: ["test", "--no-check", "--quiet", "--fail-fast", ...permissions, test],
      cwd: copy,
      // A fault may write where it should not
      env: { HOME: join(dirname(copy), "home"), TMPDIR: join(dirname(copy), "tmp") },
      ...{ stdin: "null", stdout: "null", stderr: "null" } as const,
      signal,
    }).output();
    if (success) return;
    await endLeft(copy);
    return signal.aborted ? "noticed by time" : "noticed";
  }
}

/** Ends programs of tests that were ended. */
async function endLeft(copy: string): Promise<void> {
  const listed = await outputOf("ps", ["axeww", "-o", "pid=,command="], copy);
  for (const line of listed.split("\n")) {
    if (!line.includes(` HOME=${join(dirname(copy), "home")} `)) continue;
    try {
      Deno.kill(Number.parseInt(line), "SIGKILL");
    } catch {
      // It has ended by itself
    }
  }
}

async function mutate(args: readonly string[]): Promise<void> {
  const { options, flags } = buildArguments(args, ["count", "seed"]);
  const places = flags.length > 0 ? flags : defaultPlaces;
  const faults = pickFaults(root, places, {
    count: Number(options.get("count") ?? 50),
    seed: options.get("seed") ?? "1",
  });
  const copy = await copyProject();
  const survivors: Fault[] = [];
  try {
    Deno.env.set(
      "DENO_DIR",
      JSON.parse(await outputOf(Deno.execPath(), ["info", "--json"], copy)).denoDir,
    );
    const trial = new Trial(copy, await relateTests(copy));
    for (const [at, fault] of faults.entries()) {
      const notice = await trial.notice(fault);
      if (notice === undefined) survivors.push(fault);
      say(`${at + 1}/${faults.length} ${notice ?? "SURVIVED"} ${textOf(fault)}`);
    }
  } finally {
    Deno.removeSync(dirname(copy), { recursive: true });
  }
  const lines = places.flatMap((place) => {
    const [all, left] = [faults, survivors].map((some) =>
      some.filter(({ file }) => `${file}/`.startsWith(`${place}/`))
    );
    return [
      `${place}: ${all!.length - left!.length} of ${all!.length} noticed`,
      ...left!.map(textOf),
    ];
  });
  say(
    [...lines, `${Math.round(100 - 100 * survivors.length / faults.length)} % noticed`].join("\n"),
  );
}

function textOf({ file, line, written, changed }: Fault): string {
  return `${file}:${line + 1}\n  - ${written.trim()}\n  + ${changed.trim()}`;
}

if (import.meta.main) await mutate(Deno.args);
