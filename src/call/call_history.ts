/** Reads the audit log or the activity log while calls are added to it. Lines that are no entries are skipped. */

import { messageOf, UsageError } from "../errors.ts";
import { readUpTo } from "../files/text_file.ts";
import { exposureOf } from "../files/write_file.ts";
import { systemPath } from "../io.ts";
import { protect } from "../process/protected_paths.ts";
import { matchesGlob } from "../policy/select.ts";
import { isObject } from "../text/own_property.ts";
import { nearHint } from "../text/similar_names.ts";

/** How calls ended. `waiting`: a person has not answered yet. `failed`: the call ran, or may have, with an error. */
const outcomes = ["done", "failed", "stopped", "refused", "waiting", "running"] as const;

type CallOutcome = typeof outcomes[number];

export interface RecordedCall {
  readonly entry: Readonly<Record<string, unknown>>;
  readonly outcome: CallOutcome;
  readonly time: number;
  readonly text: string;
}

const maxHistoryBytes = 16 * 1024 * 1024;

const maxLineLength = 256 * 1024;

/** The first bytes of a log file identify it: if old lines are removed, they change, and the file is read again. */
const headBytes = 256;

export class CallHistory {
  readonly path: string;
  readonly #isPrivate: boolean;
  calls: RecordedCall[] = [];
  broken = 0;
  isCut = false;
  problem: string | undefined;
  version = 0;
  #place = "";
  #read = 0;
  #rest = new Uint8Array();

  /** With `isPrivate`, a log that other users could have changed, or that is a link, is not read. */
  constructor(path: string, { isPrivate }: { readonly isPrivate: boolean }) {
    this.path = protect(path, "hidden");
    this.#isPrivate = isPrivate;
  }

