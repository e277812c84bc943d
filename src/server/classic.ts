/** Classic mode: a client lists each tool of the catalogue, and calls it by its name. */

import { backgroundAfter, jobKey, schemaOfBackground, takesJobKey } from "../call/background.ts";
import type { CallContext } from "../call/context.ts";
import { annotationsOf } from "../tool/annotations.ts";
import { inputSchema } from "../tool/json_schema.ts";
import type { ObjectSchema, Tool } from "../tool/tool.ts";
import { classicInstructions } from "./instructions.ts";
import {
  type FeatureSurface,
  type ListedTool,
  resultHints,
  type Surface,
  type SurfaceObserver,
  surfaceOver,
} from "./surface.ts";

export function classicSurface(
  context: CallContext,
  observers?: readonly SurfaceObserver[],
  features?: FeatureSurface,
): Surface {
  return surfaceOver(context, {
    instructions: (index) => classicInstructions(index.summary(), index),
    list: (index) => index.tools.map((tool) => listTool(context, tool)),
    features,
  }, observers);
}

function listTool(context: CallContext, tool: Tool): ListedTool {
  const { name, description, title, icons } = tool;
  const output = schemaOfBackground(context.background, tool);
  const annotations = annotationsOf(tool);
  const meta = { ...tool.meta, ...resultHints(context) };
  return {
    name,
    description,
    inputSchema: withJobKey(context, tool),
    ...(output === undefined ? {} : { outputSchema: output }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    ...(title === undefined ? {} : { title }),
    ...(icons === undefined ? {} : { icons }),
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
  };
}

/** Adds the key that asks for a job at once to the schema of a tool that may become one. */
function withJobKey({ background }: CallContext, tool: Tool): ObjectSchema {
  const schema = inputSchema(tool);
  const isSlow = (backgroundAfter(background, tool) ?? 0) > 0;
  if (!isSlow || !takesJobKey(background, tool)) return schema;
  const key = { type: "boolean", description: "Return a background job at once" };
  return { ...schema, properties: { ...schema.properties, [jobKey]: key } };
}
