/** Questions to the person at the terminal, on stderr, since stdout is for what was asked for. */

import process from "node:process";

/** Whether there is somebody to ask. */
export function canAsk(): boolean {
  return Deno.stdin.isTerminal() && Deno.stderr.isTerminal();
}

/** Yes or no; no when the person goes away. */
export async function confirm(message: string): Promise<boolean> {
  const { confirm, isCancel } = await import("@clack/prompts");
  const answer = await confirm({ message, initialValue: false, output: process.stderr });
  return !isCancel(answer) && answer;
}

/** One of `choices`; nothing when the person goes away. */
export async function choose<Choice extends string>(
  message: string,
  choices: readonly Choice[],
): Promise<Choice | undefined> {
  const { isCancel, select } = await import("@clack/prompts");
  const options = choices.map((value) => ({ value: value as string, label: value as string }));
  const answer = await select({ message, options, output: process.stderr });
  return isCancel(answer) ? undefined : answer as Choice;
}

/** A line of text; nothing when the person goes away. */
export async function askText(message: string, otherwise = ""): Promise<string | undefined> {
  const { isCancel, text } = await import("@clack/prompts");
  const answer = await text({ message, initialValue: otherwise, output: process.stderr });
  return isCancel(answer) ? undefined : answer;
}
