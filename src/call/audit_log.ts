/**
 * The audit log has at least one line of JSON for each call; while it cannot be written, calls are refused. The
 * activity log has the same lines, shortened, for all clients of a person, in one file of bounded size.
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

export interface AuditEntry extends Partial<RunRecord> {
  readonly time: string;
  readonly trace_id?: string | undefined;
  readonly span_id?: string | undefined;
  readonly client: string;
  readonly profile?: string | undefined;
  readonly tool: string;
  readonly named?: string | undefined;
  /** The id of the script that made the call. The entry of the script itself has this id in `script`. */
  readonly parent?: string | undefined;
  /** Whether the call was allowed. `failed`: climax itself failed during the call, which may have run. */
  readonly decision: "allowed" | "refused" | "failed";
  /** What decided about the call: a rule's path in the policy, or for example `no policy` or `unknown tool`. */
  readonly rule: string;
  readonly effect?: Effect | undefined;
  /** The arguments of a call of a command-line program, without defaults. Secret values and inputs are masked. */
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly job?: string | undefined;
  readonly [key: string]: unknown;
  readonly refusal?: string;
  readonly question?: string | undefined;
  readonly confirmation?: string | undefined;
  readonly confirmation_ms?: number | undefined;
  readonly duration_ms: number;
  readonly stdout_bytes: number;
  readonly stderr_bytes: number;
  readonly tokens: number;
}

interface AuditLogOptions {
  readonly instance?: string | undefined;
  readonly activity?: Pick<LineFile, "add" | "close"> | undefined;
}

/** The activity log keeps this many words of a command line, to which a config may add hundreds. */
const maxShortWords = 20;

export class AuditLog {
  readonly #file: AuditFile | undefined;
  readonly #instance: string;
  readonly #activity: AuditLogOptions["activity"];
  /** The number of the last line. Lines are numbered, so that a gap in the numbers shows that a line was lost. */
  #sequence = 0;

  private constructor(file: AuditFile | undefined, options: AuditLogOptions) {
    this.#file = file;
    this.#instance = options.instance ?? crypto.randomUUID().slice(0, 8);
    this.#activity = options.activity;
  }

  /** @throws {ClimaxError} when the file at `path` cannot be opened */
  static open(path: string | undefined, options: AuditLogOptions = {}): AuditLog {
    return new AuditLog(path === undefined ? undefined : AuditFile.open(path), options);
  }

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

  /** Records a call before it begins. Returns the reason if that fails; then the caller must not begin the call. */
  recordBefore(entry: AuditEntry): string | undefined {
    const placed = this.#next(entry);
    const failure = this.#file?.writeNow(`${lineOf(placed)}\n`);
    if (failure === undefined) this.#activity?.add(shortLineOf(placed));
    else this.#sequence--;
    return failure;
  }

  /** @throws {ClimaxError} if a call has run of which the file has no line */
  close(): void {
    this.#activity?.close();
    this.#file?.close();
  }

  #next({ time, ...entry }: AuditEntry): AuditEntry {
    const place = { instance: this.#instance, sequence: ++this.#sequence };
    return { time, ...place, ...entry };
  }
}

function lineOf(entry: AuditEntry): string {
  return escapeJson(JSON.stringify(entry));
}

function shortLineOf(entry: AuditEntry): string {
  return escapeJson(JSON.stringify(entry, function (this: unknown, name, value) {
    // If a tool has an argument named `argv`, its value is not shortened, so that the log is enough to repeat the call
    const isLine = /^(?:argv|words)$/.test(name) && this !== entry.arguments;
    const more = isLine && Array.isArray(value) ? value.length - maxShortWords : 0;
    return more > 0 ? [...value.slice(0, maxShortWords), `… [${more} more words]`] : value;
  }));
}

/** Appends lines to the file of the audit log. Each is synced to disk, so that it survives a crash of the computer. */
class AuditFile {
  readonly #file: Deno.FsFile;
  readonly #path: string;
  readonly #absolute: string;
  /** Lines of calls that have run while the file could not be written; they are written later. */
  #unwritten: string[] = [];
  /** True if the last line of the file may be incomplete, so that the next write must begin with a line break. */
  #torn: boolean;
  /** The file's size when last seen. If it is smaller now, another program has cut it: climax only appends. */
  #size = 0;

  private constructor(file: Deno.FsFile, path: string) {
    this.#file = file;
    this.#path = path;
    this.#absolute = resolve(systemPath(path));
    this.#torn = endsWithinLine(file, path);
  }

  static open(path: string): AuditFile {
    try {
      // Only regular files are opened, since to open a FIFO would block climax until a program reads from it
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

  /** Writes pending lines, if the path still names the opened file. Returns why calls must be refused, if so. */
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

  /** Appends `line` now, or later if the file cannot be written now; then returns the reason. */
  write(line: string): string | undefined {
    this.#unwritten.push(line);
    return this.catchUp();
  }

  writeNow(line: string): string | undefined {
    return this.catchUp() ?? this.#append(line);
  }

  close(): void {
    this.catchUp();
    this.#file.close();
    const { length } = this.#unwritten;
    if (length === 0) return;
    const message = `${plural(length, "call")} ran without an entry in the audit log`;
    const problem = { file: this.#path, message };
    throw new FileError("The audit log is incomplete", problem);
  }

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

  /** Notes in the log that another program has cut its file. No call is refused, since log rotation cuts files, too. */
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

/** Returns whether a regular file, or nothing, is at `path`. @throws if this process may not read `path` */
function isRegular(path: string): boolean {
  try {
    return Deno.statSync(systemPath(path)).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return true;
    throw error;
  }
}

/** Returns whether the last line of the file is incomplete, as after a crash during a write. */
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

/**
 * The activity log keeps at most 16 MiB, which have about 25,000 calls, of the last 30 days. It removes older lines.
 */
const bounds = { maxBytes: 16 * 1024 * 1024, maxAgeMs: 30 * 86_400_000 };

export function activityPath(): string | undefined {
  const folder = loginsFolder();
  return folder && join(folder, name);
}

/** Opens the logs of a process. @throws {ClimaxError} if the file of `audit` cannot be opened */
export async function openAuditLog(
  { audit, recordsActivity = false, instance }: {
    readonly audit?: string | undefined;
    readonly recordsActivity?: boolean | undefined;
    readonly instance?: string | undefined;
  },
): Promise<AuditLog | undefined> {
  if (audit === undefined && !recordsActivity) return undefined;
  const folder = recordsActivity ? loginsFolder() : undefined;
  const activity = folder === undefined
    ? undefined
    : await LineFile.open(folder, name, bounds).catch((error) => {
      log("warning", `Calls are not in the activity log: ${messageOf(error)}`);
      return undefined;
    });
  return AuditLog.open(audit, { instance, activity });
}
