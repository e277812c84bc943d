/** A tool of whose results a part is selected. */

import type { ResultSelect } from "./result_select.ts";
import type { Tool } from "./tool.ts";

/** `tool` with `select`. Its output schema is that of the whole result, and is withdrawn. */
export function withSelect(tool: Tool, select: ResultSelect): Tool {
  const { output: _, ...rest } = tool;
  return { ...rest, select };
}
