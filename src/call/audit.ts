/**
 * The audit log: one line of JSON for each call, on disk before the agent gets its answer. While a
 * line cannot be written, nothing is run.
 */

import { ClimaxError, ExitCode, messageOf } from "../errors.ts";
import { log } from "../log.ts";

/** One call as the audit log has it; keys are those of the JSON. */
export interface AuditEntry {
  /** RFC 3339, in UTC. */
  readonly time: string;
  readonly client: string;
  readonly tool: string;
  readonly decision: "allowed" | "refused";
  /** What decided: a path in the policy, `no policy`, `arguments` or `unknown tool`. */
  readonly rule: string;
  /** What the plan shows, `argv` and `cwd` of a command; nothing when the call was refused. */
  readonly [shown: string]: unknown;
  /** How the run ended; absent when the call was refused. */
  readonly ending?: string;
  readonly exit_code?: number;
  readonly refusal?: string;
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
      return new AuditLog(file, path);
    } catch (error) {
      const hint = error instanceof Deno.errors.NotCapable
        ? { hint: `Allow it: --allow-write=${path}` }
        : {};
      const message = `Audit log cannot be opened: ${messageOf(error)}`;
      throw new ClimaxError("The audit log was not opened", ExitCode.file, [{
        file: path,
        message,
        ...hint,
      }]);
    }
  }

  /** Writes what could not be written before; why not, when it still cannot. */
  catchUp(): string | undefined {
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

  /** Lets go of the file. */
  close(): void {
    this.#file.close();
  }

  #append(line: string): string | undefined {
    let bytes = new TextEncoder().encode(this.#torn ? `\n${line}` : line);
    try {
      while (bytes.length > 0) {
        const written = this.#file.writeSync(bytes);
        this.#torn = written < bytes.length;
        bytes = bytes.subarray(written);
      }
      this.#file.syncDataSync();
      return undefined;
    } catch (error) {
      const reason = `audit log '${this.#path}' cannot be written: ${messageOf(error)}`;
      log("error", `calls are refused: ${reason}`);
      return reason;
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
