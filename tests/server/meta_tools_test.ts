/** What the two meta-tools say of themselves, in front of programs and of MCP servers. */

import assert from "node:assert/strict";
import { callContext } from "../../src/call/context.ts";
import { Catalog } from "../../src/catalog/catalog.ts";
import { ToolIndex } from "../../src/catalog/tool_index.ts";
import { discoverySurface } from "../../src/server/discovery.ts";
import type { Tool } from "../../src/tool/tool.ts";
import { catalogue, cli, tool } from "../catalog/_tools.ts";

function serverTool(name: string): Tool {
  return tool(
    { ...cli(name), description: "Echo", isServer: true },
    `${name}__echo`,
    "Says it again",
  );
}

/** All that a model reads of the two meta-tools. */
function shown(tools: readonly Tool[]) {
  const catalog = Catalog.of(new ToolIndex(tools));
  const surface = discoverySurface(callContext(catalog, { runners: new Map() }));
  const [search, call] = surface.list();
  const words = [search, call].map((each) => {
    return `${each!.description} ${JSON.stringify(each!.inputSchema)}`;
  });
  return { search: search!, call: call!, text: [...words, surface.instructions].join("\n") };
}

Deno.test("the meta-tools count and name programs and MCP servers", () => {
  const { search, call } = shown([...catalogue, serverTool("issues"), serverTool("wiki")]);
  assert.match(
    search.description,
    /^Search the \d+ tools of \d command-line programs \(.*\) and 2 MCP servers \(issues, wiki\) by keyword/,
  );
  assert.doesNotMatch(JSON.stringify([search, call]), /\bCLI\b/);
  const alone = shown([serverTool("issues")]).search.description;
  assert.match(alone, /^Search the 1 tool of 1 MCP server \(issues\) by keyword/);
});
