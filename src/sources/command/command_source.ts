/** START HERE for command-line programs: loads their configs, and is the source of their tools. */

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
  /** Returns names of further configs at each load. */
  readonly more?: (() => Promise<readonly string[]>) | undefined;
}

export class CommandToolSource implements ToolSource {
  readonly kind = commandKind;
  readonly #environment: Environment;
  readonly #options: CommandToolSourceOptions;
  readonly #specs: readonly (string | NamedText)[];
  /** The files and texts that each name stood for at its first load, which a reload reads again. */
  readonly #pinned = new Map<string, readonly (string | NamedText)[]>();
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

  async load(): Promise<LoadedConfigs> {
    const specs = [...this.#specs, ...await this.#options.more?.() ?? []];
    const known = specs.map((spec) => {
      return typeof spec === "string" && this.#pinned.get(spec) || [spec];
    });
    const loaded = await loadConfigs(known.flat(), this.#environment, this.#options);
    let at = 0;
    for (const [index, spec] of specs.entries()) {
      const end = at + withoutSets(known[index]!).length;
      if (typeof spec === "string") this.#pinned.set(spec, loaded.pinned.slice(at, end));
      at = end;
    }
    // Missing files are watched too, since a config may return
    this.files = [...new Set([...this.files, ...loaded.files])];
    return loaded;
  }

  useExecutor(executor: Executor): Runner {
    return this.#runner = commandRunner({ ...this.#options, executor });
  }
}
