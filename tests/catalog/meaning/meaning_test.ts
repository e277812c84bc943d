import assert from "node:assert/strict";
import { join } from "node:path";
import { ToolIndex } from "../../../src/catalog/tool_index.ts";
import { FakeClock } from "../../_clock.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { cli, tool } from "../_tools.ts";
import { EmbeddingServer, vectorOf, vectorsResponse } from "./_embedding_server.ts";

const pets = cli("pets");
const tools = [
  tool(pets, "show_kitten", "Show a kitten"),
  tool(pets, "feed", "Give food to a cat"),
  tool(cli("sky"), "forecast", "Rain to come"),
  { ...tool(cli("bank"), "transfer", "Move cash"), examples: ["pay my rent"] },
];

/** A query waits for the server for as long as that takes. */
const patient = { clock: new FakeClock() };

async function names(index: ToolIndex, request: Parameters<ToolIndex["find"]>[0]) {
  return (await index.find(request)).map(({ tool_name }) => tool_name);
}

Deno.test("find() finds by meaning what shares no word, and by words as before", async () => {
  await using server = new EmbeddingServer();
  const index = new ToolIndex(tools);
  assert.deepEqual(await names(index, { query: "an umbrella perhaps" }), []);
  await index.embed({ endpoint: server.endpoint, model: "m" }, patient);
  assert.equal((await names(index, { query: "an umbrella perhaps" }))[0], "forecast");
  assert.equal((await names(index, { query: "settle an invoice" }))[0], "transfer");
  assert.deepEqual((await names(index, { query: "feline kitten please" })).slice(0, 2), [
    "show_kitten",
    "feed",
  ]);
});

Deno.test("fit() knows by examples of the catalogue how near requests are, and counts the best by words", async () => {
  await using server = new EmbeddingServer();
  const cats = Array.from({ length: 24 }, (_, at) => ({
    ...tool(pets, `care_${at}`, "Look after a cat"),
    examples: [at % 3 === 0 ? "stroke the kitten" : "a kitten in the rain"],
  }));
  const index = new ToolIndex([...cats, tool(pets, "sell", "Sell an animal")]);
  const embedding = index.embed({ endpoint: server.endpoint, model: "m" }, patient);
  assert.equal(index.isEmbedding, true);
  await embedding;
  assert.deepEqual([index.isEmbedding, index.weightOfMeaning], [false, 0.3]);
  const isWeak = async (query: string) => {
    await index.find({ query });
    return index.fit({ query })?.isWeak;
  };
  const weak = ["umbrella against rain", "sell an animal in stormy weather", "purr feline purr"];
  for (const [at, query] of weak.entries()) assert.equal(await isWeak(query), at < 2, query);
  assert.equal(index.scoresOfBest({ query: "sell an animal" }, 0.75), 1);
});

Deno.test("find() keeps the order over several sentences, and compares each with the tools", async () => {
  await using server = new EmbeddingServer();
  const index = new ToolIndex(tools);
  await index.embed({ endpoint: server.endpoint, model: "m", weight: 1 }, patient);
  server.asked.length = 0;
  const query = "The cat and the kitten, a feline. Take an umbrella.";
  assert.deepEqual((await names(index, { query })).slice(0, 3).toSorted(), [
    "feed",
    "forecast",
    "show_kitten",
  ]);
  assert.deepEqual(server.asked.map(({ input }) => input), [[query, ...query.split(/(?<=\.) /)]]);
  const words = new ToolIndex(tools);
  const request = { query: "Show a kitten. Show a kitten. Move cash." };
  await words.embed({ endpoint: server.endpoint, model: "m", weight: 0.01 }, patient);
  assert.deepEqual(
    await names(words, { ...request, limit: 2 }),
    words.search({ ...request, limit: 2 }).map(({ tool_name }) => tool_name),
  );
});

