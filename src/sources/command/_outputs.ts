/** Resolves what a config says about the output of a tool. */

import type { ObjectSchema, Tool } from "../../tool/tool.ts";
import type { ToolFile } from "./schema.ts";
import { selectOf } from "../../files/select_file.ts";
import type { CommandSource } from "./source.ts";

/** Absent for plain text. */
export function outputOf({ output, csv, select }: ToolFile): Pick<CommandSource, "output"> {
  switch (output) {
    case "image":
      return { output };
    case "json":
    case "jsonl":
    case "csv": {
      const { delimiter, columns } = csv ?? {};
      const format = {
        ...(delimiter ? { delimiter } : {}),
        ...(columns ? { columns } : {}),
      };
      return {
        output: {
          format: output,
          ...(Object.keys(format).length === 0 ? {} : { csv: format }),
          ...(select ? { select: selectOf(select) } : {}),
        },
      };
    }
    default:
      return {};
  }
}

export function outputSchemaOf({ output_schema }: ToolFile): Pick<Tool, "output"> {
  return output_schema ? { output: output_schema as unknown as ObjectSchema } : {};
}
