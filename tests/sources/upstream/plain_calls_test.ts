/** Calls beside the SDK's client, beside the same through it: results, errors, progress and what is sent are equal. */

import assert from "node:assert/strict";
import { Client, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/client";
import { answerSchema, PlainToolCalls } from "../../../src/sources/upstream/_tool_calls.ts";
import { readMessage } from "../../../src/sources/upstream/_read_message.ts";
import { nextTurn } from "../../../src/text/lines.ts";
import fc from "../../_properties.ts";

type Reply = Readonly<Record<string, unknown>>;

/** What became of a call, with what was sent for it, without ids. */
interface Course {
  readonly sent: string[];
  readonly progress: unknown[];
  readonly end: unknown;
}

const params = { name: "x", arguments: { a: 1 } };

/** Sends what a server answers; `id` is that of the call. */
type Answer = (send: (reply: Reply) => Promise<void>, id: unknown) => Promise<void>;

async function throughClient(
  answer: Answer,
  stopAt: "never" | "before" | "after",
): Promise<Course> {
  let respond: ((message: JSONRPCMessage) => void) | undefined;
  return await courseOf((send) => {
    const transport: Transport = {
      start: () => Promise.resolve(),
      close: () => Promise.resolve(),
      send(message) {
        if ("method" in message && message.method === "initialize") {
          const result = {
            protocolVersion: "2025-11-25",
            capabilities: { tools: {} },
            serverInfo: { name: "test", version: "1" },
          };
          const { id } = message as { id: number };
          queueMicrotask(() => transport.onmessage?.({ jsonrpc: "2.0", id, result }));
          return Promise.resolve();
        }
        if (!("method" in message) || message.method !== "notifications/initialized") send(message);
        return Promise.resolve();
      },
    };
    // As each transport does
    respond = (message) => transport.onmessage?.(readMessage(message) as JSONRPCMessage);
    return async (options) => {
      const client = new Client({ name: "test", version: "1" });
      await client.connect(transport, { prior: { kind: "legacy" } });
      return await client.request({ method: "tools/call", params }, answerSchema, options);
    };
  }, { answer, stopAt, respond: (message) => respond!(message) });
}

async function beside(answer: Answer, stopAt: "never" | "before" | "after"): Promise<Course> {
  let requests: PlainToolCalls;
  return await courseOf((send) => {
    requests = new PlainToolCalls((message) => Promise.resolve(send(message)));
    return (options) => requests.call(params, options);
  }, { answer, stopAt, respond: (message) => void requests.receive(message) });
}

interface Options {
  readonly signal: AbortSignal;
  readonly timeout: number;
  readonly onprogress: (event: unknown) => void;
}

async function courseOf(
  open: (send: (message: JSONRPCMessage) => void) => (options: Options) => Promise<unknown>,
  { answer, stopAt, respond }: {
    readonly answer: Answer;
    readonly stopAt: "never" | "before" | "after";
    readonly respond: (message: JSONRPCMessage) => void;
  },
): Promise<Course> {
  const [sent, progress]: [string[], unknown[]] = [[], []];
  let id: unknown;
  const asked = Promise.withResolvers<void>();
  const call = open((message) => {
    if ("id" in message) id ??= message.id;
    sent.push(JSON.stringify(message).replace(/(?<=(?:Token|d)":)\d+/g, "ID"));
    asked.resolve();
  });
  const stop = new AbortController();
  const ended = call({
    signal: stop.signal,
    timeout: 2 ** 31 - 1,
    onprogress: (event) => void progress.push(event),
  }).then(
    (value) => ({ value }),
    ({ name, message, code, data }) => ({ name, message, code, data }),
  );
  await asked.promise;
  if (stopAt === "before") stop.abort("not needed");
  await answer(async (reply) => {
    respond(JSON.parse(JSON.stringify({ jsonrpc: "2.0", ...reply })));
    // As one line is read after the other
    await nextTurn();
  }, id);
  await nextTurn();
  if (stopAt === "after") stop.abort("not needed");
  return { sent, progress, end: await Promise.race([ended, nextTurn().then(nextTurn)]) };
}

const text = fc.record({ type: fc.constant("text"), text: fc.string() });
const block = fc.oneof(
  { weight: 5, arbitrary: text },
  fc.record({ type: fc.constantFrom("text", "image", "none"), data: fc.constant("aGk=") }),
  text.map((own) => ({ ...own, more: 1 })),
  fc.jsonValue(),
);
const result = fc.record({
  content: fc.oneof({ weight: 8, arbitrary: fc.array(block, { maxLength: 3 }) }, fc.jsonValue()),
  isError: fc.oneof(fc.boolean(), fc.constant("yes")),
  structuredContent: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
  _meta: fc.dictionary(fc.string(), fc.jsonValue()),
  resultType: fc.constantFrom("complete", "input_required"),
  more: fc.jsonValue(),
}, { requiredKeys: ["content"] });
const error = fc.record({
  code: fc.constantFrom(-32602, -32603, -32002, -32042, -32000, 7),
  message: fc.string(),
  data: fc.oneof(fc.jsonValue(), fc.constant({ uri: "a:b" }), fc.constant({ elicitations: [] })),
}, { requiredKeys: ["code", "message"] });
const progress = fc.record({
  progress: fc.oneof({ weight: 5, arbitrary: fc.nat() }, fc.string()),
  total: fc.oneof(fc.nat(), fc.constant("x")),
  message: fc.oneof(fc.string(), fc.constant(1)),
}, { requiredKeys: ["progress"] });
const reply = fc.oneof({ weight: 3, arbitrary: fc.record({ result }) }, fc.record({ error }));

Deno.test("PlainToolCalls answers as a client of the SDK, of 2,000 generated courses", async () => {
  const stops = fc.constantFrom("never" as const, "never", "never", "before", "after");
  const property = fc.asyncProperty(
    fc.array(fc.option(progress, { freq: 9, nil: undefined }), { maxLength: 3 }),
    reply,
    stops,
    fc.boolean(),
    async (events, last, stopAt, isText) => {
      const answer: Answer = async (send, id) => {
        for (const event of events) {
          const method = "notifications/progress";
          await send({ method, params: event && { progressToken: id, ...event } });
        }
        // Of a call that has ended
        const own = isText ? String(id) : id;
        for (let times = 0; times < 2; times++) await send({ id: own, ...last });
      };
      assert.deepEqual(await beside(answer, stopAt), await throughClient(answer, stopAt));
    },
  );
  await fc.assert(property, { numRuns: 2000 });
});
