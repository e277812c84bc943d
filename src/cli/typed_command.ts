/** Replaces `climax` in commands that texts name by what this person typed, so that they can be pasted. */

import { launcherFile, typedLauncher } from "../process/own_command.ts";
import { shellWord } from "../text/shell_word.ts";

/** First words of commands. In front of any other word, `climax` is the name of the product. */
const firstWords = [
  ...["add", "build", "call", "compile", "complete", "completions", "connect", "doctor", "enrich"],
  ...[
    "eval",
    "generate",
    "groups",
    "help",
    "init",
    "list",
    "lock",
    "login",
    "logout",
    "mcp",
    "new",
  ],
  ...[
    "permissions",
    "policy",
    "remove",
    "run",
    "schema",
    "script",
    "search",
    "show",
    "skill",
    "stats",
    "token",
    "trust",
  ],
  ...["ui", "validate", "version"],
];

/** Also where a colour begins. */
const commands = new RegExp(
  `(?:(?<![\\w./-])|(?<=\\x1b\\[\\d+m))climax(?=\\s+(?:${firstWords.join("|")}|CONFIG|COMMAND)\\b)`,
  "g",
);

/** Returns `text` with the launcher as it was typed (`./climax call …`), if that started this program. */
export function asTyped(text: string): string {
  return text.replace(commands, typedName);
}

/** The first word of a command line for this person. */
export function typedName(): string {
  return shellWord(typedLauncher() ?? "climax");
}

/** Returns a script with commands that work in any folder. */
export function fromAnywhere(script: string): string {
  const typed = typedLauncher();
  if (typed === undefined || typed === "climax") return script;
  return script.replaceAll(
    "climax complete",
    () => `${shellWord(launcherFile())} complete`,
  );
}
