/** The instructions that `climax skill` hands to a coding agent, and where agents look for such. */

import { join } from "node:path";
import { makeFolder, replaceFile } from "../files/write_file.ts";
import { ClimaxError, ExitCode, messageOf } from "../errors.ts";
import text from "./skill.md" with { type: "text" };

/** The instructions, as the text of a `SKILL.md`. */
export const skillText: string = text;

/** Where each agent looks for the skills of a project. */
const folders = {
  agents: ".agents/skills",
  claude: ".claude/skills",
  codex: ".agents/skills",
  copilot: ".github/skills",
  cursor: ".cursor/skills",
  gemini: ".gemini/skills",
} as const;

/** An agent whose place is known; `agents` is the place that several share. */
export type SkillAgent = keyof typeof folders;

/** Their names. */
export const skillAgents = Object.keys(folders) as readonly SkillAgent[];

/** The path of the skill for `agent`, within the project at `directory`. */
export function skillPath(agent: SkillAgent, directory: string): string {
  return join(directory, folders[agent], "climax-config", "SKILL.md");
}

/** What became of a file that was to be written. */
export type InstalledSkill = "written" | "same";

/**
 * Writes the skill for `agent` into the project at `directory`. A file that says something else is
 * somebody's work and stays, unless `overwrite` is set.
 *
 * @throws {ClimaxError} when the file is another one, or cannot be written
 */
export async function installSkill(
  agent: SkillAgent,
  directory: string,
  { overwrite }: { readonly overwrite: boolean },
): Promise<InstalledSkill> {
  const path = skillPath(agent, directory);
  const before = await readIfThere(path);
  if (before === skillText) return "same";
  if (before !== undefined && !overwrite) {
    const message = "There is another text already";
    const hint = "Compare them, then install with --force";
    throw notWritten({ file: path, message, hint });
  }
  try {
    await makeFolder(path, { root: directory });
    await replaceFile(path, skillText, { root: directory });
  } catch (error) {
    throw notWritten({ file: path, message: `File cannot be written: ${messageOf(error)}` });
  }
  return "written";
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw notWritten({ file: path, message: `File cannot be read: ${messageOf(error)}` });
  }
}

function notWritten(problem: { file: string; message: string; hint?: string }): ClimaxError {
  return new ClimaxError("The skill was not installed", ExitCode.file, [problem]);
}