Deno.test("find() gives what the filters let through only, and no more than the limit", async () => {
  await using server = new EmbeddingServer();
  const index = new ToolIndex(tools);
  await index.embed({ endpoint: server.endpoint, model: "m" }, patient);
  const within = await names(index, { query: "an umbrella perhaps", cli: "pets" });
  assert.deepEqual(within.toSorted(), ["feed", "show_kitten"]);
  assert.deepEqual(await names(index, { query: "an umbrella perhaps", cli: "none" }), []);
  assert.deepEqual(await names(index, { query: "an umbrella perhaps", limit: 1 }), ["forecast"]);
  assert.deepEqual(await names(index, { query: "an umbrella perhaps", limit: 0 }), []);
  assert.equal((await names(index, { query: "an umbrella perhaps", limit: 1e9 })).length, 4);
});

Deno.test("find() sends no query where words are enough", async () => {
  await using server = new EmbeddingServer();
  const index = new ToolIndex(tools);
  await index.embed({ endpoint: server.endpoint, model: "m" }, patient);
  server.asked.length = 0;
  for (const query of ["", "umbrella", "  umbrella ", "show_kitten", "please show kitten now"]) {
    assert.deepEqual(await index.find({ query }), index.search({ query }), query);
  }
  assert.deepEqual(server.asked, []);
  await index.find({ query: "kitten show" });
  assert.deepEqual(server.asked.map(({ input }) => input), [["kitten show"]]);
});

Deno.test("embed() sends names, descriptions and examples of tools, cut, in batches of 64", async () => {
  await using server = new EmbeddingServer();
  await new ToolIndex(tools).embed({ endpoint: server.endpoint, model: "m" });
  assert.deepEqual(server.asked.map(({ input }) => input), [[
    "pets: show kitten\nShow a kitten",
    "pets: feed\nGive food to a cat",
    "sky: forecast\nRain to come",
    "bank: transfer\nMove cash\npay my rent",
  ]]);
  server.asked.length = 0;
  const many = Array.from({ length: 130 }, (_, at) => tool(pets, `t${at}`, "x".repeat(5_000)));
  const index = new ToolIndex(many);
  await index.embed({ endpoint: server.endpoint, model: "m" }, patient);
  await index.find({ query: "y ".repeat(5_000) });
  assert.deepEqual(server.asked.map(({ input }) => input.length), [64, 64, 2, 1]);
  assert.ok(server.asked.every(({ input }) => input.every((text) => text.length <= 2_001)));
});

Deno.test("embed() asks for a tool once, by what is sent of it and by model", async () => {
  await using dir = await scratch();
  await using server = new EmbeddingServer();
  const cache = join(dir.path, "vectors.json");
  const settings = { endpoint: server.endpoint, model: "m" };
  const embed = async (some: typeof tools, model = "m") => {
    server.asked.length = 0;
    const index = new ToolIndex(some);
    await index.embed({ ...settings, model }, { cache, ...patient });
    const asked = server.asked.flatMap(({ input }) => input.length);
    assert.equal((await names(index, { query: "an umbrella perhaps" }))[0], "forecast");
    return asked;
  };
  assert.deepEqual(await embed(tools), [4]);
  assert.deepEqual(await embed(tools), []);
  assert.deepEqual(await embed(tools.toReversed()), []);
  assert.deepEqual(await embed([...tools, tool(pets, "new", "New")]), [1]);
  assert.deepEqual(await embed(tools, "other"), [4]);
  await Deno.writeTextFile(cache, "no vectors");
  assert.deepEqual(await embed(tools), [4]);
  // Another model behind the same name: its vectors have another size
  await embed(tools);
  server.answer = ({ input }) => vectorsResponse(input.map((text) => [...vectorOf(text), 0]));
  assert.deepEqual(await embed([...tools, tool(pets, "new", "New")]), [1, 4]);
});

