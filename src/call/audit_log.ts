/**
 * The audit log has a line of JSON for each call, and nothing runs while its file fails. The activity log is one
 * bounded file with the same lines of all clients of a person, in which long lines are cut.
 */

import { join, resolve } from "node:path";
import { systemPath } from "../io.ts";
import { FileError, messageOf } from "../errors.ts";
import { log } from "../log.ts";
import { escapeJson } from "../text/escape.ts";
import { plural } from "../text/plural.ts";
import type { RunRecord } from "../tool/result.ts";
import { LineFile } from "../state/line_file.ts";
import type { Effect } from "../tool/tool.ts";
import { protect } from "../process/protected_paths.ts";
import { allowHint } from "../process/permissions.ts";
import { loginsFolder } from "../process/folders.ts";

/** An entry; keys are those of the JSON. The record of the run is absent when the call was refused. */
export interface AuditEntry extends Partial<RunRecord> {
  /** The time of the call in the form of RFC 3339, in UTC. */
  readonly time: string;
  /** The trace of the call, as W3C Trace Context has it. */
  readonly trace_id?: string;
  /** The span of the call, if it has one. */
  readonly span_id?: string;
  readonly client: string;
  readonly profile?: string;
  readonly tool: string;
  /** The name by which the client called the tool, if it is not the tool's own. */
  readonly named?: string;
  /** The id of the script that made the call; the script's own entry has it as `script`. */
  readonly parent?: string;
  /** `failed`: a fault of climax ended the call, which may have run. */
  readonly decision: "allowed" | "refused" | "failed";
  /** A path in the policy, `no policy`, `arguments`, `unknown tool` or `withheld tool`. */
  readonly rule: string;
  /** The effect of the call with its arguments; absent without a tool. */
  readonly effect?: Effect;
  /** The arguments: a program's without defaults, secrets and inputs masked; a server's whole. Absent if unknown. */
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** Id of the background job; it is in the entry of its start and in that of its end. */
  readonly job?: string;
  /** The record of the plan, such as `argv` and `cwd`; absent when the call was refused. */
  readonly [key: string]: unknown;
  /** The refusal, without values if the tool has secrets. */
  readonly refusal?: string;
  /** The first line of the question to the person. */
  readonly question?: string;
  /** `accepted`, `declined`, `cancelled`, `not asked`, or `asked` if the answer comes with another call. */
  readonly confirmation?: string;
  /** The person took this many milliseconds to answer; they are not part of the timeout. */
  readonly confirmation_ms?: number;
  /** Milliseconds from the request, with the wait for a person and for a permit. */
  readonly duration_ms: number;
  readonly stdout_bytes: number;
  readonly stderr_bytes: number;
  /** The estimated number of tokens of the answer to the agent. */
  readonly tokens: number;
}

interface AuditLogOptions {
  /** The name of this process among those that write to the same log. @default a random one */
  readonly instance?: string | undefined;
  /** The activity log, which gets each line too; a fault of it stops no call. */
  readonly activity?: Pick<LineFile, "add" | "close"> | undefined;
}

/** The activity log keeps this many words of a command line, to which a config may add hundreds of patterns. */
const maxShortWords = 20;

export class AuditLog {
  readonly #file: AuditFile | undefined;
  readonly #instance: string;
  readonly #activity: AuditLogOptions["activity"];
  /** The number of the last line. A gap in the numbers shows that a line was lost. */
  #sequence = 0;

  private constructor(file: AuditFile | undefined, options: AuditLogOptions) {
    this.#file = file;
    this.#instance = options.instance ?? crypto.randomUUID().slice(0, 8);
    this.#activity = options.activity;
  }

  /** Opens the file at `path`, if there is one, for appending. @throws {ClimaxError} when it cannot be opened */
  static open(path: string | undefined, options: AuditLogOptions = {}): AuditLog {
    return new AuditLog(path === undefined ? undefined : AuditFile.open(path), options);
  }

  /** Writes the lines that failed earlier. Returns the reason why calls must be refused, if any. */
  catchUp(): string | undefined {
    return this.#file?.catchUp();
  }

