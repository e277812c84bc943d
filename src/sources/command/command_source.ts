/** START HERE for command-line programs as a source of tools. */

import type { Environment } from "../../files/expand.ts";
import type { Executor } from "../../exec/executor.ts";
import type { NamedText } from "../../text/named_text.ts";
import type { Runner } from "../../tool/runner.ts";
import { commandKind } from "../../tool/tool.ts";
import type { ToolSource } from "../source.ts";
import { withoutSets } from "./bundled.ts";
import { loadConfigs, type LoadConfigsOptions, type LoadedConfigs } from "./load.ts";
import { commandRunner, type CommandRunnerOptions } from "./runner.ts";

interface CommandToolSourceOptions
  extends LoadConfigsOptions, Omit<CommandRunnerOptions, "executor"> {
  /** Returns further configs; it is called again at each load. */
  readonly more?: (() => Promise<readonly string[]>) | undefined;
}

export class CommandToolSource implements ToolSource {
  readonly kind = commandKind;
  readonly #environment: Environment;
  readonly #options: CommandToolSourceOptions;
  readonly #specs: readonly (string | NamedText)[];
  /** The files and texts that a name stood for when it was first loaded. */
  readonly #pinned = new Map<string, readonly (string | NamedText)[]>();
  /** Paths of the configs that were read from files. */
  files: readonly string[] = [];
  #runner: Runner;

  constructor(
    specs: readonly (string | NamedText)[],
    environment: Environment,
    options: CommandToolSourceOptions,
  ) {
    this.#specs = specs;
    this.#environment = environment;
    this.#options = options;
    this.#runner = commandRunner(options);
  }

  get runner(): Runner {
    return this.#runner;
  }

  /** Loads the configs. After its first load, a name means the file that was found then. */
  async load(): Promise<LoadedConfigs> {
    const specs = [...this.#specs, ...await this.#options.more?.() ?? []];
    const known = specs.map((spec) => this.#pin(spec) ?? [spec]);
    const loaded = await loadConfigs(known.flat(), this.#environment, this.#options);
    let at = 0;
    for (const [index, spec] of specs.entries()) {
      const end = at + withoutSets(known[index]!).length;
      if (typeof spec === "string") this.#pinned.set(spec, loaded.pinned.slice(at, end));
      at = end;
    }
    // A file that is missing now may come back
    this.files = [...new Set([...this.files, ...loaded.files])];
    return loaded;
  }

  #pin(spec: string | NamedText): readonly (string | NamedText)[] | undefined {
    return typeof spec === "string" ? this.#pinned.get(spec) : undefined;
  }

  useExecutor(executor: Executor): Runner {
    return this.#runner = commandRunner({ ...this.#options, executor });
  }
}
