/** The transport over streams in memory: every line is answered or handed on, and none is fatal. */

import assert from "node:assert/strict";
import { StdioServerTransport, type StdioTransportOptions } from "../../src/server/stdio.ts";
import { FakeClock } from "../_clock.ts";

const encoder = new TextEncoder();
const bounds = {
  drainMs: 60_000,
  maxMessageBytes: 1000,
  maxAcceptedBytes: 1_000_000,
  maxUnsentBytes: 1_000_000,
};

type Message = Record<string, unknown>;

/** The client's side of a transport. Its time stands still until a test moves it. */
class Peer implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly received: Message[] = [];
  readonly errors: Error[] = [];
  readonly closed = Promise.withResolvers<void>();
  readonly transport: StdioServerTransport;
  #input = new TransformStream<Uint8Array, Uint8Array>();
  #output = new TransformStream<Uint8Array, Uint8Array>();
  readonly writer = this.#input.writable.getWriter();
  readonly reader = this.#output.readable.pipeThrough(new TextDecoderStream()).getReader();
  #text = "";

  constructor(options: Partial<StdioTransportOptions> = {}) {
    const settings = { ...bounds, clock: this.clock, ...options };
    this.transport = new StdioServerTransport(
      this.#input.readable.getReader(),
      this.#output.writable.getWriter(),
      settings,
    );
    this.transport.onmessage = (message) => void this.received.push(message as unknown as Message);
    this.transport.onerror = (error) => void this.errors.push(error);
    this.transport.onclose = () => this.closed.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.transport.close();
    await this.reader.cancel();
  }

  async write(...lines: (string | Message)[]): Promise<void> {
    for (const line of lines) {
      const text = typeof line === "string" ? line : JSON.stringify(line);
      await this.writer.write(encoder.encode(`${text}\n`));
    }
  }

  /** The next message that the transport writes. */
  async read(): Promise<Message> {
    while (!this.#text.includes("\n")) {
      const { value, done } = await this.reader.read();
      assert.equal(done, false);
      this.#text += value;
    }
    const end = this.#text.indexOf("\n");
    const line = this.#text.slice(0, end);
    this.#text = this.#text.slice(end + 1);
    return JSON.parse(line);
  }
}

async function connected(options?: Partial<StdioTransportOptions>): Promise<Peer> {
  const peer = new Peer(options);
  await peer.transport.start();
  return peer;
}

const ping = (id: number | string) => ({ jsonrpc: "2.0", id, method: "ping" });

/** Shows that the transport still hands on what is sent to it. */
async function assertAlive(peer: Peer): Promise<void> {
  await peer.write(ping("alive"), "not JSON: the answer shows that the line before was read");
  assert.equal((await peer.read())["id"], null);
  assert.deepEqual(peer.received.at(-1), ping("alive"));
}

const broken: readonly [what: string, line: string, code: number, id: unknown][] = [
  ["malformed JSON", '{"jsonrpc": "2.0", "id": 1,', -32700, null],
  ["plain words", "hello", -32700, null],
  ["a NUL byte", "\0", -32700, null],
  ["a JSON text", '"hello"', -32600, null],
  ["a number", "3", -32600, null],
  ["null", "null", -32600, null],
  ["an empty object", "{}", -32600, null],
  ["a batch", `[${JSON.stringify(ping(1))}]`, -32600, null],
  ["an empty batch", " []", -32600, null],
  ["a batch of notes", `[{"jsonrpc":"2.0","method":"notifications/initialized"}]`, -32600, null],
  ["another version", '{"jsonrpc":"1.0","id":7,"method":"ping"}', -32600, 7],
  ["no version", '{"id":"a","method":"ping"}', -32600, "a"],
  ["a method that is no text", '{"jsonrpc":"2.0","id":8,"method":3}', -32600, 8],
  ["params that are no object", '{"jsonrpc":"2.0","id":9,"method":"ping","params":3}', -32600, 9],
  ["an id that is an object", '{"jsonrpc":"2.0","id":{},"method":3}', -32600, null],
  ["a wrong initialize", '{"jsonrpc":"2.0","id":9,"method":"initialize"}', -32602, 9],
  ["a line that is too long", JSON.stringify({ ...ping(1), x: "y".repeat(1000) }), -32600, null],
];

