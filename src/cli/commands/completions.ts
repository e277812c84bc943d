/**
 * `climax completions`: scripts that let a shell complete climax's words. The scripts ask
 * `climax complete`, so they know the tools of the configs that are on the line.
 */

import { Argument, type Command } from "@commander-js/extra-typings";
import { ExitCode } from "../../errors.ts";
import type { Example, Words } from "../commands.ts";
import { oneOf } from "../options.ts";
import { print } from "../output.ts";

/** The words of `climax completions`. */
export function grammar(command: Command) {
  return command
    .description("Print a script that lets a shell complete the words of climax")
    .addArgument(
      new Argument("<shell>", "the shell").choices(shells).argParser(oneOf("The shell", shells)),
    );
}

export const examples: readonly Example[] = [
  ["completions bash", "print the script; `source <(climax completions bash)` uses it at once"],
];

/** Prints the script for a shell. */
export async function action(...[shell]: Words<typeof grammar>): Promise<ExitCode> {
  await print(scripts[shell]);
  return ExitCode.ok;
}

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

const scripts = { bash, zsh, fish, powershell };

const shells = Object.keys(scripts) as (keyof typeof scripts)[];