  /** Records a call that has ended. Returns the reason if its line cannot be written now. */
  record(entry: AuditEntry): string | undefined {
    const placed = this.#next(entry);
    const failure = this.#file?.write(`${lineOf(placed)}\n`);
    this.#activity?.add(shortLineOf(placed));
    return failure;
  }

  /** Records a call that has not begun. Returns the reason if that fails; the call must not begin then. */
  recordBefore(entry: AuditEntry): string | undefined {
    const placed = this.#next(entry);
    const failure = this.#file?.writeNow(`${lineOf(placed)}\n`);
    if (failure === undefined) this.#activity?.add(shortLineOf(placed));
    else this.#sequence--;
    return failure;
  }

  /** Closes the file. @throws {ClimaxError} if calls have no entry in it */
  close(): void {
    this.#activity?.close();
    this.#file?.close();
  }

  /** Returns the entry with its place in this log. */
  #next({ time, ...entry }: AuditEntry): AuditEntry {
    const place = { instance: this.#instance, sequence: ++this.#sequence };
    return { time, ...place, ...entry };
  }
}

/** Returns JSON without a line break and without invisible characters. */
function lineOf(entry: AuditEntry): string {
  return escapeJson(JSON.stringify(entry));
}

/** Returns the line of an entry with long command lines cut. */
function shortLineOf(entry: AuditEntry): string {
  return escapeJson(JSON.stringify(entry, function (this: unknown, name, value) {
    // An argument called `argv` stays whole, so that the call can be repeated
    const isLine = /^(?:argv|words)$/.test(name) && this !== entry.arguments;
    const more = isLine && Array.isArray(value) ? value.length - maxShortWords : 0;
    return more > 0 ? [...value.slice(0, maxShortWords), `… [${more} more words]`] : value;
  }));
}

/** The file of an audit log: each line is on disk before the agent gets its answer. */
class AuditFile {
  readonly #file: Deno.FsFile;
  readonly #path: string;
  readonly #absolute: string;
  /** The lines of calls that have run, which could not be written yet. */
  #unwritten: string[] = [];
  /** The file may end within a line. */
  #torn: boolean;
  /** The size after the last check or write. A smaller file was cut by another program, as climax only appends. */
  #size = 0;

  private constructor(file: Deno.FsFile, path: string) {
    this.#file = file;
    this.#path = path;
    this.#absolute = resolve(systemPath(path));
    this.#torn = endsWithinLine(file, path);
  }

  /** Opens `path` for appending, a new file for its owner only. @throws {ClimaxError} when it cannot be opened */
  static open(path: string): AuditFile {
    try {
      // The kind of the file is checked first, as opening a FIFO would wait for a reader
      if (!isRegular(path)) throw new Error("it is not a regular file");
      const file = Deno.openSync(systemPath(protect(path, "hidden")), {
        append: true,
        create: true,
        mode: 0o600,
      });
      return new AuditFile(file, path);
    } catch (error) {
      const isKept = error instanceof Deno.errors.NotCapable;
      const hint = isKept ? { hint: allowHint(path, "--allow-write", "--allow-read") } : {};
      const reason = isKept ? "this program may not write the file" : messageOf(error);
      const message = `Audit log cannot be opened: ${reason}`;
      throw new FileError("The audit log was not opened", { file: path, message, ...hint });
    }
  }

  /** Checks that the path names the opened file, and writes lines that failed. Returns why calls must be refused. */
  catchUp(): string | undefined {
    const loss = this.#findLoss();
    if (loss !== undefined) return this.#refuse(loss);
    const lines = this.#unwritten;
    while (lines.length > 0) {
      const failure = this.#append(lines[0]!);
      if (failure !== undefined) return failure;
      lines.shift();
    }
    return undefined;
  }

  /** Appends `line` and syncs it to disk, now or as soon as possible. Returns the reason if that fails now. */
  write(line: string): string | undefined {
    this.#unwritten.push(line);
    return this.catchUp();
  }

  /** Appends `line` only if that is possible now. Returns the reason if it fails. */
  writeNow(line: string): string | undefined {
    return this.catchUp() ?? this.#append(line);
  }

