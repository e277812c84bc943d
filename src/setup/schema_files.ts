/** Installs the JSON Schemas of climax's files for editors, and writes the line that names one. */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { systemPath } from "../io.ts";
import { writeWhole } from "../files/write_file.ts";
import { homeFolders } from "../process/folders.ts";
import type { SchemaName } from "./json_schemas.ts";

/** The files that have a JSON Schema. */
export const schemaNames = ["config", "policy", "project"] as const satisfies SchemaName[];

/** The URL of the schema on this machine, written if this `writes`; `undefined` when that fails. */
export async function schemaUrl(name: SchemaName, writes = true): Promise<string | undefined> {
  const folders = homeFolders();
  if (folders === undefined) return undefined;
  const path = join(folders.settings, "climax", "schemas", `${name}.schema.json`);
  if (!writes) return pathToFileURL(path).href;
  const { jsonSchema } = await import("./json_schemas.ts");
  const text = `${JSON.stringify(jsonSchema(name), null, 2)}\n`;
  try {
    if (await Deno.readTextFile(systemPath(path)).catch(() => "") !== text) {
      await writeWhole(path, text);
    }
    return pathToFileURL(path).href;
  } catch {
    return undefined;
  }
}

/** Adds the line by which editors find the schema in front of a YAML `text`. */
export async function withSchemaLine(name: SchemaName, text: string): Promise<string> {
  const url = await schemaUrl(name);
  return url === undefined ? text : `# yaml-language-server: $schema=${url}\n${text}`;
}
