/** A client that asks for progress sees a long command live, in both eras of the protocol. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { pause, scaled } from "../../_wait.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { climax, environment } from "../../e2e/_server.ts";
import { plainTool, writeWorks } from "./_works.ts";
import { unix } from "../../_requirements.ts";

const identity = { name: "climax-tests", version: "1.0.0" };

/** The progress and the result that a client received. */
interface Seen {
  readonly reports: readonly { progress: number; message?: string | undefined }[];
  readonly text: string;
}

/** A client gives up after this many milliseconds without progress. */
const patienceMs = scaled(1500);
const patience = { timeout: patienceMs, resetTimeoutOnProgress: true };

/** Prints lines, for as long as it may. */
const script = "i=0; while [ ! -e go ]; do i=$((i + 1)); echo line $i; sleep 0.1; done";
const params = { name: "climax_call", arguments: { tool_name: "plain", args: { script } } };

function parameters(config: string) {
  const [command, ...args] = climax("run", config);
  return { command, args, env: environment() };
}

/** Lets the programs in `directory` end when every client would have given up without progress. */
async function endLater(directory: string): Promise<void> {
  await pause(1.2 * patienceMs);
  await Deno.writeTextFile(join(directory, "go"), "");
}

function textOf(content: unknown): string {
  return (content as { text: string }[])[0]!.text;
}

type Report = Seen["reports"][number];

async function watchV2(mode: "auto" | "legacy", directory: string, config: string): Promise<Seen> {
  const client = new ClientV2(identity, { versionNegotiation: { mode } });
  await client.connect(new StdioV2(parameters(config)));
  return await watch(client, directory, (options) => client.callTool(params, options));
}

async function watchV1(directory: string, config: string): Promise<Seen> {
  const client = new ClientV1(identity);
  await client.connect(new StdioV1(parameters(config)));
  return await watch(client, directory, (options) => client.callTool(params, undefined, options));
}

/** Makes a call that ends once its program may go on, and closes the client. */
async function watch(
  client: ClientV1 | ClientV2,
  directory: string,
  call: (options: typeof patience & { onprogress(report: Report): void }) => Promise<object>,
): Promise<Seen> {
  try {
    const reports: Report[] = [];
    const onprogress = (report: Report) => void reports.push(report);
    const called = call({ ...patience, onprogress });
    const [answer] = await Promise.all([called, endLater(directory)]);
    return { reports, text: textOf((answer as { content?: unknown }).content) };
  } finally {
    await client.close();
  }
}

const eras: readonly (readonly [
  name: string,
  watch: (directory: string, config: string) => Promise<Seen>,
])[] = [
  ["v2 SDK, 2026-07-28", (...at) => watchV2("auto", ...at)],
  ["v2 SDK, legacy era", (...at) => watchV2("legacy", ...at)],
  ["v1 SDK", watchV1],
];

// At the same time: each waits for longer than its client would
unix.test("progress keeps clients of every era waiting", async () => {
  await Promise.all(eras.map(async ([name, watch]) => {
    await using dir = await scratch();
    const { reports, text } = await watch(dir.path, await writeWorks(dir.path, plainTool));
    assert.match(text, /^line 1\n[^]*\nline \d+$/, name);
    assert.ok(reports.length >= 3, `${name}: ${JSON.stringify(reports)}`);
    for (const [position, { progress, message }] of reports.entries()) {
      assert.ok(progress > (reports[position - 1]?.progress ?? 0), JSON.stringify(reports));
      assert.match(message!, /^line \d+$/);
    }
  }));
});
