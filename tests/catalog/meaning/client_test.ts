import assert from "node:assert/strict";
import { EmbeddingError, fetchVectors } from "../../../src/catalog/meaning/_client.ts";
import { type Answer, EmbeddingServer, vectorsResponse } from "./_embedding_server.ts";

const never = new AbortController().signal;

Deno.test("fetchVectors() asks as OpenAI's clients do and gives vectors of length 1 in order", async () => {
  await using server = new EmbeddingServer();
  server.answer = () =>
    Response.json({ data: [{ index: 1, embedding: [0, 2] }, { index: 0, embedding: [3, 4] }] });
  const { endpoint } = server;
  const settings = { endpoint: `${endpoint}/`, model: "m", apiKey: "secret" };
  const vectors = await fetchVectors(["a", "b"], settings, never);
  assert.deepEqual(vectors, [Float32Array.of(0.6, 0.8), Float32Array.of(0, 1)]);
  assert.deepEqual(server.asked, [{
    path: "/v1/embeddings",
    authorization: "Bearer secret",
    model: "m",
    input: ["a", "b"],
  }]);
  await fetchVectors(["a", "b"], { endpoint: `${endpoint}/embeddings`, model: "m" }, never);
  assert.deepEqual([server.asked[1]?.path, server.asked[1]?.authorization], [
    "/v1/embeddings",
    null,
  ]);
});

const wrong: readonly [what: string, answer: Answer, message: RegExp][] = [
  [
    "an error",
    () => new Response(`no such model${"!".repeat(1000)}`, { status: 404 }),
    /^Embedding server answered 404: no such model!{187}…$/,
  ],
  [
    "no JSON",
    () => new Response("<html>"),
    /^Embedding server cannot be used: its answer is not JSON$/,
  ],
  ["null", () => Response.json(null), /^Expected 2 vectors from the embedding server, found none$/],
  ["too few", () => vectorsResponse([[1]]), /^Expected 2 vectors .* found 1$/],
  ["too many", () => vectorsResponse([[1], [1], [1]]), /^Expected 2 vectors .* found 3$/],
  [
    "several sizes",
    () => vectorsResponse([[1], [1, 2]]),
    /^The embedding server's vectors differ in size, or are/,
  ],
  [
    "no numbers",
    () => vectorsResponse([["a"], ["b"]]),
    /^The embedding server answered something else than a vector$/,
  ],
  ["zeros", () => vectorsResponse([[0, 0], [1, 0]]), /something else than a vector$/],
  [
    "numbers beyond all bounds",
    () => vectorsResponse([[1e39], [1]]),
    /something else than a vector$/,
  ],
  ["base64", () => vectorsResponse(["AAAA", "AAAA"]), /something else than a vector$/],
  [
    "a vector of too many numbers",
    () => vectorsResponse([Array(16_385).fill(1), [1]]),
    /something else than a vector$/,
  ],
  [
    "one number twice",
    () => Response.json({ data: [0, 0].map((index) => ({ index, embedding: [1] })) }),
    /not numbered as the texts are$/,
  ],
  [
    "a number too large",
    () => Response.json({ data: [0, 2].map((index) => ({ index, embedding: [1] })) }),
    /not numbered as the texts are$/,
  ],
  [
    "a number that is a name",
    () => Response.json({ data: [0, "length"].map((index) => ({ index, embedding: [1] })) }),
    /not numbered as the texts are$/,
  ],
  [
    "a redirect",
    () => Response.redirect("http://127.0.0.1:1/"),
    /^Embedding server cannot be used: /,
  ],
];

for (const [what, answer, message] of wrong) {
  Deno.test(`fetchVectors() refuses ${what}`, async () => {
    await using server = new EmbeddingServer();
    server.answer = answer;
    const settings = { endpoint: server.endpoint, model: "m", apiKey: "secret" };
    const error = await fetchVectors(["a", "b"], settings, never).catch((error) => error);
    assert.ok(error instanceof EmbeddingError, String(error));
    assert.match(error.message, message);
  });
}

Deno.test("fetchVectors() reads 40 bytes for each value that it may need, and no more", async () => {
  await using server = new EmbeddingServer();
  let sent = 0;
  const cancelled = Promise.withResolvers<void>();
  server.answer = () =>
    new Response(
      new ReadableStream({
        pull(controller) {
          sent++;
          controller.enqueue(new Uint8Array(1024 * 1024).fill(32));
        },
        cancel: () => cancelled.resolve(),
      }),
    );
  await assert.rejects(
    fetchVectors(["a"], { endpoint: server.endpoint, model: "m" }, never),
    {
      name: "EmbeddingError",
      message: "Embedding server cannot be used: the answer has more than 1055360 bytes",
    },
  );
  await cancelled.promise;
  assert.ok(sent >= 1 && sent < 10, `${sent} MiB`);
});
