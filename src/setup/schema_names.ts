/** Which of our files have a JSON Schema. */

/** The files that have a schema. */
export const schemaNames = ["config", "policy", "project"] as const;

/** One of {@linkcode schemaNames}. */
export type SchemaName = typeof schemaNames[number];
