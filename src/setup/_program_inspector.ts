/** Inspects the programs behind tools: their paths, versions and help texts. */

import { findProgram } from "../exec/find_program.ts";
import { run } from "../exec/run.ts";
import { watch } from "../process/progress.ts";
import { configProgramOf, type ProgramUse } from "../sources/command/program.ts";
import type { Tool } from "../tool/tool.ts";
import { type HelpSource, programHelp } from "./help_source.ts";

interface ProgramInfo {
  readonly path: string;
  readonly name: string;
  readonly version: string | null;
  helpOf(words: readonly string[]): Promise<string | undefined>;
}

const versionTimeoutMs = 10_000;

const maxVersion = 200;

/** Programs without `--version` print their version with these arguments. */
const versionArguments: ReadonlyMap<string, readonly string[]> = new Map([
  ["ffmpeg", ["-version"]],
  ["ffprobe", ["-version"]],
  ["kubectl", ["version", "--client"]],
]);

export class ProgramInspector implements AsyncDisposable {
  readonly #programs = new Map<string, Promise<ProgramInfo>>();
  readonly #sources: (HelpSource & AsyncDisposable)[] = [];

  async inspect({ name, surroundings }: ProgramUse): Promise<ProgramInfo | undefined> {
    const path = findProgram(name, surroundings);
    if (path === undefined) return undefined;
    return await this.#programs.getOrInsertComputed(path, () => {
      return this.#inspectAt(name, path, surroundings.env);
    });
  }

  async #inspectAt(
    name: string,
    path: string,
    env: Readonly<Record<string, string>>,
  ): Promise<ProgramInfo> {
    const helps = new Map<string, Promise<string | undefined>>();
    let source: Promise<HelpSource> | undefined;
    return {
      path,
      name,
      version: await this.#versionOf(name, path, env),
      helpOf: (words) => {
        const opened = source ??= this.#openHelp(path, env);
        return helps.getOrInsertComputed(words.join(" "), async () => {
          return await (await opened).ask([name, ...words.slice(1)]);
        });
      },
    };
  }

  async #openHelp(path: string, env: Readonly<Record<string, string>>): Promise<HelpSource> {
    const source = await programHelp({ path, env });
    this.#sources.push(source);
    return source;
  }

  async #versionOf(
    name: string,
    path: string,
    env: Readonly<Record<string, string>>,
  ): Promise<string | null> {
    const args = versionArguments.get(name) ?? ["--version"];
    const invocation = { argv: [path, ...args] as const, env, timeoutMs: versionTimeoutMs };
    const work = { verb: "asking", subject: [name, ...args].join(" ") };
    const outcome = await watch(work, () => run(invocation));
    if (outcome.ending.kind !== "exited") return null;
    const text = outcome.stdout.text.trim() || outcome.stderr.text.trim();
    const [line = ""] = text.split("\n");
    // ffmpeg prints its version and then fails
    const isVersion = outcome.ending.code === 0 || line.startsWith(`${name} version `);
    return isVersion ? line.slice(0, maxVersion) || null : null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#sources.map((source) => source[Symbol.asyncDispose]()));
  }
}

/** Returns true if a help text names an option; `--[no-]color` names two. */
export function mentions(help: string, flag: string): boolean {
  const spelled = help.replaceAll(/--\[(no-?)\]([\w-]+)/g, "--$2 --$1$2");
  return new RegExp(`(?<![\\w-])${RegExp.escape(flag)}(?![\\w-])`).test(spelled);
}

export interface Used {
  readonly tool: Tool;
  readonly use: ProgramUse;
}

export function findUsed(tools: readonly Tool[]): Used[] {
  return tools.flatMap((tool) => {
    const use = configProgramOf(tool);
    return use === undefined ? [] : [{ tool, use }];
  });
}

const concurrency = 4;

export async function runConcurrently<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  const queue = { [Symbol.iterator]: () => rest };
  await Promise.all(Array.from({ length: concurrency }, async () => {
    for (const item of queue) await work(item);
  }));
}
