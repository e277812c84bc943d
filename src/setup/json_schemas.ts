/** Makes JSON Schemas for the files of climax, and installs them so that editors complete and check these files. */

import * as z from "zod";
import { policySchema } from "../policy/schema.ts";
import { configSchema } from "../sources/command/schema.ts";
import { projectSchema } from "../sources/upstream/schema.ts";
import { dirname, join, relative, resolve } from "node:path";
import { systemPath } from "../io.ts";
import { writeWhole } from "../files/write_file.ts";
import { contains, homeFolders } from "../process/folders.ts";

const sources = {
  config: [configSchema, "A climax config: a command-line program and its tools"],
  policy: [policySchema, "A climax policy: what an agent may call"],
  project: [projectSchema, "A project's MCP servers and language model"],
} as const;

type SchemaName = keyof typeof sources;

export const schemaNames = Object.keys(sources) as SchemaName[];

export function jsonSchema(name: SchemaName) {
  const [source, title] = sources[name];
  const { $schema, ...schema } = z.toJSONSchema(source, {
    io: "output",
    target: "draft-7",
    unrepresentable: "any",
  });
  // The address of this schema for editors
  return { $schema, $id: `https://json.schemastore.org/climax-${name}.json`, title, ...schema };
}

/**
 * Adds the line that tells editors the schema of a YAML `text`, and writes that schema, if `file` is among the person's
 * settings. Other files may be shared, and must not name the home folder.
 */
export async function withSchemaLine(
  name: SchemaName,
  file: string,
  text: string,
): Promise<string> {
  const settings = homeFolders()?.settings;
  const own = settings && join(settings, "climax");
  const path = resolve(systemPath(file));
  if (own === undefined || !contains(own, path)) return text;
  const schema = join(own, "schemas", `${name}.schema.json`);
  const current = `${JSON.stringify(jsonSchema(name), null, 2)}\n`;
  try {
    if (await Deno.readTextFile(schema).catch(() => "") !== current) {
      await writeWhole(schema, current);
    }
  } catch {
    return text;
  }
  const address = relative(dirname(path), schema).replaceAll("\\", "/");
  return `# yaml-language-server: $schema=${address}\n${text}`;
}
