/** Commands about the program itself, of which no agent has use. */

/** Whether a command of this name is one of them. */
export function isMetaCommand(name: string): boolean {
  return /^(?:help|completions?|autocomplete|shell-completion|version|__.*)$/.test(name);
}
