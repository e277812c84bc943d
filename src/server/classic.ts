/** Classic mode: every tool of the catalogue by its own name. */

import { call } from "../call/call.ts";
import type { ToolIndex } from "../catalog/tool_index.ts";
import { argsSchema } from "../tool/json_schema.ts";
import { classicInstructions } from "./instructions.ts";
import type { Surface } from "./surface.ts";

/** The tools of `index`, one for one. */
export function classicSurface(index: ToolIndex): Surface {
  const listed = index.tools.map(({ name, description, args }) => ({
    name,
    description,
    inputSchema: argsSchema(args),
  }));
  return {
    instructions: classicInstructions(index.summary()),
    list: () => listed,
    call: (name, args, options) => call(index, { tool: name, args }, options),
  };
}
