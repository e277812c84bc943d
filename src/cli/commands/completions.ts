/** `climax completions`: scripts for shells, which call `climax complete`. */

import { Argument, type Command } from "@commander-js/extra-typings";
import { ExitCode, FileError, UsageError } from "../../errors.ts";
import type { CommandArguments, Example } from "../command.ts";
import { oneOf } from "../options.ts";
import { print } from "../output.ts";
import { fromAnywhere } from "../messages.ts";
import { dirname, join } from "node:path";
import { readTextFile } from "../../files/text_file.ts";
import { writeWhole } from "../../files/write_file.ts";
import { homeFolders } from "../../process/folders.ts";
import bash from "../completions/climax.bash" with { type: "text" };
import fish from "../completions/climax.fish" with { type: "text" };
import zsh from "../completions/climax.zsh" with { type: "text" };
import { optionalVariable } from "../../io.ts";

export function define(command: Command) {
  return command
    .description("Print a shell completion script")
    .addArgument(
      new Argument("[shell]", "the shell (default: yours)").choices(shells)
        .argParser(oneOf("The shell", shells)),
    )
    .option("--install", "put it where the shell finds it");
}

export const examples: readonly Example[] = [
  ["completions bash", "print the script; `source <(climax completions bash)` uses it at once"],
  ["completions --install", "put it where your shell finds it"],
];

export async function run(...[named, options]: CommandArguments<typeof define>) {
  const shell = named ?? ownShell();
  const script = fromAnywhere(scripts[shell]);
  if (!options.install) {
    await print(script.trimEnd());
    return ExitCode.ok;
  }
  const { path, next, isNew } = await installCompletions(shell, script);
  await print(isNew ? `Wrote ${path}` : `${path} is unchanged`);
  await print(next);
  await print("To take it out again, remove the file");
  return ExitCode.ok;
}

function ownShell(): Shell {
  const login = optionalVariable("SHELL") ?? "";
  const own = login.split(/[/\\]/).at(-1);
  const shell = shells.find((each) => each === own);
  if (shell !== undefined) return shell;
  const why = login === "" ? "SHELL is not set" : `SHELL is '${login}'`;
  throw new UsageError(
    `Which shell is yours is not known: ${why}`,
    `Name one of ${shells.join(", ")}: climax completions bash`,
  );
}

const scripts = { bash, zsh, fish };

type Shell = keyof typeof scripts;

const shells = Object.keys(scripts) as Shell[];

interface InstalledCompletions {
  readonly path: string;
  readonly next: string;
  /** True when the file was missing or had another text. */
  readonly isNew: boolean;
}

/** Writes `script`. @throws {ClimaxError} when another file has its path */
async function installCompletions(shell: Shell, script: string): Promise<InstalledCompletions> {
  const { path, next } = placeFor(shell);
  const there = await readTextFile(path);
  if (there.ok && !/climax'? complete/.test(there.text)) {
    const hint = "Move it away, or add by hand what climax completions prints";
    const message = "There is a file already, and it is not ours";
    throw new FileError("Nothing was written", { file: path, message, hint });
  }
  if (there.ok && there.text === script) return { path, next, isNew: false };
  await writeWhole(path, script);
  return { path, next, isNew: true };
}

function placeFor(shell: Shell): Omit<InstalledCompletions, "isNew"> {
  const home = homeFolders()?.home;
  if (home === undefined) throw new UsageError("Your home folder is not known", "Set HOME");
  const data = optionalVariable("XDG_DATA_HOME") || join(home, ".local", "share");
  const settings = optionalVariable("XDG_CONFIG_HOME") || join(home, ".config");
  switch (shell) {
    case "bash":
      return {
        path: join(data, "bash-completion", "completions", "climax"),
        next: "Start a new shell; the package bash-completion finds it there",
      };
    case "zsh": {
      const path = join(data, "zsh", "site-functions", "_climax");
      const line = `fpath=(${dirname(path)} $fpath)`;
      return { path, next: `Put this into .zshrc, before compinit: ${line}` };
    }
    case "fish":
      return { path: join(settings, "fish", "completions", "climax.fish"), next: "That is all" };
  }
}
