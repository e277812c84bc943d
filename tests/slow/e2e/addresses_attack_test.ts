/** An agent, or a server, that writes an address or a name so that a rule of the policy does not see it. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { configText, pathServer } from "../../_upstream.ts";
import { type RawServer, startRaw } from "../../e2e/_raw.ts";
import { scratch } from "../../e2e/_scratch.ts";

/** Serves `servers` under `policy`, and calls `use` with the running program. */
async function serving(
  servers: readonly ReturnType<typeof pathServer>[],
  policy: string,
  use: (server: RawServer) => Promise<void>,
): Promise<void> {
  await using dir = await scratch();
  const [mcp, rules] = [join(dir.path, "mcp.json"), join(dir.path, "policy.yaml")];
  await Deno.writeTextFile(mcp, configText(servers));
  await Deno.writeTextFile(rules, policy);
  const env = { CLIMAX_CACHE_DIR: join(dir.path, "cache") };
  await using server = startRaw(["--mcp", mcp, "--policy", rules], { cwd: dir.path, env });
  await server.initialize();
  await use(server);
}

/** The text of the resource at `uri`; the message of the error where there is none. */
async function read(server: RawServer, uri: string): Promise<string> {
  const { result, error } = await server.request("resources/read", { uri });
  return result?.contents[0].text ?? error!.message;
}

/** Spellings of the file `/secret/x`, for one server or another. */
const secrets = [
  ...["file:///secret/x", "file:///%73ecret/x", "file:///%2573ecret/x", "file:///./secret/x"],
  ...["file:///%2e/secret/x", "file:////secret/x", "file:///.%2Fsecret/x", "file:/secret/x"],
  ...["file:secret/x", "FILE:///secret/x", "file://localhost/secret/x", "file://nas/secret/x"],
  ...["file:///secret\\x", "file:\\\\\\secret\\x", " file:///secret/x", "file:///secret/x?y"],
  ...["file:///secret/x#y", "file:///docs/../secret/x", "file:///docs/%2e%2e/secret/x"],
];

const rules: [policy: string, refusal: RegExp][] = [
  [`default: enabled\ndeny: ["resource:file:///secret/*"]`, /^Resource not found/],
  [`default: enabled\ndeny: ["resource:file:///secret/x"]`, /^Resource not found/],
  [
    `default: enabled\ntools: {"resource:file:///secret/*": {confirm: true}}`,
    /requires confirmation|^Resource not found/,
  ],
  [
    `tools: {"resource:file:///*": {}, "resource:file:///secret/*": {confirm: true}}`,
    /requires confirmation|^Resource not found/,
  ],
  [`tools: {"resource:file:///docs/*": {}}`, /^Resource not found/],
];

for (const [policy, refusal] of rules) {
  Deno.test(`a rule for an address holds for all its spellings: ${policy.replace("\n", "; ")}`, async () => {
    await serving([pathServer("f")], policy, async (server) => {
      for (const uri of ["file:///docs/a", "file:///docs/my%20notes", "file:///docs/ä"]) {
        assert.match(await read(server, uri), /^read \/docs\//, uri);
      }
      for (const uri of secrets) assert.match(await read(server, uri), refusal, uri);
      // The address is sent as a URL
      assert.equal(await read(server, "FILE://localhost/docs\\b"), "read /docs/b");
    });
  });
}

Deno.test("a template and a list of several servers do not write an address past a rule", async () => {
  const policy = `default: enabled\ndeny: ["resource:file:///secret/*"]`;
  await serving([pathServer("f"), pathServer("g")], policy, async (server) => {
    assert.equal(await read(server, "g+file:///docs/a"), "read /docs/a");
    for (const uri of secrets) {
      assert.match(await read(server, `g+${uri.trim()}`), /^Resource not found/, uri);
    }
    const args = { tool_name: "resource:g+file:///{+path}", args: { path: "./secret/x" } };
    assert.match((await server.call("climax_call", args)).text, /^Unknown resource/);
    const allowed = { ...args, args: { path: "./docs/x" } };
    assert.match((await server.call("climax_call", allowed)).text, /^read \/docs\/x/);
  });
});

const collisions: [title: string, servers: ReturnType<typeof pathServer>[]][] = [
  ["in front", [pathServer("prod", "db__drop"), pathServer("prod__db", "drop", "list")]],
  ["behind", [pathServer("prod__db", "drop", "list"), pathServer("prod", "db__drop")]],
  ["of its own", [pathServer("prod__db", "drop!", "drop_", "list")]],
];

for (const [title, servers] of collisions) {
  const wanted = title === "of its own" ? "prod__db__drop_" : "prod__db__drop";
  Deno.test(`a rule for a tool's name holds for the tool that lost it to another ${title}`, async () => {
    const namesIn = async (server: RawServer) => {
      const { text } = await server.call("climax_search", { query: "drop list", limit: 20 });
      return [...new Set(text.match(/prod__db__\w+/g))].toSorted();
    };
    await serving(servers, `default: enabled\ndeny: [${wanted}]`, async (server) => {
      assert.deepEqual(await namesIn(server), ["prod__db__list"]);
      const called = await server.call("climax_call", { tool_name: "prod__db__list" });
      assert.equal(called.text, "called list");
    });
    const confirm = `default: enabled\ntools: {${wanted}: {confirm: true}}`;
    await serving(servers, confirm, async (server) => {
      const names = await namesIn(server);
      assert.equal(names.length, 3);
      for (const tool_name of names) {
        const { text } = await server.call("climax_call", { tool_name });
        assert.match(text, tool_name === "prod__db__list" ? /^called/ : /requires confirmation/);
      }
    });
  });
}
