/** Plain calls, beside a server of the SDK alone: what is sent for generated messages is the same, byte for byte. */

import assert from "node:assert/strict";
import { type JSONRPCMessage, ProtocolError } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createMcpServer, type ServedMcp } from "../../src/server/mcp_server.ts";
import { StdioServerTransport } from "../../src/server/stdio.ts";
import type { Surface } from "../../src/server/surface.ts";
import type { CallResult, ContentBlock } from "../../src/tool/result.ts";
import { nextTurn } from "../../src/text/lines.ts";
import { FakeClock } from "../_clock.ts";
import { send, startHttp } from "./http/_server.ts";
import { testServing } from "./_serving.ts";

const text: ContentBlock = { type: "text", text: 'hi ✓ "\n' };
const plain: CallResult = { content: [text], isError: false };
const form = {
  mode: "form",
  message: "Which?",
  requestedSchema: { type: "object", properties: {} },
};

type Call = Surface["call"];

const tools: Readonly<Record<string, Call>> = {
  text: async () => await plain,
  echo: async (_, args) =>
    await { content: [{ type: "text", text: JSON.stringify(args) ?? "" }], isError: false },
  late: async () => await nextTurn().then(() => plain),
  many: async () => await { content: [text, text], isError: true },
  none: async () => await { content: [], isError: false },
  values: async () => await { ...plain, structured: { b: [1, { "": null }], a: "x" } },
  proto: async () =>
    await { ...plain, structured: JSON.parse('{"a":{"__proto__":1},"__proto__":2}') },
  image: async () =>
    await { content: [{ type: "image", data: "aGk=", mimeType: "image/png" }], isError: false },
  extra: async () => await { content: [{ ...text, more: 1, _meta: { a: 1 } }], isError: false },
  meta: async () => await { ...plain, meta: { "a/b": 1 } },
  wrong: async () => await { content: [{ type: "text" } as never], isError: false },
  fails: async () => await Promise.reject(new Error("it failed")),
  refuses: async () => await Promise.reject(new ProtocolError(-32602, "no", { why: 1 })),
  progress: async (_name, _args, { onProgress }) => {
    onProgress?.({ progress: 1, message: "half" });
    onProgress?.({ progress: 2, total: 2 });
    return await plain;
  },
  logs: async (_name, _args, { onLog }) => {
    onLog?.({ level: "error", data: { a: 1 }, logger: "x" });
    await nextTurn();
    return plain;
  },
  asks: async (_name, _args, { ask }) => {
    const answer = await ask?.(form as never);
    return { content: [{ type: "text", text: answer?.action ?? "nobody" }], isError: false };
  },
  reports: async (name, args, options) => {
    options.onProgress?.({ progress: 1 });
    return await tools["hangs"]!(name, args, options);
  },
  hangs: async (_name, _args, { signal }) => {
    if (signal?.aborted) return plain;
    await new Promise((resolve) => signal?.addEventListener("abort", resolve));
    return plain;
  },
};

/** Notes each run in `runs`. */
function surfaceOf(runs: unknown[]): Surface {
  const call: Call = (name, args, options) => {
    runs.push([name, args, options.client, options.trace]);
    return (tools[name] ?? tools["text"]!)(name, args, options);
  };
  return {
    list: () => [],
    listFeatures: () => [],
    call,
    callTool: call,
    hasJobs: false,
    instructions: "",
    onChange: () => () => {},
  };
}

/** What a server writes for lines. */
class Side {
  readonly #input = new TransformStream<Uint8Array, Uint8Array>();
  readonly #writer = this.#input.writable.getWriter();
  readonly #handle: { close(): Promise<void> };
  #mcp: ServedMcp | undefined;
  written: string[] = [];
  readonly runs: unknown[] = [];
  taken = 0;

  constructor(isPlain: boolean) {
    const { readable } = this.#input;
    const output = new WritableStream<Uint8Array>({
      write: (bytes) => {
        const lines = new TextDecoder().decode(bytes).trimEnd().split("\n");
        this.written.push(...lines);
        for (const line of lines) this.#answer(JSON.parse(line));
      },
    });
    const bytes = 2 ** 20;
    const bounds = { maxMessageBytes: bytes, maxAcceptedBytes: bytes, maxUnsentBytes: bytes };
    const transport = new StdioServerTransport(readable.getReader(), output.getWriter(), {
      drainMs: 0,
      ...bounds,
    });
    const surface = surfaceOf(this.runs);
    const serving = testServing({ finished: (id) => transport.finishRequest(id) });
    this.#handle = serveStdio(({ era }) => {
      return this.#mcp = createMcpServer(
        surface,
        serving,
        era === "modern" ? "streams" : "connection",
      );
    }, { transport });
    if (!isPlain) return;
    transport.onreceived = (message) => {
      const isTaken = this.#mcp !== undefined &&
        this.#mcp.plain.take(message, this.#mcp.answer, transport);
      if (isTaken) this.taken++;
      return isTaken;
    };
  }

  /** What is written until nothing more is. */
  async send(message: unknown): Promise<unknown> {
    this.written = [];
    this.runs.length = 0;
    await this.#write(message);
    for (let turn = 0, count = -1; turn < 8 || count !== this.written.length; turn++) {
      count = this.written.length;
      await nextTurn();
    }
    const lines = this.written.map((line) =>
      line.replace(/"requestState":"[^"]*"/, '"requestState":""')
    );
    return { lines, runs: [...this.runs] };
  }

  async close(): Promise<void> {
    await this.#handle.close();
    await this.#writer.close();
  }

  async #write(message: unknown): Promise<void> {
    await this.#writer.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
  }

  #answer({ id, ...rest }: JSONRPCMessage & { id?: unknown }): void {
    if (!("method" in rest) || rest.method !== "elicitation/create") return;
    void this.#write({ jsonrpc: "2.0", id, result: { action: "accept", content: {} } });
  }
}

