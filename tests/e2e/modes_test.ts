/** The two modes (user stories 3 and 4), and that every way in gives the same text (SC-004). */

import assert from "node:assert/strict";
import { climax } from "../cli/commands/_climax.ts";
import { connect } from "./_clients.ts";
import { fixture } from "./_server.ts";

const config = fixture("probe.yaml");

Deno.test("discovery lists the two tools of the contract, whatever is configured", async () => {
  await using few = await connect([config]);
  await using many = await connect(["git", "docker", "coreutils", "claude", config]);
  const tools = await few.list();
  assert.deepEqual(await many.list(), tools);

  const withoutAnnotations = tools.map(({ name, description, inputSchema }) => {
    return { name, description, inputSchema };
  });
  // 002_cd3d2aa91d79445e.txt, "MCP Registration"
  assert.deepEqual(withoutAnnotations, [
    {
      name: "climax_search",
      description:
        "Search for available CLI tools by keyword, category, or CLI name. Call with no filters to get a summary of all available CLIs.",
      inputSchema: {
        type: "object",
        properties: {
          query: {
            type: "string",
            description:
              "Search keyword (matched against tool name, description, CLI name, category, tags)",
          },
          category: {
            type: "string",
            description: "Filter by CLI category (exact match, case-insensitive)",
          },
          cli: {
            type: "string",
            description: "Filter by CLI name (exact match, case-insensitive)",
          },
          limit: {
            type: "integer",
            description: "Maximum number of results to return (default: 10)",
            default: 10,
          },
        },
      },
    },
    {
      name: "climax_call",
      description:
        "Execute a CLI tool by name. Use climax_search first to discover available tools and their argument schemas.",
      inputSchema: {
        type: "object",
        properties: {
          tool_name: {
            type: "string",
            description: "The exact name of the tool to execute (as returned by climax_search)",
          },
          args: {
            type: "object",
            description:
              "Arguments to pass to the tool (see tool's input_schema from climax_search)",
          },
        },
        required: ["tool_name"],
      },
    },
  ]);
  const [search, call] = tools.map((tool) => tool.annotations as Record<string, unknown>);
  assert.equal(search?.["readOnlyHint"], true);
  assert.notEqual(call?.["readOnlyHint"], true);
});

/** A call, with whether it comes to an error. */
const calls: [tool: string, args: Record<string, unknown>, isError: boolean][] = [
  ["probe_args", { text: "a b", count: "7", dry_run: true }, false],
  ["probe_warn", {}, false],
  ["probe_nothing", {}, false],
  ["probe_bytes", {}, false],
  ["probe_stdin", { text: "x" }, false],
  ["probe_fail", { code: 3 }, true],
  ["probe_required", {}, true],
  ["probe_args", { count: "hello", format: "xml" }, true],
  ["probe_cwd", { directory: "/no/such/directory" }, true],
];

/** On Windows, the code page of this process's console need not be that of another process. */
function inAscii(text: string): string {
  return Deno.build.os === "windows" ? text.replaceAll(/[^ -~\s]|\xa0/g, "?") : text;
}

Deno.test("climax_call, classic mode and climax call give the same text", async () => {
  await using discovery = await connect([config]);
  await using classic = await connect([config, "--classic"]);
  for (const [tool_name, args, isError] of calls) {
    const expected = await discovery.call("climax_call", { tool_name, args });
    assert.equal(expected.isError, isError, expected.text);
    assert.deepEqual(await classic.call(tool_name, args), expected);

    const argsJson = JSON.stringify(args);
    const words = ["call", tool_name, "--config", config, "--args", argsJson];
    const { code, stdout } = await climax(words);
    assert.equal(inAscii(stdout), `${inAscii(expected.text)}\n`);
    assert.equal(code, isError ? 1 : 0);
  }
});

Deno.test("every tool that classic mode lists can be called in discovery", async () => {
  await using discovery = await connect([config]);
  await using classic = await connect([config, "--classic"]);
  for (const { name } of await classic.list()) {
    const { text } = await discovery.call("climax_call", { tool_name: name });
    assert.ok(!text.startsWith("Unknown tool"), text);
  }
});

Deno.test("classic mode lists each tool with its schema and knows no meta-tool", async () => {
  await using classic = await connect(["--classic", config]);
  const tools = await classic.list();
  const required = tools.find((tool) => tool.name === "probe_required");
  assert.equal(required?.description, "Record a message");
  assert.deepEqual(required?.inputSchema, {
    type: "object",
    properties: { message: { type: "string", description: "What to record" } },
    required: ["message"],
  });
  for (const name of ["climax_search", "climax_call"]) {
    const done = await classic.call(name, { tool_name: "probe_args" });
    assert.deepEqual(done, { text: `Unknown tool: ${name}`, isError: true });
  }
});
