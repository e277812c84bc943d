/** The instructions of `climax skill` for coding agents, and the folders where agents look for skills. */

import { join } from "node:path";
import { readTextFile } from "../files/text_file.ts";
import { makeFolder, replaceFile } from "../files/write_file.ts";
import { ClimaxError, ExitCode, messageOf } from "../errors.ts";
import text from "./skill.md" with { type: "text" };

/** The instructions, as the text of a `SKILL.md`. */
export const skillText: string = text;

const folders = {
  agents: ".agents/skills",
  claude: ".claude/skills",
  codex: ".agents/skills",
  copilot: ".github/skills",
  cursor: ".cursor/skills",
  gemini: ".gemini/skills",
} as const;

/** An agent with a known folder; `agents` is the folder that several share. */
export type SkillAgent = keyof typeof folders;

export const skillAgents = Object.keys(folders) as readonly SkillAgent[];

/** The path of the skill for `agent`, within the project at `directory`. */
export function skillPath(agent: SkillAgent, directory: string): string {
  return join(directory, folders[agent], "climax-config", "SKILL.md");
}

type InstalledSkill = "written" | "same";

/** Writes the skill; another text stays unless `overwrite` is set. @throws {ClimaxError} for it */
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
  const read = await readTextFile(path);
  if (read.ok) return read.text;
  if (read.isMissing) return undefined;
  throw notWritten({ ...read.problem, file: path });
}

function notWritten(problem: { file: string; message: string; hint?: string }): ClimaxError {
  return new ClimaxError("The skill was not installed", ExitCode.file, [problem]);
}
