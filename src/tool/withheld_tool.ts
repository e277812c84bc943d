/** Tools that are not served, because they are not as a person accepted them. */

import type { Tool } from "./tool.ts";

export interface WithheldTool {
  /** With the name, the owner and the effect by which a policy decides about it. */
  readonly tool: Tool;
  /** The text for a caller. */
  readonly explanation: string;
}

/** `tool` with the cause, and the command with which a person accepts it. */
export function withheld(tool: Tool, cause: string, command: string): WithheldTool {
  const explanation = `Tool '${tool.name}' is withheld: ${cause}\n` +
    `Ask a person to look at it; this accepts it: ${command}`;
  return { tool, explanation };
}
