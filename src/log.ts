/** Writes log lines to stderr and `CLIMAX_LOG_FILE`; a full pipe drops lines rather than block the program. */

import { io, systemPath } from "./io.ts";
import { aboveStatus, type Colour, paint, setColourMode, wrapText } from "./terminal.ts";
import { harmless } from "./text/escape.ts";
import { messageOf } from "./errors.ts";
import { excerpt } from "./text/excerpt.ts";
import { plural } from "./text/plural.ts";

export const logLevels = ["debug", "info", "warning", "error"] as const;

export type LogLevel = typeof logLevels[number];

export const logFormats = ["text", "json"] as const;

export type LogFormat = typeof logFormats[number];

export const defaultLogLevel: LogLevel = "warning";

/** If more bytes than this wait for stderr, further lines are dropped. */
const maxWaitingBytes = 1024 * 1024;

const maxMessageLength = 16_384;

const encoder = new TextEncoder();
let threshold: number = logLevels.indexOf(defaultLogLevel);
let format: LogFormat = "text";
let isQuiet = false;
let file: Deno.FsFile | undefined;

export function resetLog(): void {
  setLogLevel(defaultLogLevel);
  setLogFormat("text");
  setQuiet(false);
  setColourMode("auto");
  file?.close();
  file = undefined;
}

export function setLogFormat(to: LogFormat): void {
  format = to;
}

export function setLogLevel(level: LogLevel): void {
  threshold = logLevels.indexOf(level);
}

export function logLevel(): LogLevel {
  return logLevels[threshold]!;
}

export function setQuiet(to: boolean): void {
  isQuiet = to;
}

export function quiet(): boolean {
  return isQuiet;
}

/** Returns whether lines of `level` are written, so that a caller builds no long message in vain. */
export function isLogged(level: LogLevel): boolean {
  return logLevels.indexOf(level) >= threshold;
}

/** From now on, writes each line of the log to the file at `path` too. @throws `Deno.errors` if it cannot be opened */
export function setLogFile(path: string): void {
  file?.close();
  file = Deno.openSync(systemPath(path), { append: true, create: true });
}

/** Writes a message to the log. Its further lines begin with ` | `, so that none looks like another message. */
export function log(level: LogLevel, message: string): void {
  if (!isLogged(level)) return;
  const text = linesOf(level, message);
  const isForPerson = format === "text" && io().stderr.isTerminal();
  const line = isForPerson ? terminalLines(level, message) : text;
  if (waitingBytes + bytesOf(line) > maxWaitingBytes) droppedMessages++;
  else void writeLater(line);
  if (file === undefined) return;
  try {
    writeAll(file, text);
  } catch (error) {
    file.close();
    file = undefined;
    log("error", `Log file is not written any more: ${messageOf(error)}`);
  }
}

/** Prints `text` for a person on stderr. Unlike a log line, the text is not dropped if stderr is read slowly. */
export function say(text: string): void {
  spoken = writeLater(`${wrapText(text, "stderr")}\n`);
}

export function note(text: string): void {
  if (!isQuiet) say(text);
}

export async function allSaid(): Promise<void> {
  await spoken;
}

function linesOf(level: LogLevel, message: string): string {
  const time = new Date().toISOString();
  const cut = excerpt(message, maxMessageLength);
  if (format === "json") return `${JSON.stringify({ time, level, message: cut })}\n`;
  const prefix = `${time} ${level}`;
  return cut.split("\n").map((line, number) => {
    return `${prefix}${number === 0 ? ":" : "|"} ${harmless(line)}\n`;
  }).join("");
}

const levelColours: Readonly<Record<LogLevel, Colour>> = {
  debug: "dim",
  info: "cyan",
  warning: "yellow",
  error: "red",
};

/** Formats a message for a terminal. Its further lines are indented, so that none looks like another message. */
function terminalLines(level: LogLevel, message: string): string {
  const [first = "", ...rest] = excerpt(message, maxMessageLength).split("\n").map(harmless);
  const label = paint(`${level}:`, levelColours[level], "stderr");
  const others = rest.map((line) => line.startsWith("  ") ? line : `  ${line}`);
  return `${wrapText([`${label} ${first}`, ...others].join("\n"), "stderr")}\n`;
}

function writeAll(target: Deno.FsFile, text: string): void {
  let bytes = encoder.encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(target.writeSync(bytes));
}

let waiting: string[] = [];
let waitingBytes = 0;
let droppedMessages = 0;
let writing: Promise<void> | undefined;
let spoken: Promise<void> | undefined;

function writeLater(text: string): Promise<void> {
  waiting.push(text);
  waitingBytes += bytesOf(text);
  return writing ??= writeWaiting();
}

/** Writes the waiting texts asynchronously: a stderr that is not read must not block the thread that serves. */
async function writeWaiting(): Promise<void> {
  try {
    const { stderr } = io();
    while (waiting.length > 0) {
      const text = aboveStatus(waiting.join(""));
      waiting = [];
      const size = waitingBytes;
      for (let rest = encoder.encode(text); rest.length > 0;) {
        rest = rest.subarray(await stderr.write(rest));
      }
      waitingBytes -= size;
      if (droppedMessages > 0) {
        const count = plural(droppedMessages, "log message");
        droppedMessages = 0;
        const line = linesOf("warning", `${count} dropped: stderr was not read in time`);
        waiting.push(line);
        waitingBytes += bytesOf(line);
      }
    }
  } catch {
    // The terminal is gone: the waiting lines are dropped, because serving must continue
    waiting = [];
    waitingBytes = 0;
  } finally {
    writing = undefined;
  }
}

/** Returns an upper bound of the bytes of a text: a UTF-16 code unit has at most three. */
function bytesOf(text: string): number {
  return 3 * text.length;
}
