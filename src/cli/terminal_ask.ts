/** Asks the person at the terminal, for `climax call`. */

import { io } from "../io.ts";
import { say } from "../log.ts";
import type { Ask, Question } from "../tool/runner.ts";
import { readLine } from "./ask.ts";

/** Returns a function that asks at the terminal; `undefined` where stdin is not a terminal. */
export function terminalAsk(): Ask | undefined {
  return io().stdin.isTerminal() && io().stderr.isTerminal() ? askAtTerminal : undefined;
}

async function askAtTerminal(question: Question): Promise<Awaited<ReturnType<Ask>>> {
  if (question.mode !== "form" || !isYesOrNo(question)) {
    return { action: "unasked", reason: "the terminal can only ask for yes or no" };
  }
  const [name] = Object.keys(propertiesOf(question));
  say(`${question.message}\nRun it? Only 'yes' does:`);
  const answer = await readLine();
  if (answer === undefined) return { action: "cancel" };
  return answer.trim().toLowerCase() === "yes"
    ? { action: "accept", content: { [name!]: true } }
    : { action: "decline" };
}

function isYesOrNo(question: Question & { readonly mode: "form" }): boolean {
  const types = Object.values(propertiesOf(question)).map((each) =>
    (each as { type?: string }).type
  );
  return types.length === 1 && types[0] === "boolean";
}

function propertiesOf({ requestedSchema }: Question & { readonly mode: "form" }): object {
  return (requestedSchema["properties"] ?? {}) as object;
}
