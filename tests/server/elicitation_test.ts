/** Questions to the person of a real client, in both eras of the protocol. */

import assert from "node:assert/strict";
import { type Client, isInputRequiredResult } from "@modelcontextprotocol/client";
import { answerMs } from "../../src/server/_suspended_call.ts";
import {
  Elicitation,
  type ElicitationOptions,
  maxQuestions,
} from "../../src/server/elicitation.ts";
import { maxSuspended } from "../../src/server/_suspended_call.ts";
import type { Surface } from "../../src/server/surface.ts";
import { type CallResult, textResult } from "../../src/tool/result.ts";
import type { CallOptions } from "../../src/call/pipeline.ts";
import type { Question } from "../../src/tool/runner.ts";
import { FakeClock } from "../_clock.ts";
import { FollowedSignal } from "../../src/async/deadline.ts";
import { joinClient, type Joined } from "./_serving.ts";

const eras = ["auto", "legacy"] as const;
type Era = typeof eras[number];

const question: Question = {
  mode: "form",
  message: "Really?",
  requestedSchema: { type: "object", properties: { sure: { type: "boolean" } } },
};

/** A surface with one tool that does `work`. */
function surfaceOf(work: (options: CallOptions, args: unknown) => Promise<CallResult>): Surface {
  const inputSchema = { type: "object" } as const;
  return {
    instructions: "",
    list: () => [{ name: "ask", description: "", inputSchema }],
    call: (_name, args, options) => work(options, args),
    callTool: (_name, args, options) => work(options, args),
    listFeatures: () => [],
    hasJobs: false,
    onChange: () => () => {},
  };
}

async function join(
  surface: Surface,
  era: Era,
  capabilities: object,
  { elicitation, name, ...options }: ElicitationOptions & {
    elicitation?: Elicitation;
    name?: string;
  } = {},
): Promise<Joined> {
  const serving = {
    ...(options.stop && { stop: new FollowedSignal(options.stop) }),
    elicitation: elicitation ?? new Elicitation(options),
    ...(name === undefined ? {} : { client: name, owner: name }),
  };
  return await joinClient(surface, era, serving, capabilities);
}

const form = { elicitation: { form: {} } };

/** A tool that says what the person said. */
const repeats = surfaceOf(async ({ ask }) => {
  if (ask === undefined) return textResult("nobody to ask");
  return textResult(JSON.stringify(await ask(question)));
});

async function textOf(client: Client, args: Record<string, unknown> = {}): Promise<string> {
  const { content } = await client.callTool({ name: "ask", arguments: args });
  return (content[0] as { text: string }).text;
}

Deno.test("Answers to no question of climax are for the server of the call", async () => {
  const inputResponses = { name: { action: "accept", content: { name: "Ada" } } };
  const tells = surfaceOf(({ inputResponses }) => {
    return Promise.resolve(textResult(JSON.stringify(inputResponses ?? "none")));
  });
  await using joined = await join(tells, "auto", form);
  const params = { name: "ask", arguments: {}, inputResponses };
  const { content } = await joined.client.callTool(params as { name: string });
  assert.deepEqual(JSON.parse((content[0] as { text: string }).text), inputResponses);
  assert.equal(await textOf(joined.client), '"none"');
});

Deno.test("Answers to no question of climax leave its own questions open", async () => {
  await using joined = await join(repeats, "auto", form);
  const inputResponses = { q1: { action: "accept", content: { sure: true } } };
  const params = { name: "ask", arguments: {}, inputResponses };
  const options = { allowInputRequired: true };
  const result = await joined.client.callTool(params as { name: string }, options);
  assert.equal((result as { resultType?: string }).resultType, "input_required");
});

