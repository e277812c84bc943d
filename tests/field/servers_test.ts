/** What servers in the field send, one kind a row, and what an agent or a strict client reads of it. */

import assert from "node:assert/strict";
import { askServer } from "../../src/sources/upstream/ask_server.ts";
import { repairInput } from "../../src/sources/upstream/repair_schema.ts";
import { isSameDefinition, lockEntry } from "../../src/sources/upstream/lock.ts";
import { Inbox } from "../../src/server/receive.ts";
import { classicSurface } from "../../src/server/surface.ts";
import { discoverySurface } from "../../src/server/discovery.ts";
import { textOf } from "../../src/tool/result.ts";
import { estimateTokens } from "../../src/text/tokens.ts";
import { startHttp } from "../server/http/_server.ts";
import { answerTo } from "../_session.ts";
import { openServers, specOf } from "../_upstream.ts";
import { fieldServer, good, type Say, strictClient } from "./_server.ts";

const text = (text: string) => ({ type: "text", text });
const object = { type: "object" };
const a = { a: { type: "string" } };

/** Each tool as a server defines it, and the members that a client sees of it; nothing: it is left out. */
const definitions: readonly (readonly [tool: object, seen: object | undefined])[] = [
  [{ name: "nulls", title: null, annotations: { readOnlyHint: null }, outputSchema: null }, {
    inputSchema: object,
  }],
  [{ name: "hint", annotations: { readOnlyHint: "yes", title: "T" } }, { title: "T" }],
  [{ name: "no_input" }, { inputSchema: object }],
  [{ name: "empty_input", inputSchema: {} }, { inputSchema: object }],
  [{ name: "null_required", inputSchema: { ...object, properties: a, required: null } }, {
    inputSchema: { ...object, properties: a },
  }],
  [{ name: "list_of_properties", inputSchema: { ...object, properties: [] } }, {
    inputSchema: object,
  }],
  [{ name: "lost_ref", inputSchema: { ...object, properties: { a: { $ref: "#/$defs/X" } } } }, {
    inputSchema: { ...object, properties: { a: {} } },
  }],
  [
    {
      name: "deep",
      inputSchema: { ...object, properties: { a: { items: { enum: [], type: "x" } } } },
    },
    { inputSchema: { ...object, properties: { a: { items: {} } } } },
  ],
  [{
    name: "unfit_default",
    inputSchema: { ...object, properties: { a: { ...object, default: [] } } },
  }, {
    inputSchema: { ...object, properties: { a: object } },
  }],
  [{
    name: "unusual",
    inputSchema: { ...object, anyOf: [{ required: ["a"] }], $defs: { a: object } },
  }, {
    inputSchema: { ...object, anyOf: [{ required: ["a"] }], $defs: { a: object } },
  }],
  [{ name: "list_input", inputSchema: { type: "array" } }, undefined],
  [{ name: "list_output", outputSchema: { type: "array" } }, { outputSchema: undefined }],
  [{ name: "lost_output", outputSchema: { ...object, properties: { a: { $ref: "#/x" } } } }, {
    outputSchema: undefined,
  }],
  [
    {
      name: "bad_pattern",
      outputSchema: { ...object, properties: { a: { pattern: "(?P<a>b)" } } },
    },
    {
      outputSchema: undefined,
    },
  ],
  [{ name: "ref_output", outputSchema: { $ref: "#/$defs/a", $defs: { a: object } } }, {
    outputSchema: { ...object, $ref: "#/$defs/a", $defs: { a: object } },
  }],
];

/** Each result of a call, its texts for an agent, and whether it is an error. */
const results: readonly (readonly [answer: object, texts: readonly string[], isError?: boolean])[] =
  [
    [{ result: { content: [text("x")], _meta: null, isError: null }, error: null }, ["x"]],
    [{ result: { content: [{ ...text("x"), annotations: { audience: "all" } }] } }, ["x"]],
    [{ result: { content: [{ type: "video", data: "" }, text("x")] } }, [
      "[a part of type 'video' of this answer is left out: it cannot be read]",
      "x",
    ]],
    [{ result: { content: [{ type: "image", data: "data:image/png;base64,AA" }] } }, [
      "image/png AA==",
    ]],
    [{ result: { content: [{ type: "image", data: "iVBORw0KGgo_" }] } }, [
      "image/png iVBORw0KGgo/",
    ]],
    [{ result: { structuredContent: { a: 1 } } }, ['{"a":1}']],
    [{ result: { content: [], structuredContent: [1] } }, ["[1]"]],
    [{ result: { isError: true } }, ["[the server answered with an error, without content]"], true],
    [{ result: { message: "done" } }, ['{"message":"done"}']],
    [{ result: "plain" }, ["plain"]],
    [{ result: { content: "plain" } }, ["plain"]],
    [{ result: { content: [text("half \ud83d")] } }, ["half \ufffd"]],
    [{ error: "no" }, ["Server 's' refused: no"], true],
    [{ error: { code: "E1", message: "no", data: { url: "https://a.example" } } }, [
      `Server 's' refused: no {"url":"https://a.example"}`,
    ], true],
  ];

