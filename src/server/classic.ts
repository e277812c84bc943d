/** Classic mode: every tool of the catalogue by its own name. */

import { call } from "../call/call.ts";
import type { CallContext } from "../call/context.ts";
import { inputSchema } from "../tool/json_schema.ts";
import { annotationsOf } from "../tool/annotations.ts";
import type { Tool } from "../tool/tool.ts";
import { classicInstructions } from "./instructions.ts";
import type { ListedTool, Surface } from "./surface.ts";

/** The tools of the catalogue, one for one. */
export function classicSurface(context: CallContext): Surface {
  const { index } = context;
  const listed = index.tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    inputSchema: inputSchema(tool),
    ...annotated(tool),
  }));
  return {
    instructions: classicInstructions(index.summary()),
    list: () => listed,
    call: (name, args, options) => call(context, { tool: name, args }, options),
  };
}

function annotated(tool: Tool): Pick<ListedTool, "annotations"> {
  const annotations = annotationsOf(tool);
  return Object.keys(annotations).length === 0 ? {} : { annotations };
}
