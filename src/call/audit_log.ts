/**
 * The audit log: one line of JSON for each call, on disk before the agent gets its answer. While a
 * line cannot be written, nothing is run.
 */

import { systemPath } from "../io.ts";
import { ClimaxError, ExitCode, messageOf } from "../errors.ts";
import { log } from "../log.ts";
import { allowHint } from "../process/allow_hint.ts";

/** An entry; keys are those of the JSON. */
export interface AuditEntry {
  /** RFC 3339, in UTC. */
  readonly time: string;
  readonly client: string;
  readonly tool: string;
  /** Id of the script that made the call, which is `script` in its own entry. */
  readonly parent?: string;
  readonly decision: "allowed" | "refused";
  /** A path in the policy, `no policy`, `arguments` or `unknown tool`. */
  readonly rule: string;
  /** Id of the background job; it is in the entry of its start and in that of its end. */
  readonly job?: string;
  /** The record of the plan, such as `argv` and `cwd`; absent when the call was refused. */
  readonly [key: string]: unknown;
  /** How the run ended; absent when the call was refused. */
  readonly ending?: string;
  readonly exit_code?: number;
  /** `false`: the output does not match the `output_schema` of the tool. */
  readonly fits?: false;
  /** The refusal, without values if the tool has secrets. */
  readonly refusal?: string;
  /** `accepted`, `declined`, `cancelled`, `not asked`, or `asked` if the answer comes with another call. */
  readonly confirmation?: string;
  /** Milliseconds until the answer; not part of the timeout. */
  readonly confirmation_ms?: number;
  /** From the request, the wait for a person and for a permit included. */
  readonly duration_ms: number;
  readonly stdout_bytes: number;
  readonly stderr_bytes: number;
}

export class AuditLog {
  readonly #file: Deno.FsFile;
  readonly #path: string;
  /** Lines of calls that were run and could not be written yet. */
  #unwritten: string[] = [];
  /** The file may end within a line. */
  #torn = false;
  /** The size at the last look or write. A smaller file has been cut: climax only appends. */
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
      const file = Deno.openSync(systemPath(path), { append: true, create: true, mode: 0o600 });
      // The path is checked before each call, which takes the permission to read
      Deno.statSync(systemPath(path));
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
   * Checks that the path still names the opened file, and writes the lines that failed earlier. Returns the reason
   * why calls must be refused, if any.
   */
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

  /** Appends `entry` and syncs it to disk. Returns the reason if that fails. */
  record(entry: AuditEntry): string | undefined {
    this.#unwritten.push(`${JSON.stringify(entry)}\n`);
    return this.catchUp();
  }

  /** Appends the entry of a call that has not begun. Returns the reason if that fails; the call must not begin then. */
  recordBefore(entry: AuditEntry): string | undefined {
    return this.catchUp() ?? this.#append(`${JSON.stringify(entry)}\n`);
  }

  /** Closes the file. Returns how many calls have no entry in it. */
  close(): number {
    this.catchUp();
    this.#file.close();
    return this.#unwritten.length;
  }

  /** Detects a renamed, replaced or cut file: that would hide calls. */
  #findLoss(): string | undefined {
    const opened = this.#file.statSync();
    if (!opened.isFile) return undefined;
    try {
      const { dev, ino } = Deno.statSync(systemPath(this.#path));
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
        // Otherwise a cut of at most this line would not be noticed
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

/** An earlier process may have been stopped during a write. Without the permission to read, this is not checked. */
function endsWithinLine(file: Deno.FsFile, path: string): boolean {
  const { isFile, size } = file.statSync();
  if (!isFile || size === 0) return false;
  try {
    using reader = Deno.openSync(systemPath(path), { read: true });
    reader.seekSync(size - 1, Deno.SeekMode.Start);
    const last = new Uint8Array(1);
    return reader.readSync(last) === 1 && last[0] !== 0x0a;
  } catch {
    return false;
  }
}