Deno.test("a strict client lists and calls what servers define and answer", async () => {
  const tools = [null, ...definitions.map(([tool]) => tool), { name: "answers" }];
  await using server = fieldServer(({ method, params }) => {
    if (method === "tools/list") return { result: { tools, nextCursor: null } };
    return method === "tools/call" ? results[Number(params.arguments!["row"])]?.[0] : undefined;
  });
  await using session = await openServers([server.sketch]);
  await using client = await strictClient(session);
  const listed = new Map(
    (await client.listTools()).tools.map((tool: { name: string }) => [tool.name, tool]),
  );
  for (const [tool, seen] of definitions) {
    const { name } = tool as { name: string };
    const found = listed.get(`s__${name}`) as Record<string, unknown> | undefined;
    assert.equal(found === undefined, seen === undefined, name);
    for (const [key, value] of Object.entries(seen ?? {})) {
      assert.deepEqual(found![key], value, name);
    }
  }
  for (const [row, [answer, texts, isError = false]] of results.entries()) {
    const said = await client.callTool({ name: "s__answers", arguments: { row } });
    const blocks = said.content as {
      type: string;
      text?: string;
      mimeType?: string;
      data?: string;
    }[];
    const shown = blocks.map(({ text, mimeType, data }) => text ?? `${mimeType} ${data}`);
    assert.deepEqual([shown, said.isError], [texts, isError], JSON.stringify(answer));
  }
});

/** Each answer of a server to a method, which must not cost its tool. */
const handshakes: readonly (readonly [what: string, method: string, answer: object])[] = [
  ["null members of initialize", "initialize", {
    result: {
      protocolVersion: "2025-06-18",
      capabilities: { tools: { listChanged: null }, prompts: null },
      instructions: null,
      serverInfo: { name: "s", version: 1 },
    },
  }],
  ["capabilities as a list", "initialize", {
    result: { protocolVersion: "2025-06-18", capabilities: [], serverInfo: { name: "s" } },
  }],
  ["a flag for a capability", "initialize", {
    result: { protocolVersion: "2025-06-18", capabilities: { tools: true }, serverInfo: null },
  }],
  ["a list with numbers as names", "tools/list", { result: { tools: { 0: good, 2: null } } }],
  ["an empty cursor", "tools/list", { result: { tools: [good], nextCursor: "" } }],
];

for (const [what, method, answer] of handshakes) {
  Deno.test(`a server keeps its tool with ${what}`, async () => {
    await using server = fieldServer((asked) => asked.method === method ? answer : undefined);
    await using session = await openServers([server.sketch]);
    assert.deepEqual(session.index.tools.map(({ name }) => name).includes("s__good"), true);
  });
}

Deno.test("a later page that fails keeps the earlier ones, and a list that fails says so", async () => {
  let fails = false;
  await using server = fieldServer(({ method, params }) => {
    if (method !== "tools/list") return undefined;
    return fails || params.cursor === 7
      ? { error: { code: -32603, message: "page lost" } }
      : { result: { tools: [good], nextCursor: 7 } };
  });
  {
    await using session = await openServers([server.sketch]);
    assert.equal((await answerTo(session, { tool: "s__good" })).text, "done");
    const { warnings } = await askServer(specOf(server.sketch));
    assert.match(warnings.join(), /rest of its list is left out: page lost/);
  }
  fails = true;
  await using session = await openServers([{ ...server.sketch, name: "t" }]);
  const { text } = await answerTo(session, { tool: "t__good" });
  assert.match(text, /^Server 't' is connected, and its tools are not known: page lost/);
});

/** Ways in which a server says that it has lost a session, and whether it has refused the request. */
const losses: readonly (readonly [what: string, lost: Say, isRepeated: boolean])[] = [
  ...[400, 401, 404, 410, 500, 503].map((status) => {
    const lost = () => new Response("Session lost", { status });
    // What needs a login was refused for good
    return [`HTTP ${status}`, lost, status < 500 && status !== 401] as const;
  }),
  [
    "an error in a 200",
    () => ({ id: null, error: { code: -32000, message: "Session lost" } }),
    false,
  ],
];

for (const [what, lost, isRepeated] of losses) {
  Deno.test(`a session that is lost by ${what} is found, and no call is made twice`, async () => {
    let [sessions, calls] = [0, 0];
    const isLost = (session: string | null) => session === "1" && calls >= 1;
    await using server = fieldServer((asked) => {
      const { method, params, session } = asked;
      if (method !== "tools/call") return undefined;
      if (isLost(session)) return lost(asked);
      return { result: { content: [text(`${params.arguments!["n"]} of ${++calls}`)] } };
    }, { onOpen: () => ++sessions });
    await using session = await openServers([server.sketch]);
    const answers = [];
    for (const n of [1, 2, 3]) {
      answers.push(await answerTo(session, { tool: "s__good", args: { n } }));
    }
    const [one, two, three] = answers;
    assert.equal(one!.text, "1 of 1");
    assert.equal(two!.isError, !isRepeated, two!.text);
    assert.equal(three!.text, isRepeated ? "3 of 3" : "3 of 2");
    if (!isRepeated) assert.match(two!.text, /Session lost/);
  });
}

