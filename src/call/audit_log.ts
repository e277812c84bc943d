/**
 * The audit log: one line of JSON for each call, on disk before the agent gets its answer. While a
 * line cannot be written, nothing is run.
 */

import { ClimaxError, ExitCode, messageOf } from "../errors.ts";
import { log } from "../log.ts";
import { allowHint } from "../process/allow_hint.ts";

/** One call as the audit log has it; keys are those of the JSON. */
export interface AuditEntry {
  /** RFC 3339, in UTC. */
  readonly time: string;
  readonly client: string;
  readonly tool: string;
  readonly decision: "allowed" | "refused";
  /** What decided: a path in the policy, `no policy`, `arguments` or `unknown tool`. */
  readonly rule: string;
  /** Id of the job that the call goes on as, in the line of its beginning and in that of its end. */
  readonly job?: string;
  /** What the plan shows, `argv` and `cwd` of a command; nothing when the call was refused. */
  readonly [shown: string]: unknown;
  /** How the run ended; absent when the call was refused. */
  readonly ending?: string;
  readonly exit_code?: number;
  /** `false`: what it printed is not what the tool's `output_schema` promises. */
  readonly fits?: false;
  /** What the agent was told, values left out where the tool has secrets. */
  readonly refusal?: string;
  /** What a person said who had to be asked: `accepted`, `declined`, `cancelled` or `not asked`. */
  readonly confirmation?: string;
  /** How long that took; not part of the tool's timeout. */
  readonly confirmation_ms?: number;
  /** From when the call came, waiting for a person and for a place included. */
  readonly duration_ms: number;
  readonly stdout_bytes: number;
  readonly stderr_bytes: number;
}

/** A file that entries are appended to. */
export class AuditLog {
  readonly #file: Deno.FsFile;
  readonly #path: string;
  /** Lines of calls that were run and could not be written yet. */
  #unwritten: string[] = [];
  /** Whether the file may end within a line. */
  #torn = false;
  /** Bytes the file has at least, as it was when it was looked at or written; nothing is ever taken out. */
  #size = 0;

  private constructor(file: Deno.FsFile, path: string) {
    this.#file = file;
    this.#path = path;
    this.#torn = endsWithinLine(file, path);
  }

  /**
   * Opens the file at `path` for appending; a new one is readable by its owner only.
   *
   * @throws {ClimaxError} when it cannot be opened
   */
  static open(path: string): AuditLog {
    try {
      const file = Deno.openSync(path, { append: true, create: true, mode: 0o600 });
      // That it is still there has to be seen before each call
      Deno.statSync(path);
      return new AuditLog(file, path);
    } catch (error) {
      const isKept = error instanceof Deno.errors.NotCapable;
      const hint = isKept ? { hint: allowHint(path, "--allow-write", "--allow-read") } : {};
      const reason = isKept ? "this program may not write the file" : messageOf(error);
      const message = `Audit log cannot be opened: ${reason}`;
      throw new ClimaxError("The audit log was not opened", ExitCode.file, [{
        file: path,
        message,
        ...hint,
      }]);
    }
  }

  /**
   * Looks whether the log is still the file that was opened, and writes what could not be written
   * before; why calls may not go on, when either fails.
   */
  catchUp(): string | undefined {
    const gone = this.#whyGone();
    if (gone !== undefined) return this.#refuse(gone);
    const lines = this.#unwritten;
    while (lines.length > 0) {
      const failure = this.#append(lines[0]!);
      if (failure !== undefined) return failure;
      lines.shift();
    }
    return undefined;
  }

  /** Appends `entry` and brings it to the disk; why not, when that fails. */
  record(entry: AuditEntry): string | undefined {
    this.#unwritten.push(`${JSON.stringify(entry)}\n`);
    return this.catchUp();
  }

  /** Appends the entry of what has not begun; why that cannot be, in which case it must never begin. */
  recordBefore(entry: AuditEntry): string | undefined {
    return this.catchUp() ?? this.#append(`${JSON.stringify(entry)}\n`);
  }

  /** Lets go of the file; how many calls have no line in it. */
  close(): number {
    this.catchUp();
    this.#file.close();
    return this.#unwritten.length;
  }

  /** Whoever can rename, replace or cut the file can hide what was called. */
  #whyGone(): string | undefined {
    const opened = this.#file.statSync();
    if (!opened.isFile) return undefined;
    try {
      const { dev, ino } = Deno.statSync(this.#path);
      if (dev !== opened.dev || ino !== opened.ino) return "has been replaced by another file";
    } catch (error) {
      return `is not where it was: ${messageOf(error)}`;
    }
    if (opened.size < this.#size) this.#tellOfCut(opened.size);
    this.#size = opened.size;
    return undefined;
  }

  /** Whoever looks after logs cuts them too, so that calls go on; but it is on record. */
  #tellOfCut(size: number): void {
    const notice = `cut from ${this.#size} to ${size} bytes while it was open`;
    log("error", `audit log '${this.#path}' has been ${notice}`);
    this.#unwritten.unshift(`${JSON.stringify({ time: new Date().toISOString(), notice })}\n`);
    this.#torn = endsWithinLine(this.#file, this.#path);
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
        // Or a cut of no more than this line would not be seen
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

/** Whether a process before us was stopped while it wrote; without the right to look, it was not. */
function endsWithinLine(file: Deno.FsFile, path: string): boolean {
  const { isFile, size } = file.statSync();
  if (!isFile || size === 0) return false;
  try {
    using reader = Deno.openSync(path, { read: true });
    reader.seekSync(size - 1, Deno.SeekMode.Start);
    const last = new Uint8Array(1);
    return reader.readSync(last) === 1 && last[0] !== 0x0a;
  } catch {
    return false;
  }
}