for (const [what, line, code, id] of broken) {
  Deno.test(`StdioServerTransport answers ${what} with ${code} and continues`, async () => {
    await using peer = await connected();
    await peer.write(line);
    const { jsonrpc, id: answered, error } = await peer.read();
    const { code: answeredCode, message } = error as { code: number; message: string };
    assert.deepEqual([jsonrpc, answered, answeredCode], ["2.0", id, code]);
    assert.equal(message.length > 0 && message.length < 300, true);
    assert.deepEqual(peer.received, []);
    await assertAlive(peer);
  });
}

Deno.test("StdioServerTransport closes at the end of the input when nothing is open", async () => {
  await using peer = await connected();
  await peer.write({ jsonrpc: "2.0", method: "notifications/initialized" });
  await peer.writer.close();
  await peer.closed.promise;
  assert.equal(peer.received.length, 1);
  assert.deepEqual(peer.errors, []);
});

Deno.test("StdioServerTransport lets what was accepted be answered after the end of the input", async () => {
  await using peer = await connected();
  await peer.write(ping(1), ping(2));
  await peer.writer.close();
  let closed = false;
  void peer.closed.promise.then(() => closed = true);

  void peer.transport.send({ jsonrpc: "2.0", id: 1, result: {} });
  assert.equal((await peer.read())["id"], 1);
  assert.equal(closed, false);
  void peer.transport.send({ jsonrpc: "2.0", id: 2, result: {} });
  assert.equal((await peer.read())["id"], 2);
  await peer.closed.promise;
});

Deno.test("StdioServerTransport does not wait for the answer to a cancelled request", async () => {
  await using peer = await connected();
  const params = { requestId: 1 };
  await peer.write(ping(1), { jsonrpc: "2.0", method: "notifications/cancelled", params });
  await peer.writer.close();
  await peer.closed.promise;
});

Deno.test("StdioServerTransport waits for an answer no longer than it was told to", async () => {
  await using peer = await connected();
  let closed = false;
  void peer.closed.promise.then(() => closed = true);
  await peer.write(ping(1));
  await peer.writer.close();
  await peer.clock.timer(bounds.drainMs);
  await peer.clock.advance(bounds.drainMs - 1);
  assert.equal(closed, false);
  await peer.clock.advance(1);
  await peer.closed.promise;
});

Deno.test("StdioServerTransport closes when the client does not take answers any more", async () => {
  await using peer = await connected();
  await peer.write(ping(1));
  await peer.reader.cancel();
  await peer.transport.send({ jsonrpc: "2.0", id: 1, result: {} });
  await peer.closed.promise;
  await peer.transport.send({ jsonrpc: "2.0", id: 1, result: {} });
});

Deno.test("StdioServerTransport closes when the input breaks", async () => {
  await using peer = await connected();
  await peer.write(ping(1));
  await peer.transport.send({ jsonrpc: "2.0", id: 1, result: {} }).catch(() => {});
  await peer.writer.abort(new Error("gone"));
  await peer.closed.promise;
  assert.deepEqual(peer.errors.map(({ message }) => message), ["gone"]);
});

const cancel = (id: number | string) => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId: id },
});
const answer = (id: number | string, result = {}) => ({ jsonrpc: "2.0", id, result } as const);

Deno.test("StdioServerTransport refuses a second request of an id that is not answered", async () => {
  await using peer = await connected();
  const note = { jsonrpc: "2.0", method: "notifications/other", params: { requestId: 1 } };
  await peer.write(ping(1), note, ping("1"), ping(1));
  const { id, error } = await peer.read();
  assert.equal(id, null);
  assert.match((error as Error).message, /the id is that of a request that is not finished/);
  assert.deepEqual(peer.received, [ping(1), note, ping("1")]);
  void peer.transport.send(answer(1));
  await peer.read();
  await peer.write(ping(1));
  await assertAlive(peer);
  assert.equal(peer.received.length, 5);
});

Deno.test("StdioServerTransport refuses requests beyond the bytes it holds, before they are parsed", async () => {
  await using peer = await connected({ maxAcceptedBytes: 500 });
  const large = (id: string) => ({ ...ping(id), params: { text: "x".repeat(300) } });
  await peer.write(large("a"), `${JSON.stringify(large("b")).slice(0, -1)} broken`);
  const { id, error } = await peer.read();
  assert.equal(id, "b");
  assert.deepEqual(error, {
    code: -32000,
    message: "Requests of 500 bytes are waiting already: try again later",
  });
  void peer.transport.send(answer("a"));
  await peer.read();
  await peer.write(large("c"));
  await assertAlive(peer);
  assert.deepEqual(peer.received.map(({ id }) => id), ["a", "c", "alive"]);
});

