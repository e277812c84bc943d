/** Keeps calls that wait for a person, and the answers of persons, in a file or in the store that instances share. */

import { delay } from "../async/deadline.ts";
import { countHeld, oldestOfLargest } from "../async/semaphore.ts";
import { messageOf } from "../errors.ts";
import { newId } from "../jobs/job.ts";
import { log } from "../log.ts";
import type { RecordStore } from "../state/file_store.ts";
import { excerpt } from "../text/excerpt.ts";
import { sha256 } from "../text/hash.ts";
import { climax } from "../process/own_command.ts";

/** What a person can answer. `yes` allows one call, `always` each identical one, `folder` and `tool` similar ones. */
export const approvalChoices = ["yes", "no", "session", "folder", "tool", "always"] as const;

export type ApprovalChoice = typeof approvalChoices[number];

export interface ApprovalScope {
  readonly choice: "folder" | "tool";
  readonly key: string;
  readonly words: string;
}

/** A call that waits for a person, as it is shown: its control characters are escaped. */
export interface CallToApprove {
  readonly key: string;
  readonly refusalKey: string;
  readonly scopes?: readonly ApprovalScope[];
  readonly owner: string;
  readonly isOnce?: boolean;
  readonly client: string;
  readonly tool: string;
  readonly words: string;
  readonly whole?: string;
  readonly line: string;
  readonly directory: string;
}

export interface WaitingCall extends CallToApprove {
  readonly id: string;
  readonly pid: number;
  /** When the call was added to the list, in milliseconds since 1970. */
  readonly since: number;
  readonly until: number;
}

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

export const waitMs = 60 * minute;

/**
 * `lookMs`: milliseconds between two looks for an answer. `soonMs`: the same while another process writes the answer.
 */
const [lookMs, soonMs] = [1_000, 25];

export const answerMs = {
  yes: 10 * minute,
  no: 10 * minute,
  session: 12 * 60 * minute,
  folder: 12 * 60 * minute,
  tool: 12 * 60 * minute,
  always: 365 * 24 * 60 * minute,
} as const;

export const maxWaiting = { client: 20, all: 100 } as const;

const idLength = 6;

const maxAnswers = 500;

const maxLineLength = 500;

const [waiting, answers] = ["approvals:waiting", "approvals:answers"];

export class Approvals {
  readonly #store: RecordStore;
  readonly #session: () => string;
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: RecordStore, session?: () => string) {
    const own = crypto.randomUUID();
    this.#store = store;
    this.#session = session ?? (() => own);
  }

  /** Returns the answer given for one of `keys`; a `yes`, which holds for one call, is deleted. Never rejects. */
  async use(keys: readonly string[]): Promise<Approval | undefined> {
    try {
      const session = this.#session();
      const fields = keys.flatMap((key) => [
        ...(["yes", "no", "session", "always"] as const)
          .map((choice) => fieldOf(choice, key, session)),
        fieldOf("session", key),
      ]);
      const all = [...await this.#read<Approval>(answers, fields)];
      // A no comes first: it outweighs a yes that was given for similar calls
      for (const [field, found] of all.toSorted(([, a]) => a.choice === "no" ? -1 : 0)) {
        const isOnce = found.choice === "yes";
        if (field.startsWith(unbound) && !await this.#bind(field, found)) {
          await delay(soonMs);
          return await this.use(keys);
        }
        // If two identical calls find one `yes`, only the call that deletes it may run
        if (!isOnce || await this.#store.deleteFields(answers, [field]) === 1) return found;
      }
    } catch (error) {
      log("warning", `Approvals cannot be read: ${messageOf(error)}`);
    }
    return undefined;
  }

  async #bind(field: string, answer: Approval): Promise<boolean> {
    if (await this.#store.deleteFields(answers, [field]) !== 1) return false;
    const own = fieldOf(answer.choice, field.slice(unbound.length), this.#session());
    await this.#store.putFields(answers, { [own]: JSON.stringify(answer) }, answerMs.always);
    return true;
  }

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

  /** Waits for an answer given by `climax approve` or on the page, or until `stop` is aborted. Never rejects. */
  async wait(call: CallToApprove, stop: AbortSignal): Promise<Approval | undefined> {
    const added = await this.add(call);
    if (!("id" in added)) return undefined;
    const { key, refusalKey, scopes = [] } = call;
    const keys = [key, refusalKey, ...scopes.map((scope) => scope.key)];
    for (; !stop.aborted; await delay(lookMs, stop)) {
      const found = await this.use(keys);
      if (found !== undefined) return found;
    }
    const taken = await this.#store.deleteFields(waiting, [added.id]).catch(() => 1);
    // Another process has taken the call off the list, and writes its answer within half a second
    for (let left = taken === 1 ? 0 : 20; left > 0; left--, await delay(soonMs)) {
      const found = await this.use(keys);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  async waiting(): Promise<WaitingCall[]> {
    const calls = await this.#read<WaitingCall>(waiting);
    return [...calls.values()].toSorted((a, b) => a.since - b.since);
  }

  async list(): Promise<Approval[]> {
    return [...(await this.#read<Approval>(answers)).values()].toSorted((a, b) => a.at - b.at);
  }

  async answer(
    id: string,
    choice: ApprovalChoice,
    approver: Approver,
  ): Promise<WaitingCall | undefined> {
    const call = (await this.waiting()).find((each) => each.id === id);
    if (call === undefined || await this.#store.deleteFields(waiting, [id]) !== 1) return undefined;
    await this.#put(call, countedAs(call, choice), approver);
    return call;
  }

  async remove(id: string): Promise<void> {
    await this.#store.deleteFields(waiting, [id]).catch(() => {});
  }

  /** Keeps a person's answer to `call` for later calls. Never rejects. */
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

export function countedAs({ isOnce, scopes = [] }: CallToApprove, choice: ApprovalChoice) {
  if (choice === "no" || choice === "yes") return choice;
  const isScope = choice === "folder" || choice === "tool";
  return isOnce || isScope && !scopes.some((each) => each.choice === choice) ? "yes" : choice;
}

const unbound = "next ";

function fieldOf(choice: ApprovalChoice, key: string, session?: string): string {
  if (choice === "yes") return `once ${key}`;
  if (choice === "no" || choice === "always") return `${choice} ${key}`;
  return session === undefined ? `${unbound}${key}` : `session ${sha256(`${key} ${session}`)}`;
}
