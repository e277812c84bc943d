/** What holds where no policy is given. It is code and no file, as reading a policy would make each start slower. */

import { declaresChange } from "../tool/annotations.ts";
import type { Tool } from "../tool/tool.ts";

/** The rule of a tool that no policy decides about. */
export const noPolicy = "no policy";

/** The tool, which asks a person before each call if it declares that it writes. */
export function withoutPolicy(tool: Tool): Tool {
  const asks = tool.needsConsent ?? declaresChange(tool);
  return asks ? { ...tool, needsConsent: true, rule: noPolicy } : tool;
}

/** Says which rule about questions holds for `tools`, to the person who starts climax. */
export function questionWords(tools: readonly Tool[], policy: unknown): string {
  const asking = tools.filter(({ needsConsent }) => needsConsent).length;
  const counted = `${asking} of ${tools.length} tools ask a person first`;
  return policy === undefined
    ? `Tools that say they write ask first: ${counted} (--policy open: none asks)`
    : `The policy decides: ${counted}`;
}
