/**
 * Collects the calls that would change something while a script runs as a trial. After one question about all of these
 * calls, the script runs again and makes them.
 */

import type { Approval } from "../../call/approvals.ts";
import { addTrial } from "../../call/confirm.ts";
import { askConsent, planText, textOfCall } from "../../call/consent.ts";
import type { AgreedCalls, PlannedCall } from "../../call/pipeline.ts";
import {
  callWords,
  cutLine,
  linesOf,
  sentenceOf,
  wants,
  type WordBounds,
} from "../../call/question.ts";
import { isRefused, refusalText } from "../../call/refusal.ts";
import { spellOut } from "../../text/escape.ts";
import { plural } from "../../text/plural.ts";
import { effectOfCall } from "../../tool/annotations.ts";
import type { Ask } from "../../tool/runner.ts";
import { type CallValue, errorValue } from "./call_value.ts";

type ScriptCall = Parameters<typeof askConsent>[0];

interface CollectedCall {
  readonly call: PlannedCall;
  readonly shown: PlannedCall;
  readonly order: number;
}

/** All collected calls of a script together have at most this many characters of arguments, as they stay in memory. */
const maxLength = 4 * 1024 * 1024;

/** With more calls than this, a client's form has only one line for each; `climax approve --show` has them in full. */
const maxShown = 40;

export class CollectedCalls {
  readonly #calls: CollectedCall[] = [];
  #length = 0;

  get size(): number {
    return this.#calls.length;
  }

  /**
   * Collects a call to ask about it, unless it would fail. `order` is its position among the calls of the script.
   * Returns the value that the script gets in place of a result.
   */
  async collect(call: PlannedCall, order: number): Promise<CallValue> {
    this.#length += JSON.stringify(call.given).length;
    if (this.#length > maxLength) {
      return errorValue(`A script changes things by ${maxLength} characters of arguments at most`);
    }
    const tried = await addTrial(call);
    // Only the first call is refused if its trial fails: a later one may fail just because earlier calls were not made
    if (isRefused(tried) && this.size === 0) return errorValue(refusalText(tried));
    const shown = isRefused(tried) ? call : tried;
    this.#calls.push({ call, shown, order });
    this.#calls.sort((a, b) => a.order - b.order);
    const { outcome, text = "" } = shown.trial ?? {};
    const later = `[trial: ${call.tool.name} is made after a person has agreed]`;
    return { isError: false, text: outcome === "shown" ? text : later };
  }

  /**
   * Returns a text for each call, by which the second run recognises what a person agreed to. The result of the call's
   * trial is part of the text if the call is the first, destroys something, or is decided by the project's files.
   */
  #agreed(): string[] {
    return this.#calls.map(({ call, shown }, at) => {
      const { saidBy, state } = shown.trial ?? {};
      const isFree = at > 0 && saidBy === undefined && state === undefined &&
        effectOfCall(call.tool, call.values) !== "destructive";
      return textOfCall(isFree ? call : shown);
    });
  }

  async isUnchanged(signal: AbortSignal | undefined): Promise<boolean> {
    for (const { call, shown } of this.#calls) {
      const again = await addTrial({ ...call, options: { ...call.options, signal } });
      if (textOfCall(isRefused(again) ? call : again) !== textOfCall(shown)) return false;
    }
    return true;
  }

  list(bounds: WordBounds): string[] {
    const room = Number.isFinite(bounds.lines) ? 2 : 1;
    const share = Math.max(200, Math.floor(room * bounds.characters / this.size));
    const lines = Math.max(8, Math.floor(room * bounds.lines / this.size));
    const own = { lines, width: Math.min(bounds.width, share), characters: share };
    return this.#calls.flatMap(({ shown: call }, at) => {
      const words = this.size > maxShown && Number.isFinite(bounds.lines)
        ? `${sentenceOf(call)}: ${spellOut(call.tool.name)}: ${
          cutLine(call.plan.preview.line, 200)
        }`
        : callWords(call, own).replace(`\n${wants} `, "\n");
      return `${at + 1}. ${words}`.split("\n");
    });
  }

  /** Asks a person about all collected calls at once. `failure` tells why the trial of the script failed, if so. */
  async ask(script: ScriptCall, ask: Ask | undefined, failure: string | undefined) {
    const { tool, plan: { preview: { input, line } } } = script;
    const names = Map.groupBy(this.#calls, ({ call }) => spellOut(call.tool.name));
    const counts = names.entries().map(([name, { length }]) => `${name} ${length}×`).toArray();
    const wordsOf = (bounds: WordBounds) => {
      return [
        `Run a script that makes ${plural(this.size, "call")}: ${counts.join(", ")}`,
        `${wants} ${spellOut(tool.name)}. These of its calls change something:`,
        ...this.list(bounds),
        ...failure === undefined ? [] : [
          "Its trial failed then. What it calls after these is asked about by itself:",
          ...linesOf(failure, bounds),
        ],
        ...input === undefined ? [] : ["The script:", ...linesOf(input, bounds)],
        "Exactly these calls are made, by:",
        ...linesOf(line, bounds),
      ].join("\n");
    };
    const text = JSON.stringify([planText(script), this.#agreed()]);
    return await askConsent(script, ask, { wordsOf, text, isOnce: true });
  }

  get records(): readonly object[] {
    return this.#calls.map(({ call: { tool, plan } }) => ({
      tool: tool.name,
      ...plan.preview.record,
    }));
  }

  /** Returns the calls to which a person said yes. With `isExact`, every other call of the script is refused. */
  agreedTo(isExact: boolean, approval: Approval | undefined): AgreedCalls {
    const left = this.#agreed();
    return {
      isExact,
      approval,
      take(text) {
        const isNext = left[0] === text;
        if (isNext) left.shift();
        return isNext;
      },
      get left() {
        return left.length;
      },
    };
  }
}
