/** `climax skill`: prints or installs instructions for a coding agent that writes or refines a config. */

import { io } from "../../io.ts";
import {
  installSkill,
  type SkillAgent,
  skillAgents,
  skillPath,
  skillText,
} from "../../setup/skill.ts";
import { ExitCode } from "../../errors.ts";
import { say } from "../../log.ts";
import type { Command, CommandArguments, Example } from "../command.ts";
import { choiceOption } from "../options.ts";
import { print } from "../output.ts";

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

export async function run(...[options]: CommandArguments<typeof define>): Promise<ExitCode> {
  const path = skillPath(options.agent, io().cwd());
  if (options.path) {
    await print(path);
  } else if (options.install) {
    const installed = await installSkill(options.agent, io().cwd(), {
      overwrite: options.force ?? false,
    });
    await print(path);
    say(
      installed === "same" ? "It is there already" : "Start a new session of the agent to use it",
    );
  } else {
    await print(skillText.trimEnd());
  }
  return ExitCode.ok;
}
