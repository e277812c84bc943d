/** Writes `schemas/`: the JSON Schemas of climax's files, which editors find by the files' first lines. */

import { jsonSchema } from "../src/setup/json_schemas.ts";
import { schemaNames } from "../src/setup/file_names.ts";

for (const name of schemaNames) {
  const text = `${JSON.stringify(jsonSchema(name), null, 2)}\n`;
  await Deno.writeTextFile(new URL(`../schemas/${name}.schema.json`, import.meta.url), text);
}
