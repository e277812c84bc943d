/** START HERE for command-line programs as a source of tools. */

import type { Environment } from "../../files/expand.ts";
import type { Executor } from "../../exec/executor.ts";
import type { NamedText } from "../../text/named_text.ts";
import type { Runner } from "../../tool/runner.ts";
import { commandKind } from "../../tool/tool.ts";
import type { ToolSource } from "../source.ts";
import { loadConfigs, type LoadConfigsOptions, type LoadedConfigs } from "./load.ts";
import { commandRunner, type CommandRunnerOptions } from "./runner.ts";

export interface CommandToolSourceOptions
  extends LoadConfigsOptions, Omit<CommandRunnerOptions, "executor"> {}

export class CommandToolSource implements ToolSource {
  readonly kind = commandKind;
  readonly #environment: Environment;
  readonly #options: CommandToolSourceOptions;
  #specs: readonly (string | NamedText)[];
  /** Paths of the configs that the first load read from files. */
  files: readonly string[] = [];
  /** Names of the environment variables that were used to find them. */
  foundBy: readonly string[] = [];
  #isPinned = false;
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

  /** After the first load, names mean the files that were found then. */
  async load(): Promise<LoadedConfigs> {
    const loaded = await loadConfigs(this.#specs, this.#environment, this.#options);
    if (!this.#isPinned) {
      ({ pinned: this.#specs, files: this.files, foundBy: this.foundBy } = loaded);
    }
    this.#isPinned = true;
    return loaded;
  }

  /** Replaces the runner for later calls. */
  useExecutor(executor: Executor): Runner {
    return this.#runner = commandRunner({ ...this.#options, executor });
  }
}
