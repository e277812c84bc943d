/**
 * The audit log: one line of JSON for each call. While a line cannot be written to its file, nothing is run. Copies go
 * elsewhere too, and no call waits for them.
 */

import { AuditFile } from "./audit_file.ts";

/** An entry; keys are those of the JSON. */
export interface AuditEntry {
  /** RFC 3339, in UTC. */
  readonly time: string;
  /** The trace of the call, as W3C Trace Context has it. */
  readonly trace_id?: string;
  /** The span of the call, if it has one. */
  readonly span_id?: string;
  readonly client: string;
  /** The profile that was called; absent: none. */
  readonly profile?: string;
  readonly tool: string;
  /** Id of the script that made the call, which is `script` in its own entry. */
  readonly parent?: string;
  readonly decision: "allowed" | "refused";
  /** A path in the policy, `no policy`, `arguments`, `unknown tool` or `withheld tool`. */
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

/** Gets each line that is recorded. */
export interface AuditCopy {
  /** Does not wait. */
  add(line: AuditLine): void;
}

/** A line as it was recorded. */
export interface AuditLine {
  /** JSON, without a line break. */
  readonly text: string;
  readonly entry: AuditEntry;
}

export interface AuditLogOptions {
  /** Names this process among those that write to one place. @default a random one */
  readonly instance?: string | undefined;
  readonly copies?: readonly AuditCopy[];
}

export class AuditLog {
  readonly #file: AuditFile | undefined;
  readonly #instance: string;
  readonly #copies: readonly AuditCopy[];
  /** The number of the last line: a gap in them is a line that was lost. */
  #sequence = 0;

  private constructor(file: AuditFile | undefined, options: AuditLogOptions) {
    this.#file = file;
    this.#instance = options.instance ?? crypto.randomUUID().slice(0, 8);
    this.#copies = options.copies ?? [];
  }

  /**
   * Opens the file at `path`, if there is one, for appending.
   *
   * @throws {ClimaxError} when it cannot be opened
   */
  static open(path: string | undefined, options: AuditLogOptions = {}): AuditLog {
    return new AuditLog(path === undefined ? undefined : AuditFile.open(path), options);
  }

  /** Writes the lines that failed earlier. Returns the reason why calls must be refused, if any. */
  catchUp(): string | undefined {
    return this.#file?.catchUp();
  }

  /** Records a call that has ended. Returns the reason if its line cannot be written now. */
  record(entry: AuditEntry): string | undefined {
    const line = this.#next(entry);
    const failure = this.#file?.write(`${line.text}\n`);
    this.#copy(line);
    return failure;
  }

  /** Records a call that has not begun. Returns the reason if that fails; the call must not begin then. */
  recordBefore(entry: AuditEntry): string | undefined {
    const line = this.#next(entry);
    const failure = this.#file?.writeNow(`${line.text}\n`);
    if (failure === undefined) this.#copy(line);
    else this.#sequence--;
    return failure;
  }

  /** Closes the file. Returns how many calls have no entry in it. */
  close(): number {
    return this.#file?.close() ?? 0;
  }

  #next({ time, ...entry }: AuditEntry): AuditLine {
    const place = { instance: this.#instance, sequence: ++this.#sequence };
    const numbered = { time, ...place, ...entry } as AuditEntry;
    return { text: JSON.stringify(numbered), entry: numbered };
  }

  #copy(line: AuditLine): void {
    for (const copy of this.#copies) copy.add(line);
  }
}
