/** A client that asks for progress sees a long command live, in both eras of the protocol. */

import assert from "node:assert/strict";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { answerTo, callMess, messCommand, sendCall, startMess } from "./_mess.ts";

const ignore = Deno.build.os === "windows";
const identity = { name: "climax-tests", version: "1.0.0" };

/** What a client was told, and what the call came to. */
interface Seen {
  readonly reports: readonly { progress: number; message?: string | undefined }[];
  readonly text: string;
}

/** Lines for 3 s to a client that gives up after 2 s without progress. */
const params = {
  name: "climax_call",
  arguments: { tool_name: "count", args: { times: 15, pause: 0.2 } },
};
const patience = { timeout: 2000, resetTimeoutOnProgress: true };

function parameters() {
  const { argv: [command, ...args], env } = messCommand();
  return { command, args, env };
}

function textOf(content: unknown): string {
  return (content as { text: string }[])[0]!.text;
}

async function watchV2(mode: "auto" | "legacy"): Promise<Seen> {
  const client = new ClientV2(identity, { versionNegotiation: { mode } });
  await client.connect(new StdioV2(parameters()));
  try {
    const reports: Seen["reports"][number][] = [];
    const onprogress = (report: Seen["reports"][number]) => void reports.push(report);
    const { content } = await client.callTool(params, { ...patience, onprogress });
    return { reports, text: textOf(content) };
  } finally {
    await client.close();
  }
}

async function watchV1(): Promise<Seen> {
  const client = new ClientV1(identity);
  await client.connect(new StdioV1(parameters()));
  try {
    const reports: Seen["reports"][number][] = [];
    const onprogress = (report: Seen["reports"][number]) => void reports.push(report);
    const { content } = await client.callTool(params, undefined, { ...patience, onprogress });
    return { reports, text: textOf(content) };
  } finally {
    await client.close();
  }
}

for (
  const [name, watch] of [
    ["v2 SDK, 2026-07-28", () => watchV2("auto")],
    ["v2 SDK, legacy era", () => watchV2("legacy")],
    ["v1 SDK", watchV1],
  ] as [string, () => Promise<Seen>][]
) {
  Deno.test({ name: `progress keeps a client waiting: ${name}`, ignore }, async () => {
    const started = performance.now();
    const { reports, text } = await watch();
    const seconds = (performance.now() - started) / 1000;
    assert.match(text, /^line 1\n[^]*\nline 15$/);
    assert.ok(reports.length >= 3 && reports.length <= 1 + 5 * seconds, JSON.stringify(reports));
    for (const [position, { progress, message }] of reports.entries()) {
      assert.ok(progress > (reports[position - 1]?.progress ?? 0), JSON.stringify(reports));
      assert.match(message!, /^line \d+$/);
    }
  });
}

Deno.test(
  { name: "progress is at most five a second, and none after the answer", ignore },
  async () => {
    await using server = await startMess();
    const started = performance.now();
    await sendCall(server, "call", "flood_briefly", {}, "token");
    await sendCall(server, "longer", "count", { times: 500, pause: 0 }, "other");
    const text = await answerTo(server, "call");
    await answerTo(server, "longer");
    const seconds = (performance.now() - started) / 1000;
    // Whatever was still to be sent is sent before this answer
    await callMess(server, "count", { times: 4, pause: 0.1 });

    const messages = server.lines.map((line) => JSON.parse(line));
    for (const [id, token] of [["call", "token"], ["longer", "other"]]) {
      const answer = messages.findIndex((message) => message.id === id);
      const reports = messages.flatMap(({ method, params }, position) => {
        return method === "notifications/progress" && params.progressToken === token
          ? [{ position, ...params }]
          : [];
      });
      assert.ok(reports.length >= 1 && reports.length <= 1 + 5 * seconds, JSON.stringify(reports));
      assert.ok(reports.every(({ position }) => position < answer), JSON.stringify(messages));
    }
    assert.match(text, /lines omitted/);
  },
);

Deno.test({ name: "a client that asks for no progress gets none", ignore }, async () => {
  await using server = await startMess();
  await callMess(server, "count", { times: 3, pause: 0.1 });
  assert.ok(server.lines.every((line) => !line.includes("notifications/progress")));
});