Deno.test("StdioServerTransport holds the bytes of a cancelled call until it has ended", async () => {
  await using peer = await connected({ maxAcceptedBytes: 500 });
  const params = { name: "x", arguments: { text: "x".repeat(300) } };
  const call = (id: string) => ({ jsonrpc: "2.0", id, method: "tools/call", params });
  await peer.write(call("a"), cancel("a"), call("b"));
  assert.equal((await peer.read())["id"], "b");
  peer.transport.finishRequest("a");
  await peer.write(call("c"));
  await assertAlive(peer);
  assert.deepEqual(peer.received.map(({ id }) => id), ["a", undefined, "c", "alive"]);
});

const excessive: readonly [what: string, params: string, reason: RegExp][] = [
  ["too many values", `[${"0,".repeat(100_001)}0]`, /more than 100000 values/],
  ["too deep", `${"[".repeat(201)}${"]".repeat(201)}`, /more than 200 levels/],
];

for (const [what, params, reason] of excessive) {
  Deno.test(`StdioServerTransport refuses a message with ${what}, by its id`, async () => {
    await using peer = await connected({ maxMessageBytes: 1_000_000 });
    await peer.write(`{"jsonrpc":"2.0","id":5,"method":"ping","params":{"a":${params}}}`);
    const { id, error } = await peer.read();
    assert.equal(id, 5);
    assert.match((error as Error).message, reason);
    await assertAlive(peer);
  });
}

Deno.test("StdioServerTransport withholds a result that does not fit beside what waits", async () => {
  await using peer = await connected({ maxUnsentBytes: 200 });
  await peer.write(ping(1), ping(2), ping(3));
  const text = "x".repeat(150);
  for (const id of [1, 2, 3]) void peer.transport.send(answer(id, { text }));
  assert.deepEqual(await peer.read(), answer(1, { text }));
  for (const id of [2, 3]) {
    assert.deepEqual(await peer.read(), {
      jsonrpc: "2.0",
      id,
      error: { code: -32000, message: "Result withheld: answers of 200 bytes wait to be read" },
    });
  }
});

Deno.test("StdioServerTransport sends no progress to a client that does not read", async () => {
  await using peer = await connected({ maxUnsentBytes: 200 });
  await peer.write(ping(1));
  void peer.transport.send(answer(1, { text: "x".repeat(150) }));
  const params = { progressToken: 1, progress: 1 };
  void peer.transport.send({ jsonrpc: "2.0", method: "notifications/progress", params });
  void peer.transport.send(answer(2));
  assert.equal((await peer.read())["id"], 1);
  assert.equal((await peer.read())["id"], 2);
});

Deno.test("StdioServerTransport reads the input to its end after it is closed, and handles none of it", async () => {
  await using peer = await connected();
  await peer.transport.close();
  await peer.write(ping(1));
  await peer.writer.close();
  await peer.transport.inputEnd;
  assert.deepEqual(peer.received, []);
});

Deno.test("StdioServerTransport.readAt is that of the bytes that have the message", async () => {
  await using peer = await connected();
  const readAt: number[] = [];
  peer.transport.onmessage = () => void readAt.push(peer.transport.readAt);
  const lines = [1, 2].map((id) => `${JSON.stringify(ping(id))}\n`).join("");
  await peer.writer.write(encoder.encode(lines));
  await peer.write(ping(3), "not JSON: the answer shows that the line before was read");
  await peer.read();
  const [first, second, third] = readAt;
  assert.equal(first, second);
  assert.equal(third! > second!, true);
});

Deno.test("StdioServerTransport reads lines that end in CR LF, and text beyond ASCII", async () => {
  await using peer = await connected();
  const message = { ...ping(1), params: { text: "é😀\u2028" } };
  await peer.write(`${JSON.stringify(message)}\r`);
  await assertAlive(peer);
  assert.deepEqual(peer.received[0], message);
});

Deno.test("StdioServerTransport writes each message on one line", async () => {
  await using peer = await connected();
  const result = { text: "a\nb\u2028c😀" };
  const sent: unknown[] = [];
  peer.transport.onsent = (message) => void sent.push(message);
  void peer.transport.send({ jsonrpc: "2.0", id: 1, result });
  void peer.transport.send({ jsonrpc: "2.0", id: 2, result: {} });
  assert.deepEqual(await peer.read(), { jsonrpc: "2.0", id: 1, result });
  assert.deepEqual(await peer.read(), { jsonrpc: "2.0", id: 2, result: {} });
  assert.deepEqual(sent, [answer(1, result), answer(2)]);
});
