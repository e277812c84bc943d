/** Searching (user story 1) as a client sees it. */

import assert from "node:assert/strict";
import { connect, type ConnectedClient } from "./_clients.ts";
import { fixture } from "./_server.ts";

let client: ConnectedClient;
Deno.test.beforeAll(async () => {
  client = await connect(["git", "docker", "coreutils", fixture("probe.yaml")]);
});
Deno.test.afterAll(async () => await client[Symbol.asyncDispose]());

interface Entry {
  readonly tool_name: string;
  readonly description: string;
  readonly cli_name: string;
  readonly category: string;
  readonly tags: readonly string[];
  readonly input_schema: unknown;
}

async function search(args: Record<string, unknown> | undefined): Promise<readonly Entry[]> {
  const { text, isError } = await client.call("climax_search", args);
  assert.equal(isError, false, text);
  const answer = JSON.parse(text);
  assert.equal(answer.mode, "search");
  assert.deepEqual(Object.keys(answer), ["mode", "results"]);
  return answer.results;
}

async function summarize(args?: Record<string, unknown>): Promise<readonly { name: string }[]> {
  const { text, isError } = await client.call("climax_search", args);
  assert.equal(isError, false, text);
  const answer = JSON.parse(text);
  assert.equal(answer.mode, "summary");
  assert.deepEqual(Object.keys(answer), ["mode", "summary"]);
  return answer.summary;
}

Deno.test("climax_search finds tools by keyword, with all that a call needs", async () => {
  const [entry] = await search({ query: "write to both STREAMS" });
  assert.deepEqual(entry, {
    tool_name: "probe_warn",
    description: "Write to both streams",
    cli_name: "probe",
    category: "testing",
    tags: ["probe", "test-double"],
    input_schema: { type: "object", properties: {} },
  });
});

Deno.test("climax_search shows types, requirements, defaults and enums", async () => {
  const results = await search({ query: "probe_", limit: 50 });
  const schema = (name: string) => results.find((each) => each.tool_name === name)!.input_schema;
  assert.deepEqual(schema("probe_args"), {
    type: "object",
    properties: {
      text: { type: "string", description: "Any text" },
      count: { type: "integer", description: "A whole number" },
      ratio: { type: "number", description: "A number" },
      dry_run: { type: "boolean", description: "A switch" },
      format: { type: "string", description: "A closed list", enum: ["json", "text", "csv"] },
      level: { type: "integer", description: "With a default", default: 3 },
    },
  });
  assert.deepEqual(schema("probe_required"), {
    type: "object",
    properties: { message: { type: "string", description: "What to record" } },
    required: ["message"],
  });
});

Deno.test("climax_search finds git_commit for 'commit'", async () => {
  const names = (await search({ query: "commit", limit: 50 })).map((each) => each.tool_name);
  assert.ok(names.includes("git_commit"), names.join());
});

for (
  const [what, args, count] of [
    ["limit caps results", { query: "probe", limit: 3 }, 3],
    ["ten results when nobody says", { category: "vcs" }, 10],
  ] as [string, Record<string, unknown>, number][]
) {
  Deno.test(`climax_search ${what}`, async () => {
    assert.equal((await search(args)).length, count);
  });
}

Deno.test("climax_search without filters summarizes each CLI", async () => {
  const summary = await summarize();
  assert.deepEqual(summary.map((each) => each.name), ["git", "docker", "coreutils", "probe"]);
  assert.deepEqual(summary[3], {
    name: "probe",
    description: "A program for tests",
    tool_count: 12,
    category: "testing",
    tags: ["probe", "test-double"],
  });
});

Deno.test("climax_search with only a limit is a summary of that many", async () => {
  assert.equal((await summarize({ limit: 2 })).length, 2);
});
