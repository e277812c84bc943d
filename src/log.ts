/**
 * Levelled log lines on stderr, and in the file named by `CLIMAX_LOG_FILE`. Never on stdout, which
 * belongs to the transport while serving.
 *
 * The level and the file are settings of the process, so they live in this module rather than in
 * every signature.
 */

import { messageOf } from "./errors.ts";
import { visible } from "./text/excerpt.ts";

/** The levels, least to most urgent. */
export const logLevels = ["debug", "info", "warning", "error"] as const;

/** A level of {@linkcode logLevels}. */
export type LogLevel = typeof logLevels[number];

/** The level when nobody says otherwise. */
export const defaultLogLevel: LogLevel = "warning";

const encoder = new TextEncoder();
let threshold: number = logLevels.indexOf(defaultLogLevel);
let file: Deno.FsFile | undefined;

/** Lines below `level` are dropped from now on. */
export function setLogLevel(level: LogLevel): void {
  threshold = logLevels.indexOf(level);
}

/**
 * Also appends every line to the file at `path`.
 *
 * @throws `Deno.errors` when the file cannot be opened for appending
 */
export function setLogFile(path: string): void {
  file?.close();
  file = Deno.openSync(path, { append: true, create: true });
}

/** Writes one line for each line of `message`, so that a forged line cannot pass for one of ours. */
export function log(level: LogLevel, message: string): void {
  if (logLevels.indexOf(level) < threshold) return;
  const prefix = `${new Date().toISOString()} ${level}: `;
  const text = message.split("\n").map((line) =>
    `${prefix}${line.split("\t").map(visible).join("\t")}\n`
  ).join("");
  writeAll(Deno.stderr, text);
  if (file === undefined) return;
  try {
    writeAll(file, text);
  } catch (error) {
    file.close();
    file = undefined;
    log("error", `Log file is not written any more: ${messageOf(error)}`);
  }
}

function writeAll(target: { writeSync(bytes: Uint8Array): number }, text: string): void {
  let bytes = encoder.encode(text);
  try {
    while (bytes.length > 0) bytes = bytes.subarray(target.writeSync(bytes));
  } catch (error) {
    // A terminal that has gone away is no reason to stop serving
    if (target !== Deno.stderr) throw error;
  }
}