  async refresh(): Promise<void> {
    const before = this.problem;
    this.problem = await this.#look().then(() => undefined, (error) => {
      if (this.#place !== "") this.#restart("", 0);
      return error instanceof Deno.errors.NotFound ? undefined : messageOf(error);
    });
    if (before !== this.problem) this.version++;
  }

  async #look(): Promise<void> {
    const path = systemPath(this.path);
    const exposure = this.#isPrivate ? exposureOf(path) : undefined;
    if (exposure !== undefined) throw new Error(exposure);
    // Only regular files are read, since to open a FIFO would block climax until a program writes to it
    if (!(await Deno.stat(systemPath(path))).isFile) {
      throw new Error("It is not a file that can be read back");
    }
    using file = await Deno.open(systemPath(path), { read: true });
    const { dev, ino, size } = await file.stat();
    const head = new TextDecoder().decode(await readUpTo(file, Math.min(headBytes, size)));
    const place = `${dev}-${ino}-${head}`;
    // If the log has only grown, it still begins with the same bytes, and only its new lines are read
    const isSame = this.#place !== "" && size >= this.#read && place.startsWith(this.#place);
    if (isSame && size === this.#read) return;
    if (!isSame) this.#restart(place, Math.max(0, size - maxHistoryBytes));
    else if (this.#read < headBytes) this.#place = place;
    await file.seek(this.#read, Deno.SeekMode.Start);
    this.#add(await readUpTo(file, size - this.#read));
    this.#read = size;
    this.version++;
  }

  #restart(place: string, from: number): void {
    this.#place = place;
    this.#read = from;
    this.#rest = new Uint8Array();
    this.calls = [];
    this.broken = 0;
    this.isCut = from > 0;
    this.version++;
  }

  #add(bytes: Uint8Array): void {
    const all = new Uint8Array(this.#rest.length + bytes.length);
    all.set(this.#rest);
    all.set(bytes, this.#rest.length);
    const end = all.lastIndexOf(0x0a) + 1;
    this.#rest = all.slice(end);
    const lines = new TextDecoder().decode(all.subarray(0, end)).split("\n");
    if (this.isCut && this.calls.length === 0) lines.shift();
    const ended = new Set<string>();
    for (const line of lines) {
      if (line.trim() === "") continue;
      const call = callOf(line);
      if (call === undefined) this.broken++;
      else this.calls.push(call);
      if (call?.outcome !== "running") ended.add(fieldText(call?.entry["job"]));
    }
    ended.delete("");
    if (ended.size === 0) return;
    this.calls = this.calls.filter(({ entry, outcome }) => {
      return outcome !== "running" || !ended.has(fieldText(entry["job"]));
    });
  }
}

function callOf(line: string): RecordedCall | undefined {
  if (line.length > maxLineLength) return undefined;
  try {
    const entry = JSON.parse(line);
    if (!isObject(entry)) return undefined;
    const time = Date.parse(String(entry["time"]));
    return { entry, time, outcome: outcomeOf(entry), text: line.toLowerCase() };
  } catch {
    return undefined;
  }
}

function outcomeOf(entry: Readonly<Record<string, unknown>>): CallOutcome {
  const { decision, confirmation, ending, exit_code: code, fits, script } = entry;
  if (decision === "failed") return "failed";
  // A script counts as refused if it ran, but a call in it was refused
  const isRefused = decision !== "allowed" || script !== undefined && ending === "refused";
  if (isRefused) return /^(?:asked|waiting)$/.test(String(confirmation)) ? "waiting" : "refused";
  if (ending === "cancelled") return "stopped";
  if (ending === "still running") return "running";
  const isDone = /^(?:undefined|answered|returned)$/.test(String(ending)) ||
    ending === "exited" && code === 0;
  return isDone && fits !== false ? "done" : "failed";
}

/** Formats a value of a log line. Other programs may have written the line, so it may be an object. */
export function fieldText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const filters = {
  client: undefined,
  tool: undefined,
  effect: ["read", "write", "destructive"],
  outcome: outcomes,
  since: undefined,
} satisfies Readonly<Record<string, readonly string[] | undefined>>;

export const filterNames = Object.keys(filters) as (keyof typeof filters)[];

/**
 * Returns a test for entries: each `name=value` must hold, and each other word must occur.
 * @throws {UsageError} for an unknown name or value
 */
export function historyFilter(
  words: readonly string[],
  now = Date.now(),
): (call: RecordedCall) => boolean {
  const tests = words.map((word): (call: RecordedCall) => boolean => {
    const [given = "", value = ""] = word.split(/=(.*)/s);
    const name = filterNames.find((each) => each === given);
    if (!/^\w+=/.test(word)) return (call) => call.text.includes(word.toLowerCase());
    if (name === undefined) {
      const hint = nearHint(given, filterNames) ?? `Its filters: ${filterNames.join("=, ")}=`;
      throw new UsageError(`There is no filter '${given}='`, hint);
    }
    if (value === "") throw new UsageError(`${name}= needs a value`);
    const text = value.toLowerCase();
    if (name === "since") {
      const from = sinceOf(value, now);
      return ({ time }) => time >= from;
    }
    const values: readonly string[] | undefined = filters[name];
    if (values?.includes(value) === false) {
      throw new UsageError(`${name}= takes one of ${values.join(", ")}, not '${value}'`);
    }
    return ({ entry, outcome }) => {
      const own = name === "outcome" ? outcome : fieldText(entry[name]);
      return matchesGlob(text, own.toLowerCase());
    };
  });
  return (call) => tests.every((test) => test(call));
}

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function sinceOf(value: string, now: number): number {
  const [, count, unit = ""] = /^(\d{1,6})([mhd])$/.exec(value) ?? [];
  // A number alone is refused, since Date.parse would read it as a year or month
  const date = /^\d{4}-\d\d/.test(value) ? Date.parse(value) : NaN;
  const time = count === undefined ? date : now - Number(count) * unitMs[unit]!;
  if (!Number.isNaN(time)) return time;
  throw new UsageError(`since= takes 30m, 12h, 7d or a date such as 2026-11-28, not '${value}'`);
}

type RecordedCounts = Readonly<Partial<Record<CallOutcome, number>>> & {
  readonly name: string;
  readonly calls: number;
  readonly tokens: number;
};

export function countCalls(
  calls: readonly RecordedCall[],
  nameOf: (call: RecordedCall) => string,
): RecordedCounts[] {
  return [...Map.groupBy(calls, nameOf)].map(([name, own]) => {
    const tokens = own.reduce((sum, { entry }) => sum + tokensIn(entry["tokens"]), 0);
    const byOutcome = Object.entries(Object.groupBy(own, ({ outcome }) => outcome))
      .map(([outcome, some]) => [outcome, some.length]);
    return { ...Object.fromEntries(byOutcome), name, calls: own.length, tokens };
  });
}

/** Returns the tokens of an entry; 0 for a number such as 1e999, which JavaScript reads as infinite. */
function tokensIn(value: unknown): number {
  return typeof value === "number" && value > 0 && value < 1e9 ? value : 0;
}

export function dayOf({ time }: RecordedCall): string {
  return Number.isNaN(time) ? "unknown" : new Date(time).toLocaleDateString("sv-SE");
}
