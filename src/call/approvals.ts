/**
 * A yes from anywhere: calls that wait for a person whom their client cannot ask, and the answers of that person. They
 * are in a file of the person or in the store of all instances. An answer is for one key: everything that is run.
 */

import { countHeld, oldestOfLargest } from "../async/semaphore.ts";
import { messageOf } from "../errors.ts";
import { log } from "../log.ts";
import type { RecordStore } from "../state/file_store.ts";
import { sha256 } from "../text/hash.ts";

/** The answers; `session` and `always` are a yes to each later call that is the same. */
export const approvalChoices = ["yes", "no", "session", "always"] as const;

export type ApprovalChoice = typeof approvalChoices[number];

/** A call as a person decides about it. */
export interface CallToApprove {
  /** Fingerprint of everything that is run, for which client and under which policy. */
  readonly key: string;
  readonly client: string;
  readonly tool: string;
  /** The question, with all that is run; texts of agents are spelled out. */
  readonly words: string;
  /** The command line alone. */
  readonly line: string;
  readonly directory: string;
}

export interface WaitingCall extends CallToApprove {
  /** What a person types. */
  readonly id: string;
  /** Of the process, or of the store of all instances. */
  readonly session: string;
  /** Process id of the server. */
  readonly pid: number;
  /** Milliseconds since 1970, as all times here. */
  readonly since: number;
  readonly until: number;
}

/** Who answers, and by what. */
export interface Approver {
  readonly by: string;
  readonly how: "climax approve" | "climax ui" | "elicitation";
}

export interface Approval extends Approver, Omit<CallToApprove, "words" | "key"> {
  readonly id: string;
  readonly choice: ApprovalChoice;
  readonly at: number;
  readonly until: number;
}

const [minute, day] = [60_000, 86_400_000];

/** Milliseconds that a call waits. */
export const waitMs = 60 * minute;

/** Milliseconds for which an answer counts. */
const answerMs: Readonly<Record<ApprovalChoice, number>> = {
  yes: 10 * minute,
  no: 10 * minute,
  session: day / 2,
  always: 365 * day,
};

/** Most calls that wait for one client, and for all. */
export const maxWaiting = { client: 20, all: 100 } as const;

/** Most answers of one kind. */
const maxApprovals = 500;

const waiting = "approvals:waiting";

/** The records of answers; a yes and a no are used up by one call. */
function recordOf(choice: ApprovalChoice): string {
  return `approvals:${choice === "session" || choice === "always" ? choice : "once"}`;
}

export class Approvals {
  readonly #store: RecordStore;
  readonly #session: () => string;
  #adding: Promise<unknown> = Promise.resolve();

  /** `session` names the session, by default this process. */
  constructor(store: RecordStore, session?: () => string) {
    const own = crypto.randomUUID();
    this.#store = store;
    this.#session = session ?? (() => own);
  }

