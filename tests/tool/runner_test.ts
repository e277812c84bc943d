/**
 * The seam for a new kind of source: a runner of three lines is searched, shown, held by a policy,
 * planned, called and audited by what does the same for command lines.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { AuditLog } from "../../src/call/audit_log.ts";
import { callContext } from "../../src/call/context.ts";
import { Catalog } from "../../src/catalog/catalog.ts";
import { ToolIndex } from "../../src/catalog/tool_index.ts";
import { loadPolicy } from "../../src/policy/load.ts";
import { classicSurface } from "../../src/server/surface.ts";
import { discoverySurface } from "../../src/server/discovery.ts";
import { type CallResult, textOf, textResult } from "../../src/tool/result.ts";
import type { Runner } from "../../src/tool/runner.ts";
import type { Tool } from "../../src/tool/tool.ts";
import { scratch } from "../e2e/_scratch.ts";
import { argOf, cliOf, toolOf } from "../_tools.ts";

const echo: Runner = {
  prepare: (tool, values) => {
    const text = `${tool.name} ${JSON.stringify(Object.fromEntries(values))}`;
    const run = () => Promise.resolve({ ...textResult(text), record: { ending: "answered" } });
    return { ok: true, preview: { record: { said: text }, line: text }, run };
  },
  permissions: () => ({ net: true }),
  check: () => Promise.resolve({ problems: [], warnings: [] }),
  close: () => Promise.resolve(),
};

const input = { type: "object", properties: { deep: { type: "array" } }, "x-own": true } as const;

const echoes: readonly Tool[] = ["say", "shout", "hidden"].map((name) =>
  toolOf(`echo_${name}`, {
    description: `Echo what is ${name}`,
    owner: cliOf("echoes"),
    args: [
      argOf("deep", { type: "json", role: { kind: "json" } }),
      argOf("count", { type: "integer", role: { kind: "json" } }),
    ],
    input,
    source: { kind: "echo" },
  })
);

const policy = `
tools:
  echo_say: {args: {count: {max: 3}}}
  echo_shout:
`;

async function withEchoes(
  use: (context: ReturnType<typeof callContext>, log: string) => Promise<void>,
) {
  await using dir = await scratch();
  const options = { environment: () => undefined, strict: true };
  const { tools, problems } = await loadPolicy({ file: "p", text: policy }, echoes, options);
  assert.deepEqual(problems, []);
  const log = join(dir.path, "audit.jsonl");
  const audit = AuditLog.open(log);
  const runners = new Map([["echo", echo]]);
  await use(callContext(Catalog.of(new ToolIndex(tools)), { runners, audit }), log);
  audit.close();
}

const call = (surface: ReturnType<typeof discoverySurface>, tool_name: string, args: unknown) => {
  return surface.call("climax_call", { tool_name, args }, { client: "test" });
};

Deno.test("a runner of a new kind is searched, and its schema shown word for word", async () => {
  await withEchoes(async (context) => {
    const surface = discoverySurface(context);
    const found = await surface.call("climax_search", { query: "echo" }, {});
    const { results } = JSON.parse(textOf(found));
    assert.deepEqual(
      results.map((each: { tool_name: string }) => each.tool_name).toSorted(),
      ["echo_say", "echo_shout"],
    );
    assert.deepEqual(results[0].input_schema, input);
    assert.equal(results[0].cli_name, "echoes");
    assert.deepEqual(classicSurface(context).list().map(({ inputSchema }) => inputSchema), [
      input,
      input,
    ]);
  });
});

Deno.test("a runner of a new kind gets values as they are, and is held by a policy", async () => {
  await withEchoes(async (context) => {
    const surface = discoverySurface(context);
    const deep = [{ a: [1, null] }];
    const unknown = "Unknown tool: echo_hidden\n\nThere is no tool like it";
    const answers: readonly [tool: string, args: unknown, result: Partial<CallResult> | string][] =
      [
        ["echo_say", { deep, count: "2" }, `echo_say {"deep":[{"a":[1,null]}],"count":2}`],
        ["echo_hidden", {}, unknown],
        [
          "echo_say",
          { count: 4 },
          "Policy validation failed:\n  - Argument 'count': value '4' is greater than maximum 3",
        ],
      ];
    for (const [tool, args, text] of answers) {
      const result = await call(surface, tool, args);
      assert.equal(textOf(result), text);
      assert.deepEqual(result, await classicSurface(context).call(tool, args, {}));
    }
  });
});