for (const era of eras) {
  for (const action of ["accept", "decline", "cancel"] as const) {
    Deno.test(`Asking brings back that the person said ${action} (${era})`, async () => {
      await using joined = await join(repeats, era, form);
      const { client } = joined;
      const asked: unknown[] = [];
      client.setRequestHandler("elicitation/create", ({ params }) => {
        asked.push(params.message);
        return action === "accept" ? { action, content: { sure: true } } : { action };
      });
      const answer = action === "accept" ? { action, content: { sure: true } } : { action };
      assert.deepEqual(JSON.parse(await textOf(client)), answer);
      assert.deepEqual(asked, ["Really?"]);
    });
  }

  Deno.test(`Asking asks as often as it takes (${era})`, async () => {
    const surface = surfaceOf(async ({ ask }) => {
      const answers = [
        await ask!(question),
        ...await Promise.all([ask!(question), ask!(question)]),
      ];
      return textResult(answers.map(({ action }) => action).join(" "));
    });
    await using joined = await join(surface, era, form);
    let count = 0;
    joined.client.setRequestHandler("elicitation/create", () => {
      return ++count === 1 ? { action: "accept", content: {} } : { action: "decline" };
    });
    assert.equal(await textOf(joined.client), "accept decline decline");
    assert.equal(count, 3);
  });

  Deno.test(`Asking says that a client cannot be asked (${era})`, async () => {
    await using joined = await join(repeats, era, {});
    assert.equal(await textOf(joined.client), "nobody to ask");
  });

  Deno.test(`Asking does not send a form to a client that takes URLs only (${era})`, async () => {
    await using joined = await join(repeats, era, { elicitation: { url: {} } });
    joined.client.setRequestHandler("elicitation/create", () => ({ action: "cancel" }));
    assert.deepEqual(JSON.parse(await textOf(joined.client)), {
      action: "unasked",
      reason: "the client does not support elicitation by form",
    });
  });

  Deno.test(`Asking sends a URL to a client that takes them (${era})`, async () => {
    const url = "https://example.org/";
    const surface = surfaceOf(async ({ ask }) => {
      return textResult(JSON.stringify(await ask!({ mode: "url", message: "Go there", url })));
    });
    await using joined = await join(surface, era, { elicitation: { url: {} } });
    const asked: unknown[] = [];
    joined.client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push("url" in params ? params.url : params);
      return { action: "accept" };
    });
    assert.deepEqual(JSON.parse(await textOf(joined.client)), { action: "accept" });
    assert.deepEqual(asked, [url]);
  });
}

/** A tool that runs when the person accepts, and how often it ran. */
function guarded() {
  const ran: unknown[] = [];
  const answered = Promise.withResolvers<void>();
  const surface = surfaceOf(async ({ ask }, args) => {
    const { action } = await ask!(question);
    answered.resolve();
    if (action !== "accept") return textResult(`not run: ${action}`, true);
    ran.push(args);
    return textResult("run");
  });
  return { ran, surface, answered: answered.promise };
}

/** The first answer of a call, which is the question, with the token. */
async function begin(client: Client, args: Record<string, unknown>) {
  const params = { name: "ask", arguments: args };
  const result = await client.callTool(params, { allowInputRequired: true });
  assert.equal(isInputRequiredResult(result), true);
  return { params, requestState: (result as { requestState?: string }).requestState! };
}

const accepted = { q1: { action: "accept", content: { sure: true } } };

/** Sends a call again as a client would who has an answer. */
async function send(client: Client, params: object): Promise<string> {
  const result = await client.callTool(params as Parameters<Client["callTool"]>[0], {
    allowInputRequired: true,
  });
  return ((result.content ?? []) as { text?: string }[])[0]?.text ?? "asked again";
}

const refusedOnceMore =
  /^Call refused: the answer matches no open question\. It was used before, came too late, or is for another call$/;
const refusedForOther = /^Call refused: the answer is for another call\nCall the tool again/;

Deno.test("Asking takes an answer once, and for the very call that it was asked for", async () => {
  const { ran, surface } = guarded();
  await using joined = await join(surface, "auto", form);
  const { client } = joined;
  const { params, requestState } = await begin(client, { file: "a" });
  const answer = { inputResponses: accepted, requestState };

  const other = { ...params, arguments: { file: "b", more: 1 }, ...answer };
  assert.match(await send(client, other), refusedForOther);
  const text = await send(client, { ...params, ...answer, requestState: `${requestState}x` });
  assert.match(text, refusedForOther);
  const [format, key, body, signature] = requestState.split(".");
  const payload = JSON.parse(atob(body!));
  const later = btoa(JSON.stringify({ ...payload, until: payload.until + 1000 }));
  const forged = [format, key, later.replaceAll("=", ""), signature].join(".");
  const sent = send(client, { ...params, ...answer, requestState: forged });
  assert.match(await sent, refusedForOther);
  assert.deepEqual(ran, []);

  assert.equal(await send(client, { ...params, ...answer }), "run");
  assert.match(await send(client, { ...params, ...answer }), refusedOnceMore);
  assert.deepEqual(ran, [{ file: "a" }]);
});

Deno.test("Asking takes no answer for a question that was not asked", async () => {
  const { ran, surface } = guarded();
  await using joined = await join(surface, "auto", form);
  const params = { name: "ask", arguments: {} };
  assert.equal(await send(joined.client, { ...params, inputResponses: accepted }), "asked again");
  const { requestState } = await begin(joined.client, {});
  assert.match(
    await send(joined.client, { ...params, requestState, inputResponses: { other: accepted.q1 } }),
    /^not run: unasked/,
  );
  assert.deepEqual(ran, []);
});

