/** Classic mode: shows every tool of the catalogue by its own name. */

import type { CallContext } from "../call/context.ts";
import { promisedSchema } from "../call/background.ts";
import { inputSchema } from "../tool/json_schema.ts";
import { annotationsOf } from "../tool/annotations.ts";
import type { Tool } from "../tool/tool.ts";
import { resultHints } from "./_client_hints.ts";
import { classicInstructions } from "./instructions.ts";
import { type ListedTool, type Surface, type SurfaceObserver, surfaceOver } from "./surface.ts";

export function classicSurface(
  context: CallContext,
  observers?: readonly SurfaceObserver[],
): Surface {
  return surfaceOver(context, {
    instructions: (index) => classicInstructions(index.summary(), index),
    list: (index) => index.tools.map((tool) => listed(context, tool)),
  }, observers);
}

function listed(context: CallContext, tool: Tool): ListedTool {
  const { name, description, title, icons } = tool;
  const output = promisedSchema(context.background, tool);
  const annotations = annotationsOf(tool);
  return {
    name,
    description,
    inputSchema: inputSchema(tool),
    ...(output === undefined ? {} : { outputSchema: output }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    ...(title === undefined ? {} : { title }),
    ...(icons === undefined ? {} : { icons }),
    ...metaOf(tool, resultHints(context)),
  };
}

function metaOf({ meta }: Tool, { _meta }: Pick<ListedTool, "_meta">): Pick<ListedTool, "_meta"> {
  return meta === undefined && _meta === undefined ? {} : { _meta: { ...meta, ..._meta } };
}
