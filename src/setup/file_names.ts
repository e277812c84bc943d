/** Names of files, apart from their readers, which only some commands load. */

/** The default lock file; `lock.ts` defines its content. */
export const defaultLockName = "climax.lock.json";

/** The files that have a JSON Schema. */
export const schemaNames = ["config", "policy", "project"] as const;

export type SchemaName = typeof schemaNames[number];
