/** Requests are sent once, to who may read them, and answers are read as far as they are worth it. */

import assert from "node:assert/strict";
import { providerFetch } from "../../src/agents/llm/model.ts";
import { fetchVectors } from "../../src/catalog/meaning/_client.ts";
import {
  NetworkError,
  requireEncryption,
  sendOnce,
  type SendOptions,
} from "../../src/net/send_once.ts";
import { refreshTokens } from "../../src/sources/upstream/login/token_requests.ts";
import { maxMessageValues } from "../../src/text/message_scan.ts";
import { answerOf, losses, lossNames, rawServer } from "../_raw_server.ts";

const post = { method: "POST", body: "{}" };

async function failureOf(work: Promise<unknown>): Promise<NetworkError> {
  const error = await work.then(() => "no error", (error) => error);
  assert.ok(error instanceof NetworkError, String(error));
  return error;
}

for (const loss of lossNames) {
  Deno.test(`sendOnce() sends a request once whose connection is lost by ${loss}`, async () => {
    await using far = await rawServer(({ path }, socket) => {
      path === "/ok" ? socket.write(answerOf("{}")) : losses[loss](socket);
    });
    // Only a connection that was used before is one where Deno repeats
    await (await sendOnce(`${far.url}/ok`, post)).text();
    const { kind, message } = await failureOf(sendOnce(`${far.url}/act`, post));
    assert.equal(kind, "lost");
    assert.match(message, /^the connection to 127\.0\.0\.1:\d+ broke off: /);
    assert.equal(far.requests.filter(({ path }) => path === "/act").length, 1);
  });
}

const login = {
  server: "far",
  clientId: "c",
  accessToken: "a".repeat(20),
  refreshToken: "r".repeat(20),
  client: { client_id: "c" },
};

type Sender = (url: string) => Promise<unknown>;

const senders: readonly (readonly [what: string, send: Sender])[] = [
  ["a refresh token", async (url) => {
    const at = { ...login, address: `${url}/mcp`, issuer: url, tokenEndpoint: `${url}/token` };
    const refreshed = await refreshTokens(at as never, undefined, 0);
    if (!("login" in refreshed)) throw new Error(refreshed.reason);
  }],
  ["a request to a language model", (url) => providerFetch(["key"])(url, post)],
  ["texts to embed", (url) => {
    return fetchVectors(["a"], { endpoint: url, model: "m" }, AbortSignal.timeout(20_000));
  }],
];

for (const [what, send] of senders) {
  for (const loss of ["fin", "rst", "half an answer"] as const) {
    Deno.test(`${what} is sent once when the connection is lost by ${loss}`, async () => {
      let isLost = false;
      await using far = await rawServer((_, socket) => {
        isLost ? losses[loss](socket) : socket.write(answerOf("{}"));
      });
      await send(far.url).catch(() => {});
      assert.equal(far.requests.length, 1);
      isLost = true;
      await assert.rejects(send(far.url));
      assert.equal(far.requests.length, 2);
    });
  }
}

Deno.test("sendOnce() knows that nothing was sent where there was no connection", async () => {
  const far = await rawServer((_, socket) => socket.destroy());
  await using tls = await rawServer((_, socket) => socket.destroy());
  await far[Symbol.asyncDispose]();
  for (const url of [far.url, far.url.replace("http:", "https:")]) {
    const { kind, message } = await failureOf(sendOnce(url, post));
    assert.equal(kind, "unsent");
    assert.match(message, /^no connection to 127\.0\.0\.1:\d+: .*refused/i);
  }
  const aborted = new Error("enough");
  const { url } = tls;
  await assert.rejects(sendOnce(url, { signal: AbortSignal.abort(aborted) }), aborted);
  assert.equal(tls.requests.length, 0);
});

const key = 'a "secret" key/of+mine';

const clear: readonly (readonly [url: string, isRefused: boolean])[] = [
  ["http://example.org/v1", true],
  ["http://192.0.2.1:8080/", true],
  ["http://[2001:db8::1]/", true],
  ["http://localhost.example.org/", true],
  ["http://127.0.0.1.example.org/", true],
  ["ws://example.org/", true],
  ["https://example.org/", false],
  ["wss://example.org/", false],
  ["http://localhost:1234/", false],
  ["http://127.0.0.1/", false],
  ["http://127.1/", false],
  ["http://[::1]:80/", false],
  ["ws://localhost/", false],
];

