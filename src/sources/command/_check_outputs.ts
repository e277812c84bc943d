/** Checks the paths and schemas for results in a config. Imports their readers only if there are some. */

import type { Finding, Path } from "../../files/finding.ts";
import { checkSelect } from "../../files/select_file.ts";
import type { ConfigFile } from "./schema.ts";

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

async function checkSchema(schema: object, path: Path): Promise<Finding[]> {
  const { compileSchema } = await import("../../files/json_schema.ts");
  const compiled = await compileSchema(schema);
  if (typeof compiled === "function") return [];
  const { reason, hint = "It is a JSON Schema, draft 2020-12, of an object" } = compiled;
  return [{ path, message: `'output_schema' cannot be used: ${reason}`, hint }];
}
