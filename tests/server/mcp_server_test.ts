/** A real client of the SDK joined to the real server in memory, in both eras of the protocol. */

import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/client";
import { classicSurface, type Surface } from "../../src/server/surface.ts";
import { discoverySurface } from "../../src/server/discovery.ts";
import type { Serving } from "../../src/server/requests.ts";
import { version } from "../../src/process/build_info.ts";
import { answerOf, sessionOf, shellTool } from "../_session.ts";
import type { CallResult } from "../../src/tool/result.ts";
import { FollowedSignal } from "../../src/async/deadline.ts";
import { joinClient } from "./_serving.ts";
import { unix } from "../_requirements.ts";

const eras = ["auto", "legacy"] as const;

const config = {
  name: "demo",
  description: "Things to try",
  tools: [{ name: "shell", description: "Runs a script", ...shellTool }],
};

/** Joins a client to a server that shows `surface`. */
function join(surface: Surface, mode: typeof eras[number], serving: Partial<Serving> = {}) {
  return joinClient(surface, mode, { listTtlMs: 60_000, ...serving });
}

async function textOf(client: Client, name: string, args: Record<string, unknown>) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const blocks = content as { type: string; text: string }[];
  assert.ok(blocks.every(({ type }) => type === "text"));
  return { text: blocks.map(({ text }) => text).join("\n\n"), isError: isError ?? false };
}

for (const mode of eras) {
  Deno.test(`createMcpServer() says who it is and what it serves (${mode})`, async () => {
    const surface = discoverySurface(await sessionOf(config));
    await using joined = await join(surface, mode);
    const { client } = joined;
    assert.deepEqual(client.getServerVersion()?.name, "climax");
    assert.deepEqual(client.getServerVersion()?.version, version);
    assert.equal(client.getInstructions(), surface.instructions);
    assert.equal(client.getServerCapabilities()?.tools !== undefined, true);
  });

  Deno.test(`createMcpServer() lists the tools of its surface (${mode})`, async () => {
    const session = await sessionOf(config);
    for (const surface of [discoverySurface(session), classicSurface(session)]) {
      await using joined = await join(surface, mode);
      const { tools } = await joined.client.listTools();
      assert.deepEqual(
        JSON.parse(JSON.stringify(tools)),
        JSON.parse(JSON.stringify(surface.list())),
      );
    }
  });

  Deno.test(`createMcpServer() gives refusals as results with isError (${mode})`, async () => {
    await using joined = await join(discoverySurface(await sessionOf(config)), mode);
    const { client } = joined;
    assert.deepEqual(await textOf(client, "climax_call", { tool_name: "shell" }), {
      text:
        "Argument validation failed:\n  - Missing required argument 'script'\n\nTakes: shell(script)",
      isError: true,
    });
    assert.deepEqual(await textOf(client, "zsh", { script: "echo" }), {
      text: "Unknown tool: zsh\n\nThere is no tool like it",
      isError: true,
    });
  });

  unix.test(`createMcpServer() ends a program when the client cancels its call (${mode})`, async () => {
    const ended = Promise.withResolvers<CallResult>();
    await using joined = await join(classicSurface(await sessionOf(config)), mode, {
      track: (running) => void running.then((result) => ended.resolve(result as CallResult)),
    });
    const stop = new AbortController();
    const request = { name: "shell", arguments: { script: "echo ready; exec sleep 600" } };
    const onprogress = () => stop.abort();
    await assert.rejects(joined.client.callTool(request, { signal: stop.signal, onprogress }));
    const { text } = answerOf(await ended.promise);
    assert.equal(text, "ready\n\n[stderr]\nCommand was cancelled\n\n[exit code: -1]");
  });
}

unix.test("createMcpServer() ends its calls when serving ends", async () => {
  const stop = new AbortController();
  await using joined = await join(classicSurface(await sessionOf(config)), "legacy", {
    stop: new FollowedSignal(stop.signal),
  });
  const { content, isError } = await joined.client.callTool(
    { name: "shell", arguments: { script: "echo ready; exec sleep 600" } },
    { onprogress: () => stop.abort() },
  );
  const [first] = content as { text: string }[];
  assert.equal(first!.text, "ready\n\n[stderr]\nCommand was cancelled\n\n[exit code: -1]");
  assert.equal(isError, true);
});

for (const mode of eras) {
  Deno.test(`createMcpServer() refuses a cursor it never gave (${mode})`, async () => {
    await using joined = await join(discoverySurface(await sessionOf(config)), mode);
    await assert.rejects(joined.client.listTools({ cursor: "next" }), { code: -32602 });
  });
}

Deno.test("createMcpServer() says how long its list holds, since 2026-07-28", async () => {
  await using joined = await join(discoverySurface(await sessionOf(config)), "auto");
  const { ttlMs, cacheScope } = await joined.client.listTools() as Record<string, unknown>;
  assert.deepEqual([ttlMs, cacheScope], [60_000, "private"]);
});

unix.test("createMcpServer() runs nothing before it may, and tells the end of each call", async () => {
  const events: string[] = [];
  await using joined = await join(classicSurface(await sessionOf(config)), "legacy", {
    mayStart: () => Promise.resolve(void events.push("may start")),
    finished: (id) => void events.push(`finished ${typeof id}`),
  });
  await textOf(joined.client, "shell", { script: "echo" });
  await textOf(joined.client, "no such tool", {});
  assert.deepEqual(events, ["may start", "finished number", "finished number"]);
});

for (const mode of eras) {
  Deno.test(`createMcpServer() notifies a client of a changed list, until it closes (${mode})`, async () => {
    const listeners = new Set<() => void>();
    const onChange = (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    };
    const surface = { ...discoverySurface(await sessionOf(config)), onChange };
    const notified = Promise.withResolvers<void>();
    await using joined = await joinClient(surface, mode, {}, {}, {
      tools: { autoRefresh: false, debounceMs: 0, onChanged: () => notified.resolve() },
    });
    await joined.client.listTools();
    for (const listener of listeners) listener();
    await notified.promise;
    await joined[Symbol.asyncDispose]();
    assert.equal(listeners.size, 0);
  });
}
