/**
 * Stores calls that wait for a person whom their client cannot ask, and that person's answers: in a file of the person
 * or in the store of all instances. An answer is for one key: everything that is run, or what the calls of a scope have
 * in common.
 */

import { abortable, delay } from "../async/deadline.ts";
import { countHeld, oldestOfLargest } from "../async/semaphore.ts";
import { messageOf } from "../errors.ts";
import { newId } from "../jobs/job.ts";
import { log } from "../log.ts";
import type { RecordStore } from "../state/file_store.ts";
import { excerpt } from "../text/excerpt.ts";
import { sha256 } from "../text/hash.ts";
import { climax } from "../process/own_command.ts";

/** `yes` is for one call; `session` and `always` for all equal ones, `folder` and `tool` for all of a scope. */
export const approvalChoices = ["yes", "no", "session", "folder", "tool", "always"] as const;

export type ApprovalChoice = typeof approvalChoices[number];

/** A set of calls for which one answer may count, beside those that are the same. */
export interface ApprovalScope {
  /** `folder`: paths below one folder. `tool`: paths below all folders of the tool, or none, with any text. */
  readonly choice: "folder" | "tool";
  /** A hash of everything that these calls have in common. */
  readonly key: string;
  /** Says which calls these are. */
  readonly words: string;
}

/** A call as a person sees it. Texts of agents are escaped. */
export interface CallToApprove {
  /** A hash of everything that is run, of the client and of the policy. */
  readonly key: string;
  /** A hash of all this without the change that the call makes: a no counts even if that is another by then. */
  readonly refusalKey: string;
  /** The scopes for which an answer may count. */
  readonly scopes?: readonly ApprovalScope[];
  /** A hash of the client, by which its calls are counted: {@linkcode client} is for people. */
  readonly owner: string;
  /** A yes counts for one call only, even if the person chooses more. */
  readonly isOnce?: boolean;
  readonly client: string;
  readonly tool: string;
  /** The question, with its long parts cut. */
  readonly words: string;
  /** The whole text of the question, if the question is cut. */
  readonly whole?: string;
  readonly line: string;
  readonly directory: string;
}

export interface WaitingCall extends CallToApprove {
  /** The id that a person types to answer. */
  readonly id: string;
  readonly pid: number;
  /** All times here are milliseconds since 1970. */
  readonly since: number;
  readonly until: number;
}

/** Names who answers a question, and by which means. */
export interface Approver {
  readonly by: string;
  readonly how: "climax approve" | "climax ui" | "elicitation";
}

export interface Approval
  extends Approver, Pick<CallToApprove, "client" | "tool" | "line" | "directory"> {
  readonly id: string;
  readonly choice: ApprovalChoice;
  readonly at: number;
  readonly until: number;
}

const minute = 60_000;

/** A call stays in the list for this many milliseconds. */
export const waitMs = 60 * minute;

/** Answers are looked for every so many milliseconds, and more often if one must come soon. */
const [lookMs, soonMs] = [1_000, 25];

/** An answer of each kind is valid for this many milliseconds. */
export const answerMs = {
  yes: 10 * minute,
  no: 10 * minute,
  session: 12 * 60 * minute,
  folder: 12 * 60 * minute,
  tool: 12 * 60 * minute,
  always: 365 * 24 * 60 * minute,
} as const;

/** At most this many calls of one client, and of all clients together, wait for a person. */
export const maxWaiting = { client: 20, all: 100 } as const;

/** An id has this many letters: a person types it. */
const idLength = 6;

const maxAnswers = 500;

/** An answer has at most this many characters of the command line; a waiting call has all, for the person. */
const maxLineLength = 500;

const [waiting, answers] = ["approvals:waiting", "approvals:answers"];

export class Approvals {
  readonly #store: RecordStore;
  readonly #session: () => string;
  #last: Promise<unknown> = Promise.resolve();
  /** The number of calls that wait at this instance. They look for answers together. */
  #waits = 0;
  #look: Promise<ReadonlyMap<string, Approval>> | undefined;
  #over = new AbortController();

  /** `session` returns the name of the session. @default a name for this process */
  constructor(store: RecordStore, session?: () => string) {
    const own = crypto.randomUUID();
    this.#store = store;
    this.#session = session ?? (() => own);
  }

