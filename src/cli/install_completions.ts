/** Installs a script where a shell looks for completions. */

import { dirname, join } from "node:path";
import { readTextFile } from "../files/text_file.ts";
import { writeWhole } from "../files/write_file.ts";
import { ClimaxError, ExitCode, UsageError } from "../errors.ts";
import { optionalVariable } from "../process/environment.ts";
import { homeFolders } from "../process/folders.ts";

/** The shells that have a script. */
export type Shell = "bash" | "zsh" | "fish" | "powershell";

/** The path of the script, and what the person must do. */
export interface InstalledCompletions {
  readonly path: string;
  readonly next: string;
  /** True when the file was missing or had another text. */
  readonly isNew: boolean;
}

/** Writes `script`. @throws {ClimaxError} when another file has its path */
export async function installCompletions(
  shell: Shell,
  script: string,
): Promise<InstalledCompletions> {
  const { path, next } = placeFor(shell);
  const there = await readTextFile(path);
  if (there.ok && !/climax'? complete/.test(there.text)) {
    const hint = "Move it away, or add by hand what climax completions prints";
    const message = "There is a file already, and it is not ours";
    throw new ClimaxError("Nothing was written", ExitCode.file, [{ file: path, message, hint }]);
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
    case "powershell":
      throw new UsageError(
        "PowerShell has no folder for completions",
        "Put this into $PROFILE: climax completions powershell | Out-String | Invoke-Expression",
      );
  }
}
