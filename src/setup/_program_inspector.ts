/** Inspects the programs behind tools: their paths, hashes, versions and help texts. */

import { createHash } from "node:crypto";
import { systemPath } from "../io.ts";
import { findProgram } from "../exec/find_program.ts";
import { run } from "../exec/run.ts";
import { programOf, type ProgramUse } from "../sources/command/program.ts";
import type { Tool } from "../tool/tool.ts";
import { type HelpSource, programHelp } from "./help_source.ts";

/** A program as it is now. */
export interface ProgramInfo {
  readonly path: string;
  readonly name: string;
  readonly sha256: string;
  readonly version: string | null;
  /** Returns its help, or that of one of its commands; asks once for each. */
  helpOf(words: readonly string[]): Promise<string | undefined>;
}

/** Milliseconds that `--version` may take. */
const versionTimeoutMs = 10_000;

/** Characters kept of a version. */
const maxVersion = 200;

/** Inspects each program once, and removes temporary files when it is disposed. */
export class ProgramInspector implements AsyncDisposable {
  readonly #programs = new Map<string, Promise<ProgramInfo>>();
  readonly #sources: (HelpSource & AsyncDisposable)[] = [];
  readonly #onRun: (argv: readonly string[]) => void;

  /** Calls `onRun` with each command line before it is run. */
  constructor(onRun: (argv: readonly string[]) => void = () => {}) {
    this.#onRun = onRun;
  }

  /** Inspects the program of a tool; `undefined` when it is not found. */
  async inspect({ name, surroundings }: ProgramUse): Promise<ProgramInfo | undefined> {
    const path = await findProgram(name, surroundings);
    if (path === undefined) return undefined;
    const known = this.#programs.get(path) ?? this.#inspectAt(name, path, surroundings.env);
    this.#programs.set(path, known);
    return await known;
  }

  async #inspectAt(
    name: string,
    path: string,
    env: Readonly<Record<string, string>>,
  ): Promise<ProgramInfo> {
    const source = await programHelp({ path, env, onRun: this.#onRun });
    this.#sources.push(source);
    const helps = new Map<string, Promise<string | undefined>>();
    const [sha256, version] = await Promise.all([
      hashOfFile(path),
      this.#versionOf(name, path, env),
    ]);
    return {
      path,
      name,
      sha256,
      version,
      helpOf(words) {
        const key = words.join(" ");
        const asked = helps.get(key) ??
          source.ask([name, ...words.slice(1)]).then((answer) => answer?.text);
        helps.set(key, asked);
        return asked;
      },
    };
  }

  async #versionOf(
    name: string,
    path: string,
    env: Readonly<Record<string, string>>,
  ): Promise<string | null> {
    this.#onRun([name, "--version"]);
    const outcome = await run({ argv: [path, "--version"], env, timeoutMs: versionTimeoutMs });
    if (outcome.ending.kind !== "exited" || outcome.ending.code !== 0) return null;
    const text = outcome.stdout.text.trim() || outcome.stderr.text.trim();
    return text.split("\n")[0]!.slice(0, maxVersion) || null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#sources.map((source) => source[Symbol.asyncDispose]()));
  }
}

/** True when a help text names an option; `--[no-]color` names two. */
export function mentions(help: string, flag: string): boolean {
  const spelled = help.replaceAll(/--\[(no-?)\]([\w-]+)/g, "--$2 --$1$2");
  const escaped = flag.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<![\\w-])${escaped}(?![\\w-])`).test(spelled);
}

async function hashOfFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  using file = await Deno.open(systemPath(path));
  for await (const chunk of file.readable) hash.update(chunk);
  return hash.digest("hex");
}

/** A tool with its program. */
export interface Used {
  readonly tool: Tool;
  readonly use: ProgramUse;
}

/** The tools that have a program, with their programs. */
export function usedIn(tools: readonly Tool[]): Used[] {
  return tools.flatMap((tool) => {
    const use = programOf(tool);
    return use === undefined ? [] : [{ tool, use }];
  });
}
