/** Resolves what a config says about the output of a tool. */

import type { ObjectSchema, Tool } from "../../tool/tool.ts";
import type { ToolFile } from "./schema.ts";
import type { Column, Select } from "../../files/selection.ts";
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

export function outputSchemaOf({ output_schema }: ToolFile): Pick<Tool, "output"> {
  return output_schema ? { output: output_schema as unknown as ObjectSchema } : {};
}