const prefix = "io.modelcontextprotocol/";
const identity = { name: "tests", version: "1" };
const envelopes = [{}, { elicitation: {} }].map((clientCapabilities) => ({
  [`${prefix}protocolVersion`]: "2026-07-28",
  [`${prefix}clientInfo`]: identity,
  [`${prefix}clientCapabilities`]: clientCapabilities,
}));

type Era = "legacy" | "modern";

/** The same numbers in every run. */
function seeded(seed: number): () => number {
  return () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** Messages of which most are plain calls, and others nearly so. */
function* messages(era: Era, count: number, random: () => number): Generator<object> {
  const pick = <T>(...items: readonly T[]) => items[Math.floor(random() * items.length)]!;
  const rarely = <T>(usual: T, ...others: readonly T[]) => random() < 0.9 ? usual : pick(...others);
  for (let at = 1; at <= count; at++) {
    const args = rarely<unknown>(
      { a: at },
      undefined,
      {},
      null,
      [],
      "x",
      JSON.parse('{"__proto__":1,"b":2}'),
    );
    const envelope = era === "modern"
      ? rarely<object>(pick(...envelopes), {}, { [`${prefix}protocolVersion`]: "2026-07-28" })
      : {};
    const own = rarely<object>(
      pick({}, { progressToken: pick<unknown>(at, `t${at}`) }),
      { progressToken: 1.5 },
      { "x/y": [1] },
      { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" },
      { [`${prefix}logLevel`]: "info" },
      { [`${prefix}related-task`]: { taskId: "1" } },
    );
    const _meta = { ...envelope, ...own };
    const params = rarely<unknown>(
      {
        name: rarely<unknown>(pick(...Object.keys(tools)), 1, undefined),
        ...(args === undefined ? {} : { arguments: args }),
        ...(Object.keys(_meta).length > 0 || random() < 0.1 ? { _meta } : {}),
        ...rarely<object>({}, { task: { ttl: 1 } }, { more: 1 }, { inputResponses: {} }, {
          requestState: "x",
        }),
      },
      undefined,
      [],
    );
    const id = rarely<unknown>(pick<unknown>(at, `id ${at}`), 1.5, null, -at, 2 ** 53);
    const method = rarely("tools/call", "tools/list", "ping", "nothing");
    yield {
      jsonrpc: rarely<unknown>("2.0", "1.0"),
      id,
      method,
      ...(params === undefined ? {} : { params }),
      ...rarely<object>({}, { more: 1 }),
    };
    // Also of those that have ended
    const reason = pick("not needed", "");
    yield { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id, reason } };
  }
}

for (const era of ["modern", "legacy"] as const) {
  Deno.test(`plain calls are answered as by the SDK alone, of 2,500 messages (${era})`, async () => {
    const [ours, theirs] = [new Side(true), new Side(false)];
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: { elicitation: {} },
      clientInfo: identity,
    };
    const first = era === "legacy"
      ? { jsonrpc: "2.0", id: 0, method: "initialize", params }
      : { jsonrpc: "2.0", id: 0, method: "tools/list", params: { _meta: envelopes[0] } };
    for (const message of [first, ...messages(era, 2500, seeded(48))]) {
      assert.deepEqual(
        await ours.send(message),
        await theirs.send(message),
        JSON.stringify(message),
      );
    }
    assert.ok(ours.taken > 1000, `${ours.taken} of them were plain`);
    await Promise.all([ours.close(), theirs.close()]);
  });
}

/** Prompts and resources that are none: sessions begin with them. */
const features = {
  capabilities: () => ({}),
  serve: () => () => {},
  subscriptions: () => undefined,
  onChange: () => () => {},
} as unknown as NonNullable<Surface["features"]>;

/** The answer to a call over HTTP, with what a client sees of it. */
async function post(...what: Parameters<typeof send>): Promise<unknown> {
  const response = await send(...what);
  const shown = ["content-type", "cache-control", "x-accel-buffering"].map((name) => {
    return response.headers.get(name);
  });
  return [response.status, ...shown, await response.text()];
}