for (const [url, isRefused] of clear) {
  Deno.test(`a credential ${isRefused ? "is not" : "may be"} sent to ${url}`, async () => {
    if (!isRefused) return requireEncryption(new URL(url), [key]);
    assert.throws(() => requireEncryption(new URL(url), [key]), {
      kind: "unsent",
      message:
        /^a credential is not sent in clear to another machine, \S+: .*https:\/\/ or wss:\/\/$/,
    });
    requireEncryption(new URL(url), []);
    if (url.startsWith("ws")) return;
    const { kind, message } = await failureOf(sendOnce(url, post, { secrets: [undefined, key] }));
    assert.deepEqual([kind, message.includes(key)], ["unsent", false]);
  });
}

Deno.test("sendOnce() masks its secrets in an answer that refuses, in every spelling", async () => {
  const body = [key, JSON.stringify({ error: `Bearer ${key}` }), encodeURIComponent(key)].join();
  await using far = await rawServer(({ path }, socket) => {
    socket.write(answerOf(body, path === "/ok" ? "200 OK" : `401 No ${key}`));
  });
  for (const secret of [key, `Bearer ${key}`]) {
    const refused = await sendOnce(far.url, post, { secrets: [secret, "short"] });
    const text = `${refused.statusText} ${await refused.text()}`;
    assert.equal(refused.status, 401);
    assert.equal(/secret|mine/.test(text), false, text);
  }
  assert.equal(await (await sendOnce(`${far.url}/ok`, post, { secrets: [key] })).text(), body);
});

Deno.test("sendOnce() follows no redirect, and gives it to who asks for it", async () => {
  await using far = await rawServer(({ path }, socket) => {
    const status = `${path.slice(1)} Go`;
    socket.write(answerOf("", status, "location: https://other.example/?secret\r\n"));
  });
  for (const status of [301, 302, 303, 307, 308]) {
    const { kind, message } = await failureOf(sendOnce(`${far.url}/${status}`, post));
    assert.equal(kind, "unread");
    assert.equal(
      message,
      `it redirects to https://other.example (${status}), which is not followed`,
    );
    const given = await sendOnce(`${far.url}/${status}`, { ...post, redirect: "manual" });
    assert.equal(given.status, status);
  }
  assert.equal((await sendOnce(`${far.url}/304`, post)).status, 304);
});

const mib = 1024 * 1024;

const floods: readonly (readonly [what: string, piece: string, most: SendOptions, said: RegExp])[] =
  [
    ["60 MiB of lists", "[],", {}, /more than 100000 values$/],
    ["levels", "[", {}, /more than \d+ (?:levels|values)$/],
    ["lists after text that looks open", '"\n[],', {}, /more than 100000 values$/],
    ["bytes", " ", { maxBytes: 3 * mib }, /more than 3145728 bytes$/],
    ["values, of which fewer are wanted", "1,", { maxValues: 10 }, /more than 10 values$/],
  ];

for (const [what, piece, most, said] of floods) {
  for (const type of ["application/json", "text/event-stream"]) {
    Deno.test(`sendOnce() reads no answer of too many ${what} as ${type}`, async () => {
      const chunk = new TextEncoder().encode(piece.repeat(Math.ceil(mib / piece.length)));
      let sent = 0;
      const where = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
      await using far = Deno.serve(where, () => {
        const body = new ReadableStream<Uint8Array>({
          pull(controller) {
            if (++sent > 60) return controller.close();
            controller.enqueue(chunk);
          },
        });
        return new Response(body, { headers: { "content-type": type } });
      });
      let excesses = 0;
      const options = { ...most, hasEvents: true, onExcess: () => excesses++ };
      const url = `http://127.0.0.1:${far.addr.port}/`;
      const read = async () => await (await sendOnce(url, post, options)).text();
      await assert.rejects(read(), { message: said });
      assert.equal(excesses, 1);
      // What is under way between the two of them counts
      assert.ok(sent < 40, `${sent} MiB`);
    });
  }
}

Deno.test("sendOnce() counts the values of each event alone", async () => {
  const event = `data: [${"1,".repeat(maxMessageValues - 10)}1]\n\n`;
  const where = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  await using far = Deno.serve(where, () => {
    return new Response(event.repeat(3), { headers: { "content-type": "text/event-stream" } });
  });
  const url = `http://127.0.0.1:${far.addr.port}/`;
  const answer = await sendOnce(url, post, { hasEvents: true });
  assert.equal((await answer.text()).length, 3 * event.length);
  // Who expects no events reads them as one answer
  const { message } = await failureOf(sendOnce(url, post));
  assert.match(message, /more than 100000 values/);
});