Deno.test("an answer that is no message is told as answered", async () => {
  await using server = fieldServer(({ method }) => {
    return method === "tools/call"
      ? new Response("<html>", { headers: { "content-type": "text/html" } })
      : undefined;
  });
  await using session = await openServers([server.sketch]);
  assert.match(
    (await answerTo(session, { tool: "s__good" })).text,
    /answered, but its answer cannot be read: .*The outcome is unknown/,
  );
});

Deno.test("members that are null are absent in what clients send, and data of a call stays", () => {
  const receive = (message: object) =>
    new Inbox(10_000).receive(new TextEncoder().encode(JSON.stringify(message)));
  const received = receive({
    ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
    params: { name: "x", arguments: { a: null }, _meta: { progressToken: null, own: null } },
  });
  assert.deepEqual("message" in received && (received.message as { params?: object }).params, {
    ...{ name: "x", arguments: { a: null }, _meta: { own: null } },
  });
  assert.equal(
    "message" in
      receive({ jsonrpc: "2.0", id: null, method: "notifications/initialized", params: [] }),
    true,
  );
  assert.equal("error" in receive({ jsonrpc: "2.0", id: null, method: "tools/list" }), true);
});

Deno.test("what was accepted stays accepted in another order of a set, and no other change does", () => {
  const tool = (schema: object) => ({
    name: "t",
    inputSchema: { ...object, ...schema } as { type: "object" },
  });
  const { transport } = specOf({ name: "s", transport: "http", url: "http://localhost" });
  const before = {
    required: ["a", "b"],
    properties: { a: { enum: [1, 2], default: "x, y" }, b: { prefixItems: [{}, true] } },
  };
  const { tools } = lockEntry({ definitions: [tool(before)], description: "" }, { transport });
  const rows: readonly (readonly [schema: object, isSame: boolean])[] = [
    [{
      required: ["b", "a"],
      properties: { b: { prefixItems: [{}, true] }, a: { enum: [2, 1], default: "y,x" } },
    }, true],
    [{ ...before, title: null }, true],
    [{ ...before, required: ["a"] }, false],
    [{ ...before, properties: { ...before.properties, b: { prefixItems: [true, {}] } } }, false],
    [{ ...before, description: "new words" }, false],
  ];
  for (const [schema, isSame] of rows) {
    assert.equal(isSameDefinition(tools["t"]!, tool(schema)), isSame, JSON.stringify(schema));
  }
});

Deno.test("one search answer has the bound of a result, and names what it leaves out", async () => {
  const large = { ...good, description: "needle " + "x y z ".repeat(20_000) };
  const values = { type: "string", enum: Array.from({ length: 8000 }, (_, at) => `v${at}`) };
  const tools = [large, {
    ...good,
    name: "values",
    description: "needle",
    inputSchema: { ...object, properties: { a: values } },
  }];
  await using server = fieldServer(({ method }) =>
    method === "tools/list" ? { result: { tools } } : undefined
  );
  await using session = await openServers([server.sketch]);
  const result = await discoverySurface(session).call("climax_search", { query: "needle" }, {});
  const shown = textOf(result);
  assert.equal(estimateTokens(shown) < session.maxResultTokens, true);
  for (const name of ["s__good", "s__values"]) assert.match(shown, new RegExp(name));
});

Deno.test("repairInput() of what is valid changes nothing", () => {
  const schema = {
    ...object,
    properties: { default: a, enum: { const: null, examples: [null] }, n: { $ref: "#" } },
    "x-own": [null],
  };
  assert.deepEqual(repairInput(schema), schema);
});

/** What a client says it accepts, and the status of its answer: both forms are sent to who takes every type. */
const accepted: readonly (readonly [accept: string | undefined, status: number])[] = [
  ["*/*", 200],
  ["application/*", 200],
  ["application/json, */*;q=0.5", 200],
  ["application/json, text/event-stream", 200],
  [undefined, 200],
  ["text/plain", 406],
];

Deno.test("a client that accepts every type gets an answer", async () => {
  await using session = await openServers([]);
  await using server = await startHttp(classicSurface(session));
  for (const [accept, status] of accepted) {
    const params = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "x", version: "1", title: null },
    };
    const response = await fetch(server.url, {
      method: "POST",
      headers: { "content-type": "application/json", ...(accept === undefined ? {} : { accept }) },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
    });
    await response.body?.cancel();
    assert.equal(response.status, status, accept);
  }
});
