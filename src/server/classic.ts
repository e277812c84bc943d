/** Classic mode: a client lists each tool of the catalogue, and calls it by its name. */

import { backgroundAfter, jobKey, schemaOfBackground, takesJobKey } from "../call/background.ts";
import { call } from "../call/call.ts";
import type { CallContext } from "../call/context.ts";
import { fitsSchema } from "../tool/check_schema.ts";
import { annotationsOf } from "../tool/annotations.ts";
import { inputSchema } from "../tool/json_schema.ts";
import { type CallResult, withNotes } from "../tool/result.ts";
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
    call: async (name, args, options) => {
      const tool = context.index.resolve(name);
      const output = tool && schemaOfBackground(context.background, tool);
      const request = { tool: name, args };
      const result = await call(context, request, { ...options, knowsSchema: true });
      const fits = output === undefined || result.isError || result.structuredJson !== undefined ||
        fitsSchema(output, output, result.structured);
      return fits ? result : withoutStructure(result);
    },
    features,
  }, observers);
}

/** Leaves out values for which strict clients would refuse the whole answer; in an error they ask for none. */
function withoutStructure({ structured: _, ...result }: CallResult): CallResult {
  const text =
    "[This call was carried out. It is an error only because its values do not fit the " +
    "schema that its server gave for them]";
  return withNotes({ ...result, isError: true }, text);
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
