import assert from "node:assert/strict";
import { classicSurface } from "../../src/server/surface.ts";
import { discoverySurface } from "../../src/server/discovery.ts";
import { textOf } from "../../src/tool/result.ts";
import { sessionOf, shellTool } from "../_session.ts";
import { unix } from "../_requirements.ts";

const config = {
  name: "git-tools",
  tools: [
    {
      name: "git_commit",
      description: "Record changes to the repository",
      command: "echo",
      args: [
        { name: "message", description: "Commit message", required: true, flag: "-m" },
        { name: "count", type: "integer", enum: [1, 2], default: 1 },
      ],
    },
    { name: "plain", command: "echo" },
    { name: "shell", ...shellTool },
  ],
};

Deno.test("classicSurface() shows every tool by name with its schema, and no meta-tool", async () => {
  const listed = classicSurface(await sessionOf(config)).list();
  assert.deepEqual(listed.map((tool) => tool.name), ["git_commit", "plain", "shell"]);
  const { name, description, inputSchema } = listed[0]!;
  assert.deepEqual({ name, description, inputSchema }, {
    name: "git_commit",
    description: "Record changes to the repository",
    inputSchema: {
      type: "object",
      properties: {
        message: { type: "string", description: "Commit message" },
        count: { type: "integer", enum: [1, 2], default: 1 },
      },
      required: ["message"],
    },
  });
  assert.deepEqual(listed[1]!.inputSchema, { type: "object", properties: {} });
});

Deno.test("both surfaces leave long results to a client where no bound of theirs holds", async () => {
  const session = await sessionOf(config);
  const metas = (maxResultTokens: number) => {
    const context = { ...session, maxResultTokens };
    return [classicSurface(context), discoverySurface(context)].map((surface) => {
      return surface.list().map(({ _meta }) => _meta)[0];
    });
  };
  const size = { "anthropic/maxResultSizeChars": 500_000 };
  const always = { "anthropic/alwaysLoad": true };
  assert.deepEqual(metas(20_000), [size, { ...always, ...size }]);
  assert.deepEqual(metas(0), [undefined, always]);
});

const calls: readonly [tool: string, args: unknown][] = [
  ["git_commit", { message: "two words", count: "2" }],
  ["git_commit", { message: 3 }],
  ["git_commit", {}],
  ["git_commit", { message: "x", count: "junk" }],
  ["git_commit", { message: "x", count: 3 }],
  ["git_commit", ["x"]],
  ["git_comit", {}],
  ["plain", undefined],
  ["plain", null],
  ["shell", { script: "echo out; echo err >&2; exit 9" }],
];

for (const [tool, args] of calls) {
  unix.test(`classicSurface() calls ${tool} with ${JSON.stringify(args)} as discovery does`, async () => {
    const session = await sessionOf(config);
    const classic = await classicSurface(session).call(tool, args, {});
    const request = { tool_name: tool, args };
    const discovery = await discoverySurface(session).call("climax_call", request, {});
    assert.deepEqual(classic, discovery);
    assert.notEqual(textOf(classic), "");
  });
}
