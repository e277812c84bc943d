/** Where the JSON Schemas of our files are for the editors of a person, and the line that names one. */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { writeWhole } from "../files/write_file.ts";
import { homeFolders } from "../process/folders.ts";
import type { SchemaName } from "./schema_names.ts";

/**
 * The URL of the schema on this machine, where it is put if it is not there as it is now and this
 * `writes`; nothing where that cannot be done, for a file is as good without.
 */
export async function schemaUrl(name: SchemaName, writes = true): Promise<string | undefined> {
  const folders = homeFolders();
  if (folders === undefined) return undefined;
  const path = join(folders.settings, "climax", "schemas", `${name}.schema.json`);
  if (!writes) return pathToFileURL(path).href;
  const { jsonSchema } = await import("./json_schemas.ts");
  const text = `${JSON.stringify(jsonSchema(name), null, 2)}\n`;
  try {
    if (await Deno.readTextFile(path).catch(() => "") !== text) await writeWhole(path, text);
    return pathToFileURL(path).href;
  } catch {
    return undefined;
  }
}

/** `text` of YAML behind the line by which editors find its schema. */
export async function withSchemaLine(name: SchemaName, text: string): Promise<string> {
  const url = await schemaUrl(name);
  return url === undefined ? text : `# yaml-language-server: $schema=${url}\n${text}`;
}