  /** Closes the file. @throws {ClimaxError} if calls have no entry in it */
  close(): void {
    this.catchUp();
    this.#file.close();
    const { length } = this.#unwritten;
    if (length === 0) return;
    const message = `${plural(length, "call")} ran without an entry in the audit log`;
    const problem = { file: this.#path, message };
    throw new FileError("The audit log is incomplete", problem);
  }

  /** Detects a renamed, replaced or cut file, which would hide calls. */
  #findLoss(): string | undefined {
    const opened = this.#file.statSync();
    try {
      const { dev, ino } = Deno.statSync(systemPath(this.#absolute));
      if (dev !== opened.dev || ino !== opened.ino) return "has been replaced by another file";
    } catch (error) {
      return `is not where it was: ${messageOf(error)}`;
    }
    if (opened.size < this.#size) this.#recordCut(opened.size);
    this.#size = opened.size;
    return undefined;
  }

  /** Log rotation cuts files too, so calls continue; the cut is recorded. */
  #recordCut(size: number): void {
    const notice = `cut from ${this.#size} to ${size} bytes while it was open`;
    log("error", `audit log '${this.#path}' has been ${notice}`);
    this.#unwritten.unshift(`${JSON.stringify({ time: new Date().toISOString(), notice })}\n`);
    this.#torn = endsWithinLine(this.#file, this.#absolute);
  }

  #refuse(what: string): string {
    const reason = `audit log '${this.#path}' ${what}`;
    log("error", `calls are refused: ${reason}`);
    return reason;
  }

  #append(line: string): string | undefined {
    let bytes = new TextEncoder().encode(this.#torn ? `\n${line}` : line);
    try {
      while (bytes.length > 0) {
        const written = this.#file.writeSync(bytes);
        this.#torn = written < bytes.length;
        // Without this, a cut that is not longer than the line would not be noticed
        this.#size += written;
        bytes = bytes.subarray(written);
      }
      this.#file.syncDataSync();
      return undefined;
    } catch (error) {
      return this.#refuse(`cannot be written: ${messageOf(error)}`);
    }
  }
}

/** Returns whether the path can be checked, which is done before each call and takes the permission to read. */
function isRegular(path: string): boolean {
  try {
    return Deno.statSync(systemPath(path)).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return true;
    throw error;
  }
}

/**
 * Returns whether the file may end within a line: an earlier process may have been stopped during a write. Without
 * the permission to read, this is not checked.
 */
function endsWithinLine(file: Deno.FsFile, path: string): boolean {
  const { size } = file.statSync();
  if (size === 0) return false;
  try {
    using reader = Deno.openSync(systemPath(path), { read: true });
    reader.seekSync(size - 1, Deno.SeekMode.Start);
    const last = new Uint8Array(1);
    return reader.readSync(last) === 1 && last[0] !== 0x0a;
  } catch {
    return false;
  }
}

const name = "activity.jsonl";

/** The log holds about 25,000 calls, of 30 days at most. */
const bounds = { maxBytes: 16 * 1024 * 1024, maxAgeMs: 30 * 86_400_000 };

/** Returns the path of the activity log; `undefined` if no folder is known. */
export function activityPath(): string | undefined {
  const folder = loginsFolder();
  return folder && join(folder, name);
}

interface AuditLogFiles {
  /** The path of the audit log, which may miss no call. */
  readonly audit?: string | undefined;
  readonly recordsActivity?: boolean | undefined;
  readonly instance?: string | undefined;
}

/** Opens the log of a process, if it has one. @throws {ClimaxError} if the file of `audit` cannot be opened */
export async function openAuditLog(
  { audit, recordsActivity = false, instance }: AuditLogFiles,
): Promise<AuditLog | undefined> {
  if (audit === undefined && !recordsActivity) return undefined;
  return AuditLog.open(audit, {
    instance,
    activity: recordsActivity ? await openActivity() : undefined,
  });
}

/** Opens the activity log. After a fault, a warning is logged, and calls run without it. */
async function openActivity(): Promise<LineFile | undefined> {
  const folder = loginsFolder();
  if (folder === undefined) return undefined;
  return await LineFile.open(folder, name, bounds).catch((error) => {
    log("warning", `Calls are not in the activity log: ${messageOf(error)}`);
    return undefined;
  });
}
