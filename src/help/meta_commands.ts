/** Commands about the program itself, such as `help`, which an agent does not need. */

/** True for the name of such a command. */
export function isMetaCommand(name: string): boolean {
  return /^(?:help|completions?|autocomplete|shell-completion|version|__.*)$/.test(name);
}
