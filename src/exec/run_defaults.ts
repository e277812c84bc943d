/** The bounds of a run that are not given. Apart from `run.ts`, which is loaded with the first call. */

/** 128 KiB. */
export const defaultKeepBytes = 128 * 1024;

/** Two seconds. */
export const defaultGraceMs = 2000;
