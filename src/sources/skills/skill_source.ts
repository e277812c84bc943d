/** START HERE for skills (MCP extension `io.modelcontextprotocol/skills`), which are folders `NAME/SKILL.md`. */

import type { LoadResult, ToolSource } from "../source.ts";
import type { Runner } from "../../tool/runner.ts";
import type { Tool } from "../../tool/tool.ts";
import type { Skills } from "./skills.ts";
import { dirname, join, resolve } from "node:path";
import { systemPath } from "../../io.ts";
import { protect } from "../../process/protected_paths.ts";
import { statOf } from "../../process/folders.ts";

const skillKind = "skill";

interface SkillSourceOptions {
  /** Returns the paths of the configs; known only after they are loaded. */
  readonly files: () => readonly string[];
  /** Folders of skills that the file of a project names. */
  readonly named: readonly string[];
}

export class SkillToolSource implements ToolSource {
  readonly kind = skillKind;
  readonly runner: Runner;
  readonly #options: SkillSourceOptions;
  #skills: Skills | undefined;
  #folders: readonly string[] = [];
  #onChange: (() => void) | undefined;

  constructor(options: SkillSourceOptions) {
    this.#options = options;
    this.runner = { prepare: (tool) => this.#skills!.planOf(tool) };
  }

  async load(): Promise<LoadResult> {
    const { files, named } = this.#options;
    this.#folders = skillFolders(files(), named);
    const warnings = named.length === 0 ? [] : this.#missing();
    if (this.#folders.length === 0) return loadResult([], warnings);
    const { Skills } = await import("./skills.ts");
    this.#skills ??= new Skills(() => this.#onChange?.());
    const found = await this.#skills.load(this.#folders);
    return loadResult(found.tools, [...warnings, ...found.warnings]);
  }

  /** Absent until there is a folder of skills, so that a session without skills does not declare resources. */
  get findFeature(): ToolSource["findFeature"] {
    return this.#skills === undefined
      ? undefined
      : (name, args, listed) => this.#skills!.find(name, args, listed);
  }

  subscribe(onChange: () => void): void {
    this.#onChange = onChange;
  }

  #missing(): LoadResult["warnings"] {
    const { named } = this.#options;
    const there = new Set(skillFolders([], named));
    return named.filter((folder) => !there.has(folder)).map((folder) => {
      return { file: folder, message: "The folder of skills is not found" };
    });
  }
}

function loadResult(tools: readonly Tool[], warnings: LoadResult["warnings"]): LoadResult {
  return { tools, warnings, problems: [], unreadable: false };
}

/** Returns the existing folders of skills: `skills` beside each config in `files`, and the folders `named`. */
export function skillFolders(files: readonly string[], named: readonly string[] = []) {
  const beside = files.map((file) => join(dirname(file), "skills"));
  const all = [...new Set([...beside, ...named].map((folder) => resolve(systemPath(folder))))];
  return all.filter((folder) => statOf(folder)?.isDirectory).map((folder) => protect(folder));
}
