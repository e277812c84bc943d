/**
 * A proxy before climax that gives the tools and prompts of one server their own names back: the conformance suite
 * calls them by these, and climax puts the name of the server in front.
 */

import type { Started } from "./_http_server.ts";

const named = new Set(["tools/call", "prompts/get"]);

/** Names get `prefix` on the way to `target`, and lose it on the way back. */
export function startRenameProxy(target: string, prefix: string): Started {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const headers = new Headers(request.headers);
      const given = await request.text();
      const body = renamed(given, prefix);
      // MCP 2026-07-28 has the name in a header too
      const name = headers.get("mcp-name");
      if (name !== null && named.has(headers.get("mcp-method") ?? "")) {
        headers.set("mcp-name", prefix + name);
      }
      headers.delete("content-length");
      // A host that is wrong must stay wrong
      if (new URL(`http://${headers.get("host")}`).hostname === "127.0.0.1") {
        headers.set("host", new URL(target).host);
      }
      const response = await fetch(target, {
        method: request.method,
        headers,
        signal: request.signal,
        ...(request.method === "POST" ? { body } : {}),
      });
      const back = new Headers(response.headers);
      back.delete("content-length");
      const text = response.body?.pipeThrough(new TextDecoderStream())
        .pipeThrough(withoutPrefix(prefix)).pipeThrough(new TextEncoderStream()) ?? null;
      return new Response(text, { status: response.status, headers: back });
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}/mcp`,
    pid: Deno.pid,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function renamed(body: string, prefix: string): string {
  try {
    const message = JSON.parse(body);
    const { method, params } = message;
    if (named.has(method) && typeof params?.name === "string") params.name = prefix + params.name;
    if (params?.ref?.type === "ref/prompt") params.ref.name = prefix + params.ref.name;
    return JSON.stringify(message);
  } catch {
    // The server refuses what is no JSON
    return body;
  }
}

/** Whole lines: a prefix may come in two pieces. */
function withoutPrefix(prefix: string): TransformStream<string, string> {
  let rest = "";
  return new TransformStream({
    transform(chunk, controller) {
      const end = (rest + chunk).lastIndexOf("\n") + 1;
      controller.enqueue((rest + chunk).slice(0, end).replaceAll(prefix, ""));
      rest = (rest + chunk).slice(end);
    },
    flush: (controller) => controller.enqueue(rest.replaceAll(prefix, "")),
  });
}
