/**
 * A server on loopback that speaks the embeddings format: a text's vector counts the words of three
 * themes, so that texts of one theme are near each other although they share no word.
 */

const themes = [
  ["cat", "kitten", "feline", "purr"],
  ["storm", "rain", "weather", "umbrella"],
  ["money", "cash", "pay", "invoice"],
];

/** What was asked for. */
export interface AskedFor {
  readonly path: string;
  readonly authorization: string | null;
  readonly model: string;
  readonly input: readonly string[];
}

/** Answers instead of the server's own, for what can go wrong. */
export type Answer = (asked: AskedFor, request: Request) => Response | Promise<Response>;

/** The server, which answers with vectors until it is told otherwise. */
export class EmbeddingServer implements AsyncDisposable {
  readonly asked: AskedFor[] = [];
  answer: Answer = (asked) => vectorsResponse(asked.input.map(vectorOf));
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  constructor() {
    const onListen = () => undefined;
    this.#server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen }, async (request) => {
      const { model, input } = await request.json();
      const path = new URL(request.url).pathname;
      const asked = { path, authorization: request.headers.get("authorization"), model, input };
      this.asked.push(asked);
      return await this.answer(asked, request);
    });
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/v1`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

/** The three numbers of a text, and one that is never zero. */
export function vectorOf(text: string): number[] {
  const words = text.toLowerCase().split(/\W+/);
  return [...themes.map((theme) => words.filter((word) => theme.includes(word)).length), 0.1];
}

/** Vectors as OpenAI's format has them. */
export function vectorsResponse(vectors: readonly unknown[]): Response {
  const data = vectors.map((embedding, index) => ({ object: "embedding", index, embedding }));
  return Response.json({ object: "list", data });
}
