/**
 * A language model for one conversation, on a port of this machine: it says what it is told to say. A
 * client that asks it for a title or a summary, with no tools of ours, is given a word.
 */

import { type Answer, type Dialect, dialects, type Heard } from "./_dialects.ts";

/** What the model is about to say, by what it has heard. */
export type Script = (heard: Heard) => Answer;

/** A model that listens. */
export interface Model extends AsyncDisposable {
  /** The address before `/v1`, or what the protocol has there. */
  readonly url: string;
  /** The requests that had tools of ours, or called for them. */
  readonly heard: readonly Heard[];
  /** What was asked of it and is no request for an answer. */
  readonly strange: readonly string[];
}

/** Starts a model that answers as `script` has it, where `isMeant` says that a request is for it. */
export function startModel(script: Script, isMeant: (heard: Heard) => boolean): Model {
  const heard: Heard[] = [];
  const strange: string[] = [];
  let count = 0;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    const text = await request.text();
    const dialect = dialects.find((each) => each.isFor(pathname));
    if (dialect === undefined || request.method !== "POST") {
      strange.push(`${request.method} ${pathname}`);
      return Response.json({ error: { message: "There is no such thing here" } }, { status: 404 });
    }
    const one: Heard = { ...dialect.hear(JSON.parse(text)), whole: text };
    const id = `${++count}`.padStart(4, "0");
    if (!isMeant(one)) return stream(dialect, { text: "Trial" }, id);
    heard.push(one);
    return stream(dialect, script(one), id);
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    heard,
    strange,
    async [Symbol.asyncDispose]() {
      await server.shutdown();
    },
  };
}

function stream(dialect: Dialect, answer: Answer, id: string): Response {
  const lines = dialect.events(answer, id).map(([name, data]) => {
    const text = typeof data === "string" ? data : JSON.stringify(data);
    return `${name === undefined ? "" : `event: ${name}\n`}data: ${text}\n\n`;
  });
  return new Response(lines.join(""), { headers: { "content-type": "text/event-stream" } });
}
