/** Collects the calls by which a script would change something. After one yes they run in order, until one fails. */

import type { CallContext } from "../../call/context.ts";
import { askAbout, callWords, maxShownLength, planText } from "../../call/consent.ts";
import { prepareCall } from "../../call/prepare.ts";
import { refusalText } from "../../call/refusal.ts";
import type { CallRequest } from "../../call/pipeline.ts";
import { excerpt } from "../../text/excerpt.ts";
import { plural } from "../../text/plural.ts";
import { type CallResult, textOf } from "../../tool/result.ts";
import type { Ask } from "../../tool/runner.ts";
import { type CallValue, errorValue } from "./call_value.ts";

/** A call with the words that a person reads. */
interface CollectedCall {
  readonly request: CallRequest;
  readonly words: string;
  /** All that a yes to the call allows. */
  readonly agreed: string;
}

/** Most characters of a result in the answer. */
const maxResultLength = 500;

export class DryRun {
  readonly #context: CallContext;
  readonly #calls: CollectedCall[] = [];
  #length = 0;

  constructor(context: CallContext) {
    this.#context = context;
  }

  /** Adds a call to the list, unless it would be refused. */
  async collect(request: CallRequest): Promise<CallValue> {
    const prepared = await prepareCall(this.#context, request);
    if (!prepared.ok) return errorValue(refusalText(prepared));
    const words = callWords(prepared);
    this.#length += words?.length ?? Infinity;
    if (words === undefined || this.#length > maxShownLength) {
      return errorValue("A dry run collects what a person can review, and this is too much");
    }
    this.#calls.push({ request, words, agreed: planText(prepared) });
    return { isError: false, text: `[dry run: ${request.tool} was not called]` };
  }

  /** Shows the list to a person, makes the calls after a yes, and says what happened. */
  async finish(
    ask: Ask | undefined,
    run: (request: CallRequest, agreed: string) => Promise<CallResult>,
  ): Promise<{ readonly text: string; readonly isError: boolean }> {
    const count = this.#calls.length;
    if (count === 0) return { text: "[dry run: nothing would be changed]", isError: false };
    const list = this.#calls.map(({ words }, at) => `${at + 1}. ${words}`).join("\n");
    if (ask === undefined) {
      const text = `[dry run: this client cannot ask a person, so ${
        plural(count, "call")
      } not made]`;
      return { text: `${text}\n${list}`, isError: false };
    }
    const question = `A script of an agent wants to make ${plural(count, "call")}:\n${list}`;
    const { refusal } = await askAbout({ message: question, planText: question }, ask);
    if (refusal !== undefined) {
      return {
        text: `[dry run: ${plural(count, "call")} not made]\n${list}\n${refusal}`,
        isError: false,
      };
    }
    const lines: string[] = [];
    for (const { request, agreed } of this.#calls) {
      const result = await run(request, agreed);
      const text = excerpt(textOf(result), maxResultLength);
      lines.push(`${lines.length + 1}. ${request.tool}${result.isError ? " failed" : ""}: ${text}`);
      if (!result.isError) continue;
      const rest = count - lines.length;
      if (rest > 0) lines.push(`[${plural(rest, "call")} after it not made]`);
      return { text: lines.join("\n"), isError: true };
    }
    return {
      text: `[the person agreed to ${plural(count, "call")}]\n${lines.join("\n")}`,
      isError: false,
    };
  }
}
