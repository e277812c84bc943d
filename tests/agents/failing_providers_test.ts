/** Providers that fail in ways that mend themselves, and in ways that do not. */

import assert from "node:assert/strict";
import type { ProviderType } from "../../src/agents/llm/settings.ts";
import { tokensOfExchange } from "../../src/agents/loop.ts";
import { textOf } from "../../src/tool/result.ts";
import { FakeClock } from "../_clock.ts";
import { agentsOf, ask } from "./_agents.ts";

const config = { tools: [{ name: "say", description: "Says something", command: "printf hi" }] };

const completion = {
  id: "1",
  object: "chat.completion",
  created: 1,
  model: "fake",
  choices: [{
    index: 0,
    message: { role: "assistant", content: "At last" },
    finish_reason: "stop",
  }],
};

/** The text of a request to a sub-agent whose provider is at `endpoint`, and never waits. */
async function asked(endpoint: string, type: ProviderType = "openai"): Promise<string> {
  const settings = { type, model: "fake", endpointOverride: endpoint };
  return textOf(await ask(await agentsOf(config, { settings, clock: new FakeClock() }), "Try"));
}

/** A server that writes the bytes of each answer itself. */
function rawServer(answerTo: (number: number) => string) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let asked = 0;
  void (async () => {
    for await (const connection of listener) {
      await connection.read(new Uint8Array(65_536));
      await connection.write(new TextEncoder().encode(answerTo(asked++)));
      connection.close();
    }
  })();
  return {
    url: `http://127.0.0.1:${listener.addr.port}/v1`,
    asked: () => asked,
    [Symbol.dispose]: () => listener.close(),
  };
}

function answer(body: string, length = body.length): string {
  const head = `content-type: application/json\r\ncontent-length: ${length}\r\nconnection: close`;
  return `HTTP/1.1 200 OK\r\n${head}\r\n\r\n${body}`;
}

Deno.test("a sub-agent asks again when the answer breaks off", async () => {
  const text = JSON.stringify(completion);
  using provider = rawServer((number) => {
    return number === 0 ? answer(text.slice(0, 20), text.length) : answer(text);
  });
  assert.equal(await asked(provider.url), "At last");
  assert.equal(provider.asked(), 2);
});

const text = "one two three four five six seven eight nine ten";
const sent = [{ role: "user", content: [{ type: "text", text }] }];

const counts: readonly (readonly [what: string, usage: object, atLeast: number, atMost: number])[] =
  [
    ["a count that is missing", {}, 18, 40],
    ["a negative count", { inputTokens: { total: -6_000_000 }, outputTokens: -1 }, 18, 40],
    ["a count that is no number", { inputTokens: { total: NaN }, outputTokens: "9" }, 18, 40],
    [
      "a count that is too small",
      { inputTokens: { total: 1 }, outputTokens: { total: 0 } },
      18,
      40,
    ],
    ["a larger count", { inputTokens: { total: 500 }, outputTokens: 100 }, 600, 600],
  ];

for (const [what, usage, least, most] of counts) {
  Deno.test(`tokensOfExchange() has its own estimate as a floor for ${what}`, () => {
    const content = [{ type: "text", text }];
    const tokens = tokensOfExchange({ prompt: sent, content, usage });
    assert.equal(tokens >= least && tokens <= most, true, `${tokens}`);
  });
}
