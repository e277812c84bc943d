/** The name of a lock file, apart from its reader, which only some commands load. */

/** The default lock file; `lock_file.ts` defines its content. */
export const defaultLockName = "climax.lock.json";
