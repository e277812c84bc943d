/** Servers behind a URL that answer without end, or with more than is worth reading. */

import assert from "node:assert/strict";
import { maxMessageBytes } from "../../../src/sources/upstream/_bounds.ts";
import { callOf, unknownOutcome } from "./_calls.ts";
import { farServer } from "./_far.ts";

const encoder = new TextEncoder();
const mib = 1024 * 1024;

/** An answer to a call: its type, what comes first, and what comes again and again. */
interface Flood {
  readonly type: string;
  readonly first?: string;
  readonly rest?: string;
}

/** A server of 2025 whose answer to each call is `flood`; counts the bytes that were taken from it. */
function flooding({ type, first = "", rest }: Flood) {
  let sent = 0;
  const body = (id: unknown) => {
    const head = encoder.encode(first.replace("$ID", String(id)));
    const more = rest === undefined
      ? undefined
      : encoder.encode(rest.repeat(Math.ceil(mib / rest.length)));
    let isFirst = true;
    return new ReadableStream<Uint8Array>({
      pull(controller) {
        const chunk = isFirst ? head : more;
        isFirst = false;
        if (chunk === undefined) return controller.close();
        sent += chunk.length;
        controller.enqueue(chunk);
      },
    });
  };
  const far = farServer(({ id, method }) => {
    if (method !== "tools/call") return undefined;
    return new Response(body(id), { headers: { "content-type": type } });
  });
  return {
    call: () => far.upstream.call(callOf("go")),
    sent: () => sent,
    [Symbol.asyncDispose]: () => far[Symbol.asyncDispose](),
  };
}

const endless: readonly (readonly [what: string, flood: Flood])[] = [
  ["lines without a value", { type: "application/json", rest: " \n" }],
  ["lines of one event", { type: "text/event-stream", rest: `data: ${"x".repeat(1000)}\n` }],
  ["empty lines", { type: "text/event-stream", rest: "\r\n" }],
  ["one line", { type: "text/event-stream", rest: "x".repeat(1000) }],
];

for (const [what, flood] of endless) {
  Deno.test(`UpstreamServer ends an HTTP answer of endless ${what}`, async () => {
    await using server = flooding(flood);
    await assert.rejects(() => server.call(), {
      message:
        `Server 'far' ended while the call was running: the connection was closed${unknownOutcome}`,
    });
    // What was under way between the two of them counts
    assert.equal(server.sent() < maxMessageBytes + 32 * mib, true, `${server.sent()} bytes`);
  });
}

const lists = `${"[".repeat(300)}${"]".repeat(300)}`;
const numbers = `[${"0,".repeat(100_000)}0]`;
const message = (value: string) =>
  `{"jsonrpc":"2.0","id":$ID,"result":{"content":[],"x":${value}}}`;

for (const [what, value] of [["levels", lists], ["values", numbers]]) {
  for (
    const [how, type, first] of [
      ["JSON", "application/json", message(value!)],
      ["an event", "text/event-stream", `: "\ndata: ${message(value!)}\n\n`],
    ] as const
  ) {
    Deno.test(`UpstreamServer reads no HTTP answer of too many ${what} as ${how}`, async () => {
      await using server = flooding({ type, first });
      await assert.rejects(() => server.call(), /the connection was closed/);
    });
  }
}
