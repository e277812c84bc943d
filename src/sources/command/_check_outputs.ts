/** Checks the paths and schemas for results in a config. Imports their readers only if there are some. */

import type { Finding, Path } from "../../files/finding.ts";
import { quote } from "../../text/excerpt.ts";
import { selectOf } from "./_outputs.ts";
import type { ConfigFile, ToolFile } from "./schema.ts";

export async function checkOutputs({ tools }: ConfigFile): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [index, tool] of tools.entries()) {
    const path = ["tools", index];
    if (tool.select) findings.push(...await checkSelect(tool.select, [...path, "select"]));
    if (tool.output_schema) {
      findings.push(...await checkSchema(tool.output_schema, [...path, "output_schema"]));
    }
  }
  return findings;
}

async function checkSelect(
  written: NonNullable<ToolFile["select"]>,
  path: Path,
): Promise<Finding[]> {
  const { compileSelect } = await import("../../files/selection.ts");
  const compiled = compileSelect(selectOf(written));
  if (typeof compiled === "function") return [];
  const { column, reason, path: asked } = compiled;
  const selectPath = typeof written === "string"
    ? path
    : [...path, ...(column === undefined ? ["items"] : ["columns", column])];
  const of = column === undefined ? "" : ` of column '${column}'`;
  const message = `Path ${quote(asked)}${of} cannot be followed: ${reason}`;
  const hint = "A JSONPath (RFC 9535) begins with '$', such as $.items[*].name";
  return [{ path: selectPath, message, hint }];
}

async function checkSchema(schema: object, path: Path): Promise<Finding[]> {
  const { compileSchema } = await import("../../files/json_schema.ts");
  const compiled = await compileSchema(schema);
  if (typeof compiled === "function") return [];
  const { reason, hint = "It is a JSON Schema, draft 2020-12, of an object" } = compiled;
  return [{ path, message: `'output_schema' cannot be used: ${reason}`, hint }];
}