  /** The answer for `key`, which is used up unless it is for more calls; never rejects. */
  async use(key: string): Promise<Approval | undefined> {
    try {
      for (const choice of ["yes", "session", "always"] as const) {
        const field = fieldOf(choice, key, this.#session());
        const record = recordOf(choice);
        const [found] = await this.#read<Approval>(record, [field]);
        if (found === undefined) continue;
        // Of two calls at once, one takes it
        const isTaken = choice === "yes" && await this.#store.deleteFields(record, [field]) !== 1;
        if (!isTaken) return found;
      }
    } catch (error) {
      log("warning", `Approvals cannot be read: ${messageOf(error)}`);
    }
    return undefined;
  }

  /** Has `call` wait for a person. Returns what it waits as, or why it cannot wait; never rejects. */
  async add(call: CallToApprove): Promise<{ readonly id: string } | { readonly reason: string }> {
    const added = this.#adding.then(() => this.#add(call)).catch((error) => {
      log("warning", `A call cannot wait for a person: ${messageOf(error)}`);
      return { reason: "it cannot wait for a person: the log says why" };
    });
    this.#adding = added;
    return await added;
  }

  async #add(call: CallToApprove) {
    const all = await this.waiting();
    const same = all.find(({ key }) => key === call.key);
    if (same !== undefined) return same;
    const held = countHeld(all.map(({ client }) => ({ owner: client })));
    if ((held.get(call.client) ?? 0) >= maxWaiting.client) {
      return { reason: `${maxWaiting.client} calls of this client wait for a person already` };
    }
    if (all.length >= maxWaiting.all) {
      const { id } = oldestOfLargest(all.map((each) => ({ ...each, owner: each.client })), held)!;
      await this.#store.deleteFields(waiting, [id]);
    }
    const id = newId(all);
    const [session, since] = [this.#session(), this.#store.now()];
    const record = { ...call, id, session, pid: Deno.pid, since, until: since + waitMs };
    await this.#store.putFields(waiting, { [id]: JSON.stringify(record) }, waitMs);
    return { id };
  }

  /** The calls that wait, the oldest first. */
  async waiting(): Promise<WaitingCall[]> {
    return (await this.#read<WaitingCall>(waiting)).toSorted((a, b) => a.since - b.since);
  }

  /** Every answer that still counts, the oldest first. */
  async list(): Promise<Approval[]> {
    const records = ["yes", "session", "always"] as const;
    const all = await Promise.all(records.map((each) => this.#read<Approval>(recordOf(each))));
    return all.flat().toSorted((a, b) => a.at - b.at);
  }

  /** Answers the call that waits as `id`; nothing if it waits no more. */
  async answer(
    id: string,
    choice: ApprovalChoice,
    approver: Approver,
  ): Promise<WaitingCall | undefined> {
    const call = (await this.waiting()).find((each) => each.id === id);
    if (call === undefined || await this.#store.deleteFields(waiting, [id]) !== 1) return undefined;
    await this.#put(call, { id, choice, session: call.session }, approver);
    return call;
  }

  /** Remembers an answer that the client of `call` has brought; never rejects. */
  async remember(
    call: CallToApprove,
    choice: ApprovalChoice,
    approver: Approver,
  ): Promise<Approval | undefined> {
    try {
      const asked = await this.waiting();
      await this.#store.deleteFields(
        waiting,
        asked.flatMap(({ id, key }) => key === call.key ? [id] : []),
      );
      const id = newId(await this.list());
      return await this.#put(call, { id, choice, session: this.#session() }, approver);
    } catch (error) {
      log("warning", `The answer of a person is not remembered: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** Takes back the answer `id`, or all of them. Returns how many. */
  async forget(id?: string): Promise<number> {
    let count = 0;
    for (const choice of ["yes", "session", "always"] as const) {
      const fields = await this.#store.getFields(recordOf(choice));
      const meant = [...fields].filter(([, text]) => {
        return id === undefined || parse<Approval>(text)?.id === id;
      });
      count += await this.#store.deleteFields(recordOf(choice), meant.map(([field]) => field));
    }
    return count;
  }

  close(): void {
    this.#store.close();
  }

  async #put(
    { client, tool, line, directory, key }: CallToApprove,
    { id, choice, session }: Pick<WaitingCall, "id" | "session"> & Pick<Approval, "choice">,
    approver: Approver,
  ): Promise<Approval> {
    const at = this.#store.now();
    const ms = answerMs[choice];
    const approval = { id, choice, client, tool, line, directory, ...approver, at, until: at + ms };
    const record = recordOf(choice);
    if ((await this.#read(record)).length >= maxApprovals) {
      throw new Error(`${maxApprovals} answers are remembered already: climax approve --forget`);
    }
    const field = fieldOf(choice, key, session);
    await this.#store.putFields(record, { [field]: JSON.stringify(approval) }, ms);
    return approval;
  }

  /** The records that have not ended; the others are removed. */
  async #read<T extends { readonly until: number }>(
    name: string,
    keys?: readonly string[],
  ): Promise<T[]> {
    const now = this.#store.now();
    const found = [...await this.#store.getFields(name, keys)].map(([key, text]) => {
      return { key, value: parse<T>(text) };
    });
    const over = found.filter(({ value }) => !(value !== undefined && value.until > now));
    if (over.length > 0) await this.#store.deleteFields(name, over.map(({ key }) => key));
    return found.flatMap(({ value }) => value !== undefined && value.until > now ? [value] : []);
  }
}

function fieldOf(choice: ApprovalChoice, key: string, session: string): string {
  return choice === "session" ? sha256(`${key} ${session}`) : key;
}

function parse<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}

/** Letters that are not taken for each other. Random: an agent chooses no id, and none comes again soon. */
const letters = "abcdefghjkmnpqrstuvwxyz23456789";

function newId(others: readonly { readonly id: string }[]): string {
  const bytes = crypto.getRandomValues(new Uint8Array(6));
  const id = Array.from(bytes, (byte) => letters[byte % letters.length]).join("");
  return others.some((each) => each.id === id) ? newId(others) : id;
}