  /** Returns the answer for one of `keys`, and deletes it if it is for one call; never rejects. */
  async use(keys: readonly string[]): Promise<Approval | undefined> {
    try {
      const fields = this.#fieldsOf(keys);
      const all = [...await this.#read<Approval>(answers, fields)];
      // A no has precedence over a yes to a scope
      for (const [field, found] of all.toSorted(([, a]) => a.choice === "no" ? -1 : 0)) {
        const isOnce = found.choice === "yes";
        if (field.startsWith(unbound) && !await this.#bind(field, found)) {
          // Another call of this session has just taken the answer, or a person has withdrawn it
          await delay(soonMs);
          return await this.use(keys);
        }
        // If two equal calls arrive together, only one gets the answer
        if (!isOnce || await this.#store.deleteFields(answers, [field]) === 1) return found;
      }
    } catch (error) {
      log("warning", `Approvals cannot be read: ${messageOf(error)}`);
    }
    return undefined;
  }

  #fieldsOf(keys: readonly string[]): string[] {
    return keys.flatMap((key) => [
      ...(["yes", "no", "session", "always"] as const)
        .map((choice) => fieldOf(choice, key, this.#session())),
      fieldOf("session", key),
    ]);
  }

  /** Assigns an answer without a session to this session. Returns false if the answer is gone. */
  async #bind(field: string, answer: Approval): Promise<boolean> {
    if (await this.#store.deleteFields(answers, [field]) !== 1) return false;
    const own = fieldOf(answer.choice, field.slice(unbound.length), this.#session());
    await this.#store.putFields(answers, { [own]: JSON.stringify(answer) }, answerMs.always);
    return true;
  }

  /** Lists `call` for a person. Returns the listed call, or why it cannot wait; never rejects. */
  async add(call: CallToApprove): Promise<{ readonly id: string } | { readonly reason: string }> {
    const added = this.#last.then(() => this.#add(call)).catch((error) => {
      log("warning", `A call cannot wait for a person: ${messageOf(error)}`);
      return { reason: "it cannot wait for a person: the log says why" };
    });
    this.#last = added;
    return await added;
  }

  async #add(call: CallToApprove) {
    const every = await this.waiting();
    const same = every.find(({ key }) => key === call.key);
    if (same?.pid === Deno.pid) return same;
    // Another server listed this call, and has perhaps ended
    const all = every.filter((each) => each !== same);
    const held = countHeld(all);
    if ((held.get(call.owner) ?? 0) >= maxWaiting.client) {
      return { reason: `${maxWaiting.client} calls of this client wait for a person already` };
    }
    if (all.length >= maxWaiting.all) {
      await this.#store.deleteFields(waiting, [oldestOfLargest(all, held)!.id]);
    }
    const id = same?.id ?? newId("", idLength);
    const since = this.#store.now();
    const record = { ...call, id, pid: Deno.pid, since, until: since + waitMs };
    await this.#store.putFields(waiting, { [id]: JSON.stringify(record) }, waitMs);
    return { id };
  }

  /**
   * Waits for a person's answer while the client of `call` is asked. The client's own answer aborts `stop`, and counts
   * only if it takes the call off the list: then nothing is returned. Never rejects.
   */
  async wait(call: CallToApprove, stop: AbortSignal): Promise<Approval | undefined> {
    const added = await this.add(call);
    if (!("id" in added)) return undefined;
    const keys = keysOf(call);
    this.#waits++;
    try {
      for (let isNew = true; !stop.aborted;) {
        const found = isNew ? await this.use(keys) : undefined;
        if (found !== undefined) return found;
        const answered = await abortable(this.#look ??= this.#lookNext(), stop);
        isNew = answered !== "aborted" && this.#fieldsOf(keys).some((key) => answered.has(key));
      }
    } finally {
      if (--this.#waits === 0) this.#over.abort();
    }
    const taken = await this.#store.deleteFields(waiting, [added.id]).catch(() => 1);
    // Another process took the call off the list and writes the answer next, within half a second
    for (let left = taken === 1 ? 0 : 20; left > 0; left--, await delay(soonMs)) {
      const found = await this.use(keys);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  async #lookNext(): Promise<ReadonlyMap<string, Approval>> {
    this.#over = new AbortController();
    await delay(lookMs, this.#over.signal);
    this.#look = undefined;
    return this.#over.signal.aborted
      ? new Map()
      : await this.#read<Approval>(answers).catch(() => new Map());
  }

  /** Returns the calls that wait, the oldest first. */
  async waiting(): Promise<WaitingCall[]> {
    const calls = await this.#read<WaitingCall>(waiting);
    return [...calls.values()].toSorted((a, b) => a.since - b.since);
  }

  /** Returns the answers that still count, the oldest first. */
  async list(): Promise<Approval[]> {
    return [...(await this.#read<Approval>(answers)).values()].toSorted((a, b) => a.at - b.at);
  }

  /** Answers the waiting call `id`. Returns nothing if that call no longer waits. */
  async answer(
    id: string,
    choice: ApprovalChoice,
    approver: Approver,
  ): Promise<WaitingCall | undefined> {
    const call = (await this.waiting()).find((each) => each.id === id);
    if (call === undefined || await this.#store.deleteFields(waiting, [id]) !== 1) return undefined;
    // The server of the call may have ended; the next one that gets this call uses the answer
    await this.#put(call, countedAs(call, choice), approver);
    return call;
  }

  /** Takes a call that no longer waits off the list; never rejects. */
  async remove(id: string): Promise<void> {
    await this.#store.deleteFields(waiting, [id]).catch(() => {});
  }

  /** Remembers the answer that the client of `call` has brought; never rejects. */
  async remember(
    call: CallToApprove,
    choice: ApprovalChoice,
    approver: Approver,
  ): Promise<Approval | undefined> {
    try {
      const record = { ...call, id: newId("", idLength) };
      return await this.#put(record, choice, approver, this.#session());
    } catch (error) {
      log("warning", `The answer of a person is not remembered: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** Deletes the answer `id`, or all answers. Returns their number. */
  async forget(id?: string): Promise<number> {
    const meant = [...await this.#read<Approval>(answers)]
      .flatMap(([field, answer]) => id === undefined || answer.id === id ? [field] : []);
    return await this.#store.deleteFields(answers, meant);
  }

  close(): void {
    this.#store.close();
  }

  async #put(
    call: CallToApprove & { readonly id: string },
    choice: ApprovalChoice,
    approver: Approver,
    session?: string,
  ): Promise<Approval> {
    const { id, client, tool, directory } = call;
    const scope = call.scopes?.find((each) => each.choice === choice);
    const key = scope?.key ?? (choice === "no" ? call.refusalKey : call.key);
    const line = excerpt(scope?.words ?? call.line, maxLineLength);
    const at = this.#store.now();
    const until = at + answerMs[choice];
    const approval = { id, choice, client, tool, line, directory, ...approver, at, until };
    if ((await this.#read(answers)).size >= maxAnswers) {
      throw new Error(`${maxAnswers} answers are remembered already: ${climax()} approve --forget`);
    }
    const field = fieldOf(choice, key, session);
    const fields = { [field]: JSON.stringify(approval) };
    await this.#store.putFields(answers, fields, answerMs.always);
    return approval;
  }

  /** Returns the records that are still valid, by field, and removes the others. */
  async #read<T extends { readonly until: number }>(
    name: string,
    keys?: readonly string[],
  ): Promise<Map<string, T>> {
    const found = [...await this.#store.getFields(name, keys)]
      .map(([key, text]) => [key, JSON.parse(text) as T] as const);
    const now = this.#store.now();
    const over = found.filter(([, { until }]) => until <= now).map(([key]) => key);
    if (over.length > 0) await this.#store.deleteFields(name, over);
    return new Map(found.filter(([key]) => !over.includes(key)));
  }
}

/** Returns the choice that counts: one that is not offered allows a single call. */
export function countedAs({ isOnce, scopes = [] }: CallToApprove, choice: ApprovalChoice) {
  if (choice === "no" || choice === "yes") return choice;
  const isScope = choice === "folder" || choice === "tool";
  return isOnce || isScope && !scopes.some((each) => each.choice === choice) ? "yes" : choice;
}

function keysOf({ key, refusalKey, scopes = [] }: CallToApprove): string[] {
  return [key, refusalKey, ...scopes.map((scope) => scope.key)];
}

/** The field of an answer for the first session that uses it begins with this. */
const unbound = "next ";

/** Returns the field of an answer. `yes`, `no` and `always` have no session; others have one, or the next. */
function fieldOf(choice: ApprovalChoice, key: string, session?: string): string {
  if (choice === "yes") return `once ${key}`;
  if (choice === "no" || choice === "always") return `${choice} ${key}`;
  return session === undefined ? `${unbound}${key}` : `session ${sha256(`${key} ${session}`)}`;
}