Deno.test("embed() keeps 20,000 vectors, and forgets the oldest of other texts", async () => {
  await using server = new EmbeddingServer();
  const settings = { endpoint: server.endpoint, model: "m" };
  const memory = new Map<string, Int8Array<ArrayBuffer>>();
  const embed = async (some: readonly ReturnType<typeof tool>[]) => {
    server.asked.length = 0;
    await new ToolIndex(some).embed(settings, { memory });
    return server.asked.flatMap(({ input }) => input).length;
  };
  const first = [tool(pets, "first", "")];
  const many = Array.from({ length: 19_999 }, (_, at) => tool(pets, `t${at}`, ""));
  assert.equal(await embed(first), 1);
  assert.equal(await embed(many), 19_999);
  assert.equal(memory.size, 20_000);
  assert.equal(await embed(first), 0);
  assert.equal(await embed([tool(pets, "last", "")]), 1);
  assert.equal(memory.size, 20_000);
  assert.equal(await embed(many.slice(0, 2)), 0);
  assert.equal(await embed(first), 1);
});

Deno.test("embed() leaves eight files of vectors in a folder, and what else is in there", async () => {
  await using dir = await scratch();
  await using server = new EmbeddingServer();
  await Deno.writeTextFile(join(dir.path, "notes.txt"), "mine");
  const nameOf = (at: number) => `${String(at).padStart(64, "0")}.json`;
  for (let at = 0; at < 9; at++) {
    const cache = join(dir.path, nameOf(at));
    await new ToolIndex(tools).embed({ endpoint: server.endpoint, model: "m" }, { cache });
    await Deno.utime(cache, at, at);
  }
  const left = [...Deno.readDirSync(dir.path)].map(({ name }) => name).toSorted();
  assert.deepEqual(left, [...[1, 2, 3, 4, 5, 6, 7, 8].map(nameOf), "notes.txt"]);
});

Deno.test("embed() goes on without a cache that cannot be written, and ends with its signal", async () => {
  await using server = new EmbeddingServer();
  const settings = { endpoint: server.endpoint, model: "m" };
  await new ToolIndex(tools).embed(settings, { cache: "/dev/null/vectors.json" });
  const ended = new AbortController();
  const reached = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  server.answer = async () => {
    reached.resolve();
    await end.promise;
    return new Response();
  };
  const embedding = new ToolIndex(tools).embed(settings, { signal: ended.signal });
  await reached.promise;
  ended.abort();
  await assert.rejects(embedding, { name: "EmbeddingError" });
  end.resolve();
});

const failures: readonly [
  what: string,
  break_: (server: EmbeddingServer) => void | Promise<void>,
][] = [
  ["answers an error", (server) => void (server.answer = () => new Response("", { status: 500 }))],
  [
    "answers a vector of another size",
    (server) => void (server.answer = () => vectorsResponse([[1]])),
  ],
  ["is gone", (server) => server[Symbol.asyncDispose]()],
];

for (const [what, break_] of failures) {
  Deno.test(`find() searches by words alone where the server ${what}, and by meaning again`, async () => {
    await using server = new EmbeddingServer();
    const { answer } = server;
    const index = new ToolIndex(tools);
    await index.embed({ endpoint: server.endpoint, model: "m" }, patient);
    await break_(server);
    for (const query of ["an umbrella perhaps", "some rain"]) {
      assert.deepEqual(await index.find({ query }), index.search({ query }));
    }
    if (what === "is gone") return;
    server.answer = answer;
    assert.equal((await names(index, { query: "an umbrella perhaps" }))[0], "forecast");
  });
}

Deno.test("find() waits 150 ms for a slow server, and no more", async () => {
  await using server = new EmbeddingServer();
  const clock = new FakeClock();
  const index = new ToolIndex(tools);
  await index.embed({ endpoint: server.endpoint, model: "m" }, { clock });
  const end = Promise.withResolvers<void>();
  server.answer = async () => {
    await end.promise;
    return new Response();
  };
  const found = names(index, { query: "some rain" });
  await clock.timer(150);
  await clock.advance(149);
  assert.deepEqual(clock.timers, [1]);
  await clock.advance(1);
  assert.deepEqual(await found, ["forecast"]);
  end.resolve();
});
