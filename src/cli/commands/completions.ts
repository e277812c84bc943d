/**
 * `climax completions`: scripts that let a shell complete climax's words. The scripts ask
 * `climax complete`, so they know the tools of the configs that are on the line.
 */

import { ExitCode } from "../../errors.ts";
import { print } from "../output.ts";

const bash = `_climax() {
  local IFS=$'\\n'
  COMPREPLY=($(climax complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _climax climax`;

const zsh = `#compdef climax
_climax() {
  local -a found
  found=("\${(@f)$(climax complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  [[ -n "$found" ]] && compadd -a found || _files
}
compdef _climax climax`;

const fish = `function __climax_complete
  climax complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null
end
complete -c climax -a '(__climax_complete)'`;

const powershell = `Register-ArgumentCompleter -Native -CommandName climax -ScriptBlock {
  param($word, $ast, $position)
  $words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
  if (-not $word) { $words += '' }
  climax complete -- @words 2>$null | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}`;

const scripts: ReadonlyMap<string, string> = new Map([
  ["bash", bash],
  ["zsh", zsh],
  ["fish", fish],
  ["powershell", powershell],
]);

/** The shells there are completions for. */
export const shells = ["bash", "zsh", "fish", "powershell"] as const;

/** Prints the script for `shell`, one of {@linkcode shells}. */
export async function completionsCommand(shell: string): Promise<ExitCode> {
  await print(scripts.get(shell)!);
  return ExitCode.ok;
}
