/** What a config says of a tool's output, as the program uses it. */

import type { ObjectSchema, Tool } from "../../tool/tool.ts";
import type { ToolFile } from "./schema.ts";
import type { Column, Select } from "../../files/selection.ts";
import type { CommandSource } from "./source.ts";

/** What a tool's program prints, where that is more than a text. */
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

/** What is selected, however it is written. */
export function selectOf(written: NonNullable<ToolFile["select"]>): Select {
  if (typeof written === "string") return { items: written };
  if (Array.isArray(written)) return { columns: written.map((name) => ({ name })) };
  const { items, columns } = written;
  return {
    ...(items ? { items } : {}),
    ...(columns ? { columns: columnsOf(columns) } : {}),
  };
}

function columnsOf(written: readonly string[] | Readonly<Record<string, string>>): Column[] {
  if (Array.isArray(written)) return written.map((name) => ({ name }));
  return Object.entries(written).map(([name, path]) => ({ name, path }));
}

/** The schema of a tool's results, if its config has one. */
export function outputSchemaOf({ output_schema }: ToolFile): Pick<Tool, "output"> {
  return output_schema ? { output: output_schema as unknown as ObjectSchema } : {};
}
