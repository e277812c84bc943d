/** Files of servers together, and what a start says of their states. */

import assert from "node:assert/strict";
import { join, sep } from "node:path";
import {
  readServers,
  sandboxServer,
  toLoaded,
  withheldTools,
} from "../../../src/sources/upstream/load.ts";
import type { ServerState } from "../../../src/sources/upstream/_pool_members.ts";
import { specOf } from "../../_upstream.ts";
import { scratch } from "../../e2e/_scratch.ts";

const server = (name: string) => ({ name, transport: "stdio", command: "x" });
const endpoint = "http://127.0.0.1:1/v1";
const textOf = (names: readonly string[], more: object = {}) => {
  return JSON.stringify({ version: "1.0.0", mcpServers: names.map(server), ...more });
};

Deno.test("readServers() says where files contradict one another, and gives no server then", async () => {
  await using dir = await scratch({
    "a.json": textOf(["one", "two"], { embeddings: { endpoint, model: "m" } }),
    "same.json": textOf(["three"], { embeddings: { endpoint, model: "m" } }),
    "two.json": textOf(["two"]),
    "wrong.json": JSON.stringify({ version: "1.0.0" }),
    "client.json": JSON.stringify({ mcpServers: { a: {} } }),
    "other.json": textOf(["four"], { embeddings: { endpoint, model: "n" } }),
  });
  const read = async (...names: string[]) => {
    const files = names.map((name) => join(dir.path, name));
    const { members, problems, unreadable } = await readServers(files, false);
    const said = problems.map(({ message }) => message.replaceAll(`${dir.path}${sep}`, ""));
    return [members.map(({ spec }) => spec.name), said, unreadable];
  };
  assert.deepEqual(await read("a.json", "same.json", "a.json"), [
    ["one", "two", "three"],
    [],
    false,
  ]);
  assert.deepEqual(await read("a.json", "two.json", "other.json"), [
    [],
    [
      "Server 'two' is defined in 'a.json' already",
      "'embeddings' is another server than in 'a.json'",
    ],
    false,
  ]);
  assert.deepEqual(await read("other.json", "two.json"), [["four", "two"], [], false]);
  assert.deepEqual(await read("wrong.json"), [[], ["Missing required key 'mcpServers'"], false]);
  assert.deepEqual(await read("client.json"), [[], [], false]);
  assert.deepEqual(await read("a.json", "none.json"), [[], ["File not found"], true]);
});

Deno.test("readServers() has the lock of a file, what is wrong with it, and warnings", async () => {
  const lock = { version: 1, servers: {} };
  const text = JSON.stringify({ mcpServers: { a: { command: "x", env: { API_KEY: "abc" } } } });
  await using dir = await scratch({ "a.json": text, ".climax/lock.json": JSON.stringify(lock) });
  const file = join(dir.path, "a.json");
  const read = await readServers([file], false);
  assert.deepEqual(read.members.map((member) => member.lock), [lock]);
  assert.deepEqual([...read.locks], [[file, lock]]);
  assert.match(read.warnings[0]!.message, /looks like a credential/);
  await Deno.writeTextFile(join(dir.path, ".climax", "lock.json"), "{}");
  const { problems, unreadable } = await readServers([file], false);
  assert.match(problems[0]!.message, /^Missing required key/);
  assert.equal(unreadable, false);
});

Deno.test("readServers() holds programs in the usual sandbox, by option, and nothing else", async () => {
  await using dir = await scratch({ "a.json": textOf(["one"]) });
  const transportOf = async (sandbox: boolean) => {
    const { members } = await readServers([join(dir.path, "a.json")], sandbox);
    return members[0]!.spec.transport;
  };
  assert.equal("sandbox" in await transportOf(false), false);
  const transport = await transportOf(true) as { readonly sandbox?: object };
  assert.deepEqual(transport.sandbox, {});
  const spec = specOf({ name: "a", transport: "stdio", command: "x" });
  const own = { write: ["out"] };
  const held = { ...spec, transport: { ...spec.transport, sandbox: own } } as typeof spec;
  assert.deepEqual((sandboxServer(held).transport as { sandbox?: object }).sandbox, own);
  assert.equal(sandboxServer(spec).written, spec.transport);
  const web = { ...spec, transport: { kind: "http", url: "https://x", headers: {} } } as const;
  assert.equal(sandboxServer(web), web);
});

