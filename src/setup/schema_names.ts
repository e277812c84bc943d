/** The files that have a JSON Schema. */

export const schemaNames = ["config", "policy", "project"] as const;

/** One of {@linkcode schemaNames}. */
export type SchemaName = typeof schemaNames[number];