async function openSession(url: string): Promise<Record<string, string>> {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: identity };
  const response = await send(url, { id: "first", method: "initialize", params });
  await response.text();
  const session = response.headers.get("mcp-session-id");
  return session === null ? {} : { "mcp-session-id": session };
}

/** Headers that a client of 2026-07-28 sends, sometimes wrong. */
function headersOf(era: Era, message: object, random: () => number): Record<string, string> {
  const { params } = message as { params?: { name?: unknown } };
  const right = era === "legacy" ? { "mcp-protocol-version": "2025-11-25" } : {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": String(params?.name),
  };
  const wrong = [
    { "mcp-protocol-version": "2024-01-01" },
    { "mcp-name": "other" },
    { "mcp-method": "tools/list" },
    { accept: "application/json" },
    { "content-type": "text/plain" },
    { "content-type": "application/json; charset=utf-8" },
  ];
  return { ...right, ...random() < 0.9 ? {} : wrong[Math.floor(random() * wrong.length)] };
}

for (
  const [era, how] of [["legacy", "session"], ["legacy", "request"], ["modern", "request"]] as const
) {
  Deno.test(`plain calls over HTTP are answered as by the SDK alone (${era}, a ${how})`, async () => {
    const runs: unknown[] = [];
    const surface = { ...surfaceOf(runs), ...how === "session" ? { features } : {} };
    await using ours = await startHttp(surface);
    await using theirs = await startHttp(surface);
    const own = how === "session" ? await openSession(ours.url) : {};
    const random = seeded(7);
    const sent = [...messages(era, 300, random)].filter((message) => {
      const { method, params } = message as { method: string; params?: { name?: unknown } };
      return method === "tools/call" && !/hangs|reports|asks/.test(String(params?.name));
    });
    for (const [at, message] of sent.entries()) {
      const headers = headersOf(era, message, random);
      runs.length = 0;
      const answer = [await post(ours.url, message, { ...headers, ...own }), [...runs]];
      runs.length = 0;
      // The first call of a client, a session or a server is that of the SDK
      const text = JSON.stringify(message).replace('"version":"1"', `"version":"${at}"`);
      await using alone = how === "request" && era === "legacy"
        ? await startHttp(surface)
        : undefined;
      const { url } = alone ?? theirs;
      const first = how === "session" ? await openSession(url) : {};
      const expected = [await post(url, JSON.parse(text), { ...headers, ...first }), [
        ...runs,
      ]];
      assert.deepEqual(answer, expected, text);
    }
  });
}

Deno.test("a call over HTTP that takes a second is handed over, and runs once", async () => {
  const clock = new FakeClock();
  const runs: unknown[] = [];
  const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const lasts: Call = async (name) => {
    runs.push(name);
    if (name !== "lasts") return plain;
    begun.resolve();
    await end.promise;
    return plain;
  };
  const surface = { ...surfaceOf([]), features, call: lasts };
  await using server = await startHttp(surface, { clock });
  const session = await openSession(server.url);
  const call = async (id: number, name: string) => {
    const message = { id, method: "tools/call", params: { name } };
    const response = await send(server.url, message, session);
    // The SDK does not know how long its answers become
    const by = response.headers.has("content-length") ? "plain" : "SDK";
    return [by, (await response.text()).replace(`"id":${id}`, "")];
  };
  const [, text] = await call(1, "first");
  assert.deepEqual(await call(2, "short"), ["plain", text]);
  const answer = call(3, "lasts");
  await begun.promise;
  await clock.advance(1000);
  end.resolve();
  assert.deepEqual(await answer, ["SDK", text]);
  assert.deepEqual(runs, ["first", "short", "lasts"]);
});

Deno.test("a plain call over HTTP is answered in as many pieces as it takes", async () => {
  await using server = await startHttp({ ...surfaceOf([]), features });
  const session = await openSession(server.url);
  const params = { name: "echo", arguments: { a: "✓".repeat(100_000) } };
  for (const isPlain of [false, true]) {
    const response = await send(server.url, { id: 1, method: "tools/call", params }, session);
    assert.equal(response.headers.has("content-length"), isPlain);
    const [, text = ""] = /^data: (.*)$/m.exec(await response.text()) ?? [];
    assert.deepEqual(JSON.parse(JSON.parse(text).result.content[0].text), params.arguments);
  }
});

Deno.test("a call over HTTP that the SDK refuses when it is handed over ends", async () => {
  const running: Promise<unknown>[] = [];
  let isBroken = false;
  const onChange = () => {
    if (isBroken) throw new Error("no server of the SDK");
    return () => {};
  };
  const surface = { ...surfaceOf([]), onChange };
  await using server = await startHttp(surface, { track: (call) => void running.push(call) });
  const call = (name: string) => {
    const params = { name, _meta: { progressToken: 1 } };
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    return post(server.url, message, { "mcp-protocol-version": "2025-11-25" });
  };
  await call("text");
  isBroken = true;
  const [status] = await call("reports") as [number];
  assert.deepEqual([status, running.length], [500, 4]);
  await Promise.all(running);
});