const definition = (name: string) => ({ name, inputSchema: { type: "object" as const } });
const listing = {
  ...{ definitions: [definition("a"), definition("b")], warnings: [], description: "" },
  prior: undefined,
};
const state = (rest: object): ServerState => {
  const spec = specOf({ name: "s", transport: "stdio", command: "x" });
  return { spec: { ...spec, file: "c.json" }, warnings: [], isMoved: false, ...rest } as never;
};

const states: readonly [what: string, state: object, warnings: readonly RegExp[]][] = [
  ["is there", { listing }, []],
  ["has not answered", {}, [/^Server 's' has not answered yet; its tools join when it does$/]],
  ["failed", { failure: "no" }, [/^no$/]],
  ["failed and is known", { failure: "no", listing }, [
    /^no\n {2}\(its tools are those it had before\)$/,
  ]],
  ["moved", { isMoved: true, failure: "no" }, [/^Server 's'.*/]],
  ["has warnings", { listing, warnings: ["it lies"] }, [/^Server 's': it lies$/]],
  [
    "has tools that nobody accepted",
    { listing, comparison: { listing, changed: ["a"], fresh: ["b"], isTrusted: true } },
    [
      /^Server 's': 1 tool changed since they were accepted, not served: a$/,
      /^Server 's': 1 tool never accepted, not served: b$/,
    ],
  ],
  [
    "has prompts that nobody accepted",
    {
      listing: { ...listing, features: { prompts: [{ name: "p" }] } },
      comparison: { listing, changed: [], fresh: [], isTrusted: false },
    },
    [/^Server 's': its prompts and resources are not served until it is accepted$/],
  ],
  [
    "has nothing else that nobody accepted",
    { listing, comparison: { listing, changed: [], fresh: [], isTrusted: false } },
    [],
  ],
];

for (const [what, rest, warnings] of states) {
  Deno.test(`toLoaded() warns of a server that ${what}`, () => {
    const read = { configs: [], problems: [], unreadable: false, warnings: [] } as never;
    const said = toLoaded(read, [state(rest)]).warnings.map(({ message }) => message);
    assert.equal(said.length, warnings.length, said.join("\n"));
    for (const [at, warning] of warnings.entries()) assert.match(said[at]!, warning);
  });
}

Deno.test("toLoaded() warns of a selection from a tool that is not there", () => {
  const read = { configs: [], problems: [], unreadable: false, warnings: [] } as never;
  const spec = { ...state({}).spec, selects: { a: {}, aa: {}, zzzz: {} } };
  const long = { ...listing, definitions: [definition("a"), definition("aaa")] };
  const said = toLoaded(read, [state({ listing: long, spec })]).warnings;
  const text = "Server 's': 'select' names a tool that it does not have";
  assert.deepEqual(said.map(({ message }) => message), [`${text}: 'aa'`, `${text}: 'zzzz'`]);
  assert.deepEqual(said.map((problem) => "hint" in problem), [true, false]);
});

Deno.test("toLoaded() warns of a file without a lock, once", () => {
  const config = { file: "c.json", servers: [], cliConfigs: [], groupingConstraints: {} };
  const read = { configs: [config], problems: [], unreadable: false, warnings: [] } as never;
  const warningsOf = (...all: object[]) => {
    return toLoaded(read, all.map(state)).warnings.map(({ message }) => message);
  };
  const lock = { version: 1, servers: {} };
  assert.deepEqual(warningsOf({ listing, lock }), []);
  assert.match(warningsOf({ listing }, { listing, lock }).join(), /^You have not reviewed[^,]*$/);
});

Deno.test("withheldTools() has the tools that are not served, as they were accepted", () => {
  const accepted = { definition: { annotations: { readOnlyHint: true } } };
  const withheld = withheldTools([
    state({
      listing,
      comparison: { listing, changed: ["a"], fresh: ["b"], isTrusted: true },
      lock: { version: 1, servers: { s: { tools: { a: accepted } } } },
    }),
    state({ comparison: { listing, changed: ["a"], fresh: [], isTrusted: true } }),
    state({ listing, comparison: { listing, changed: [], fresh: ["a"], isTrusted: true } }),
    state({ listing, comparison: { listing, changed: [], fresh: [], isTrusted: true } }),
  ]);
  assert.deepEqual(withheld.map(({ tool: { name, annotations } }) => [name, annotations]), [
    ["s__a", { readOnlyHint: true }],
    ["s__b", undefined],
    ["s__a", undefined],
  ]);
});
