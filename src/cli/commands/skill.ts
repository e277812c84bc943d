/** `climax skill`: prints or installs instructions for a coding agent that writes or refines a config. */

import { io } from "../../io.ts";
import { ExitCode, FileError } from "../../errors.ts";
import { say } from "../../log.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { choiceOption } from "../options.ts";
import { print } from "../output.ts";
import { join } from "node:path";
import { readTextFile } from "../../files/text_file.ts";
import { makeFolder, replaceFile, requireWrite } from "../../files/write_file.ts";
import skillText from "../../setup/skill.md" with { type: "text" };

export function define(command: Command) {
  return command
    .description("Print the instructions by which a coding agent writes or refines a config")
    .option("--path", "print where they are installed, and install nothing")
    .option("--install", "write them where the agent of this project looks for them")
    .addOption(
      choiceOption("--agent <agent>", "the agent they are for", skillAgents).default<SkillAgent>(
        "claude",
      ),
    )
    .option("--force", "install them over another text");
}

export const examples: readonly Example[] = [
  ["skill", "read what an agent would be told"],
  ["skill --install", "write .claude/skills/climax-config/SKILL.md"],
  ["skill --install --agent codex", "write it where Codex looks"],
];

export async function run(...[options]: CommandArguments<typeof define>) {
  const path = join(io().cwd(), folders[options.agent], "climax-config", "SKILL.md");
  if (options.path) {
    await print(path);
  } else if (options.install) {
    const isNew = await installSkill(path, options.force ?? false);
    await print(path);
    say(isNew ? "Start a new session of the agent to use it" : "It is there already");
  } else {
    await print(skillText.trimEnd());
  }
  return ExitCode.ok;
}

const folders = {
  agents: ".agents/skills",
  claude: ".claude/skills",
  codex: ".agents/skills",
  copilot: ".github/skills",
  cursor: ".cursor/skills",
  gemini: ".gemini/skills",
} as const;

/** An agent with a known folder; `agents` is the folder that several share. */
type SkillAgent = keyof typeof folders;

const skillAgents = Object.keys(folders) as readonly SkillAgent[];

/** Writes the skill; false if it is there. Another text stays unless `overwrites`. @throws {ClimaxError} */
async function installSkill(path: string, overwrites: boolean): Promise<boolean> {
  const failure = "The skill was not installed";
  const before = await readTextFile(path);
  if (before.ok && before.text === skillText) return false;
  if (!before.ok && !before.isMissing) throw new FileError(failure, before.problem);
  if (before.ok && !overwrites) {
    const message = "There is another text already";
    const hint = "Compare them, then install with --force";
    throw new FileError(failure, { file: path, message, hint });
  }
  const root = io().cwd();
  await requireWrite(path, failure, async () => {
    await makeFolder(path, { root });
    await replaceFile(path, skillText, { root });
  });
  return true;
}
