/** The instructions of `climax skill` for coding agents, and the folders where agents look for skills. */

import { join } from "node:path";
import { readTextFile } from "../files/text_file.ts";
import { makeFolder, replaceFile, requireWrite } from "../files/write_file.ts";
import { ClimaxError, ExitCode } from "../errors.ts";
import text from "./skill.md" with { type: "text" };

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

/** Writes the skill, or says that it is there; another text stays unless `overwrite` is set. @throws {ClimaxError} */
export async function installSkill(
  agent: SkillAgent,
  directory: string,
  { overwrite }: { readonly overwrite: boolean },
): Promise<"written" | "same"> {
  const path = skillPath(agent, directory);
  const failure = "The skill was not installed";
  const before = await readTextFile(path);
  if (before.ok && before.text === skillText) return "same";
  if (!before.ok && !before.isMissing) {
    throw new ClimaxError(failure, ExitCode.file, [before.problem]);
  }
  if (before.ok && !overwrite) {
    const message = "There is another text already";
    const hint = "Compare them, then install with --force";
    throw new ClimaxError(failure, ExitCode.file, [{ file: path, message, hint }]);
  }
  await requireWrite(path, failure, async () => {
    await makeFolder(path, { root: directory });
    await replaceFile(path, skillText, { root: directory });
  });
  return "written";
}
