/** What holds where no policy is given. It is code and no file, as reading a policy would make each start slower. */

import { plural } from "../text/plural.ts";
import { declaresChange } from "../tool/annotations.ts";
import type { Tool } from "../tool/tool.ts";

/** The rule of a tool that no policy decides about. */
export const noPolicy = "no policy";

/** The tool, which asks a person before each call if it declares that it writes. */
export function withoutPolicy(tool: Tool): Tool {
  const asks = tool.needsConsent ?? declaresChange(tool);
  return asks ? { ...tool, needsConsent: true, rule: noPolicy } : tool;
}

/** Says how many of `tools` ask, and which rule holds, to the person who starts climax. */
export function confirmationWords(tools: readonly Tool[], policy: unknown): string {
  const asking = tools.filter(({ needsConsent }) => needsConsent).length;
  const why = policy === undefined
    ? ": those that say they write (--policy open: none asks)"
    : ", as the policy says";
  return `${asking} of ${plural(tools.length, "tool")} ask a person first${why}`;
}
