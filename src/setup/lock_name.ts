/** The name of a lock file, apart from what reads one, which only some commands load. */

/** The lock file when none is named; `lock_file.ts` says what is in it. */
export const defaultLockName = "climax.lock.json";
