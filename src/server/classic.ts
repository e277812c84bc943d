/** Classic mode: every tool of the catalogue by its own name. */

import { call } from "../call/call.ts";
import { type CallContext, onIndexChange } from "../call/context.ts";
import { hasJobs, shownOutput } from "../call/going_on.ts";
import { inputSchema } from "../tool/json_schema.ts";
import { annotationsOf } from "../tool/annotations.ts";
import type { Tool } from "../tool/tool.ts";
import { resultHints } from "./_client_hints.ts";
import { classicInstructions, writtenOnce } from "./instructions.ts";
import type { ListedTool, Surface } from "./surface.ts";

/** The tools of the catalogue, one for one. */
export function classicSurface(context: CallContext): Surface {
  // Over HTTP every request asks for them
  const instructions = writtenOnce(context, (index) => classicInstructions(index.summary()));
  const callTool: Surface["callTool"] = (tool, args, options) => {
    return call(context, { tool, args }, options);
  };
  return {
    get instructions() {
      return instructions();
    },
    get hasJobs() {
      return hasJobs(context);
    },
    list: writtenOnce(context, (index) => index.tools.map((tool) => listed(context, tool))),
    call: callTool,
    callTool,
    onChange: (listener) => onIndexChange(context, listener),
  };
}

function listed(context: CallContext, tool: Tool): ListedTool {
  const { name, description, title, icons } = tool;
  const output = shownOutput(context.goingOn, tool);
  const annotations = annotationsOf(tool);
  return {
    name,
    description,
    inputSchema: inputSchema(tool),
    ...(output === undefined ? {} : { outputSchema: output }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    ...(title === undefined ? {} : { title }),
    ...(icons === undefined ? {} : { icons }),
    ...resultHints(context),
  };
}
