/** Checks what a release says about itself against the schemas that others published, kept in `schemas/`. */

import { Ajv } from "ajv";
import cyclonedx from "../../build/schemas/cyclonedx.schema.json" with { type: "json" };
import marketplace from "../../build/schemas/marketplace.schema.json" with { type: "json" };
import mcpb from "../../build/schemas/mcpb.schema.json" with { type: "json" };
import plugin from "../../build/schemas/plugin.schema.json" with { type: "json" };
import server from "../../build/schemas/server.schema.json" with { type: "json" };

const schemas = { cyclonedx, marketplace, mcpb, plugin, server } as const;

/** The formats of others that have a schema here. */
export type ForeignFormat = keyof typeof schemas;

/** Returns `value`. @throws when it is not what `format` allows */
export function validated<T>(format: ForeignFormat, value: T): T {
  // Formats such as `uri` are annotations: the addresses are ours
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  const { $schema: _, ...schema } = schemas[format];
  if (ajv.validate(schema, value)) return value;
  throw new Error(`The ${format} file is invalid: ${ajv.errorsText()}`);
}