Deno.test("Elicitation cancels a call without an answer", async () => {
  const { ran, surface, answered } = guarded();
  const clock = new FakeClock();
  await using joined = await join(surface, "auto", form, { clock });
  const { params, requestState } = await begin(joined.client, {});
  await clock.advance(answerMs);
  await answered;
  const late = { ...params, requestState, inputResponses: accepted };
  assert.match(await send(joined.client, late), /^Call refused: the answer came too late\nCall /);
  assert.deepEqual(ran, []);
});

for (const isAnswered of [true, false]) {
  const what = isAnswered ? "was answered in time" : "has ended by itself";
  Deno.test(`A call that ${what} is not cancelled, and leaves no timer`, async () => {
    const clock = new FakeClock();
    const over = Promise.withResolvers<CallResult>();
    const surface = surfaceOf(async ({ ask, signal }) => {
      const asked = ask!(question);
      if (!isAnswered) return await over.promise;
      await asked;
      await clock.advance(answerMs);
      return textResult(signal?.aborted ? "cancelled" : "run");
    });
    await using joined = await join(surface, "auto", form, { clock });
    const { params, requestState } = await begin(joined.client, {});
    assert.deepEqual(clock.timers, [answerMs]);
    over.resolve(textResult("ended"));
    const text = await send(joined.client, { ...params, inputResponses: accepted, requestState });
    assert.match(text, isAnswered ? /^run$/ : refusedOnceMore);
    assert.deepEqual(clock.timers, []);
  });
}

Deno.test("Asking asks a client of 2025 few questions at once, however many calls it makes", async () => {
  await using joined = await join(repeats, "legacy", form);
  const { client } = joined;
  const answers: (() => void)[] = [];
  const full = Promise.withResolvers<void>();
  client.setRequestHandler("elicitation/create", () => {
    const { promise, resolve } = Promise.withResolvers<{ action: "decline" }>();
    answers.push(() => resolve({ action: "decline" }));
    if (answers.length === maxQuestions) full.resolve();
    return promise;
  });
  const texts = Array.from({ length: 1500 }, () => textOf(client));
  await full.promise;
  await client.ping();
  const refused = await Promise.all(texts.slice(maxQuestions));
  const reason = "too many questions wait for a person: 5 of this client";
  assert.deepEqual(new Set(refused), new Set([JSON.stringify({ action: "unasked", reason })]));
  assert.equal(answers.length, maxQuestions);
  for (const answer of answers.splice(0)) answer();
  await Promise.all(texts);
  // There is room again
  const last = textOf(client);
  while (!answers.some(Boolean)) await client.ping();
  answers[0]!();
  assert.equal(await last, '{"action":"decline"}');
});

Deno.test("Asking bounds the calls that wait for people", async () => {
  const { surface } = guarded();
  const stop = new AbortController();
  await using joined = await join(surface, "auto", form, { stop: stop.signal });
  for (let index = 0; index < maxSuspended; index++) await begin(joined.client, { index });
  const params = { name: "ask", arguments: {} };
  assert.match(await send(joined.client, params), /^not run: unasked/);
  stop.abort();
});

Deno.test("Asking has room for a client though others have calls that wait", async () => {
  const { surface, ran } = guarded();
  const stop = new AbortController();
  const elicitation = new Elicitation({ stop: stop.signal });
  await using greedy = await join(surface, "auto", form, { elicitation, name: "greedy" });
  await using modest = await join(surface, "auto", form, { elicitation, name: "modest" });
  const first = await begin(greedy.client, { index: 0 });
  for (let index = 1; index < maxSuspended; index++) await begin(greedy.client, { index });
  const { params, requestState } = await begin(modest.client, { index: "modest" });
  // The oldest of who had most is gone, and nobody answers for another
  const answer = { inputResponses: accepted };
  assert.match(await send(greedy.client, { ...params, ...answer, requestState }), refusedForOther);
  const evicted = { ...first.params, ...answer, ...first };
  assert.match(await send(greedy.client, evicted), refusedOnceMore);
  assert.equal(await send(modest.client, { ...params, ...answer, requestState }), "run");
  assert.deepEqual(ran, [{ index: "modest" }]);
  stop.abort();
});

for (const era of eras) {
  Deno.test(`Elicitation cancels all questions when serving ends (${era})`, async () => {
    const stop = new AbortController();
    const over = Promise.withResolvers<string>();
    const surface = surfaceOf(async ({ ask }) => {
      const { action } = await ask!(question);
      over.resolve(action);
      return textResult(action);
    });
    await using joined = await join(surface, era, form, { stop: stop.signal });
    const asked = Promise.withResolvers<void>();
    joined.client.setRequestHandler("elicitation/create", () => {
      asked.resolve();
      return new Promise<never>(() => {});
    });
    const running = joined.client.callTool({ name: "ask", arguments: {} }).catch(() => {});
    await asked.promise;
    stop.abort();
    assert.equal(await over.promise, "unasked");
    void running;
  });
}
