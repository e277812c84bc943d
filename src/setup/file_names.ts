/** Names of files, apart from their readers, which only some commands load. */

/** The files that have a JSON Schema. */
export const schemaNames = ["config", "policy", "project"] as const;

export type SchemaName = typeof schemaNames[number];
