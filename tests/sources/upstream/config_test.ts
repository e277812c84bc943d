import assert from "node:assert/strict";
import { join } from "node:path";
import { readUpstreamConfig } from "../../../src/sources/upstream/config.ts";
import { formatProblem } from "../../../src/errors.ts";
import type { ServerState } from "../../../src/sources/upstream/_pool_members.ts";
import { readServers, toLoaded } from "../../../src/sources/upstream/load.ts";
import { scratch } from "../../e2e/_scratch.ts";

const provider = { type: "anthropic", credentialSource: "env-var" };
const server = { name: "a", transport: "stdio", command: "x" };
const whole = { version: "1.0.0", mcpServers: [server], llmProvider: provider };

/** Where no tool writes, so that all of the file is used. */
const far = "/elsewhere/test.json";

/** What reading `config` comes to: `ok`, or its problems as a person reads them. */
async function problemsOf(config: unknown, file = "test.json"): Promise<string[]> {
  const text = typeof config === "string" ? config : JSON.stringify(config, null, 2);
  const read = await readUpstreamConfig({ file, text });
  assert.equal(!read.ok && read.unreadable, false);
  return read.ok ? ["ok"] : read.problems.map(formatProblem);
}

Deno.test("readUpstreamConfig() reads comments and last commas, and fills in the defaults", async () => {
  const text = `{
  // which servers
  "version": "1.0.0", /* the only one */
  "mcpServers": [
    { "name": "a", "transport": "stdio", "command": "x", "args": ["// no comment", "b,]"] },
    { "name": "b", "transport": "http", "url": "https://example.org/mcp", "timeout": 5 },
  ],
  "llmProvider": { "type": "openai", "credentialSource": "env-var" },
  "groupingConstraints": { "minGroups": 2, },
}`;
  const read = await readUpstreamConfig({ file: far, text });
  assert.equal(read.ok, true);
  if (!read.ok) return;
  const { servers, groupingConstraints, llmProvider } = read.config;
  assert.deepEqual(servers, [
    {
      name: "a",
      file: far,
      timeoutMs: 60_000,
      transport: { kind: "stdio", command: "x", args: ["// no comment", "b,]"], env: {} },
    },
    {
      name: "b",
      file: far,
      timeoutMs: 5_000,
      transport: { kind: "http", url: "https://example.org/mcp", headers: {} },
    },
  ]);
  assert.deepEqual(groupingConstraints, {
    minToolsPerGroup: 5,
    maxToolsPerGroup: 20,
    minGroups: 2,
    maxGroups: 10,
  });
  assert.equal(llmProvider?.type, "openai");
});

Deno.test("readUpstreamConfig() has what the file says, and defaults for the rest", async () => {
  const written = {
    cliConfigs: ["git"],
    embeddings: { endpoint: "http://localhost/v1", model: "m" },
    projectContext: { domain: "web" },
  };
  const groupingConstraints = { ...{ minToolsPerGroup: 5, maxToolsPerGroup: 20 }, ...groups };
  for (const [more, constraints] of [[written, undefined], [{}, { minGroups: 3 }]] as const) {
    const text = JSON.stringify({ ...whole, ...more, groupingConstraints: constraints });
    const read = await readUpstreamConfig({ file: far, text });
    assert.ok(read.ok);
    const { file: _, servers: __, llmProvider: ___, rest: ____, ...rest } = read.config;
    const constrainsGroups = constraints !== undefined;
    const expected = { cliConfigs: [], ...more, groupingConstraints, constrainsGroups };
    assert.deepEqual(rest, expected);
  }
  const auth = { clientId: "https://x/client" };
  const rest = { url: "https://x/mcp", headers: { other: "x" }, auth };
  const web = { name: "web", transport: "http", ...rest };
  const same = { minGroups: 4, maxGroups: 4 };
  const config = { ...whole, mcpServers: [web], groupingConstraints: same };
  assert.deepEqual(await problemsOf(config), ["ok"]);
});

const groups = { minGroups: 3, maxGroups: 10 };

const broken: readonly (readonly [what: string, config: unknown, problems: readonly RegExp[]])[] = [
  ["no JSON", '{\n  "version" "1.0.0"\n}', [/^test.json:2:13: The file is not JSON: expected ':'/]],
  ["a key twice", '{ "version": "1.0.0", "version": "1.0.0" }', [
    /^test.json:1:23: .*Duplicate key/,
  ]],
  ["a list", "[]", [/^test.json:1:1: The document: expected a map, found a list$/]],
  ["nothing", "{}", [/Missing required key 'mcpServers'/]],
  [
    "another version",
    { ...whole, version: "2.0.0" },
    [/^test.json:2:3: 'version': version '2.0.0' is not supported, expected: 1.0.0$/],
  ],
  [
    "a name twice",
    { ...whole, mcpServers: [server, server] },
    [/^test.json:10:7: Server 'a' is defined twice$/],
  ],
  [
    "no command",
    { ...whole, mcpServers: [{ name: "a", transport: "stdio" }] },
    [/^test.json:4:5: Missing required key 'command', which 'transport: stdio' needs$/],
  ],
  [
    "a url that is none",
    { ...whole, mcpServers: [{ name: "a", transport: "http", url: "ftp://x" }] },
    [/'url': 'ftp:\/\/x' is not a URL that begins with http:\/\/ or https:\/\/$/],
  ],
  [
    "keys of the other transport",
    { ...whole, mcpServers: [{ ...server, url: "http://x", headers: {} }] },
    [/'url' has no meaning for 'transport: stdio'/, /'headers' has no meaning/],
  ],
  [
    "an unknown transport",
    { ...whole, mcpServers: [{ ...server, transport: "sse" }] },
    [/'transport': string 'sse' is not one of: stdio, http, websocket$/],
  ],
  [
    "a selection that is none",
    { ...whole, mcpServers: [{ ...server, select: { t: "[", u: { columns: { a: "b" } } } }] },
    [
      /^test.json:\d+:\d+: Path '\[' cannot be followed/,
      /^test.json:\d+:\d+: Path 'b' of column 'a' cannot be followed/,
    ],
  ],
  [
    "unknown keys",
    { ...whole, mcpServer: [], mcpServers: [{ ...server, comand: "y" }] },
    [
      /Unknown key 'comand'\n {2}hint: Did you mean: command/,
      /Unknown key 'mcpServer'\n.*mcpServers/,
    ],
  ],
  [
    "an unknown provider",
    { ...whole, llmProvider: { type: "mistral", credentialSource: "keychain" } },
    [
      /'type': string 'mistral' is not one of: anthropic, /,
      /'credentialSource': string 'keychain'/,
    ],
  ],
  [
    "a provider without a model of its own",
    { ...whole, llmProvider: { type: "bedrock", credentialSource: "env-var" } },
    [/Missing required key 'model', for which 'bedrock' has no default$/],
  ],
  [
    "a provider at another kind of address",
    { ...whole, llmProvider: { type: "anthropic", endpointOverride: "ftp://x/" } },
    [/'endpointOverride': 'ftp:\/\/x\/' is not a URL/],
  ],
  [
    "a key in the address of a provider",
    { ...whole, llmProvider: { type: "anthropic", endpointOverride: "https://me:key@x/" } },
    [/'llmProvider\.endpointOverride' looks like a credential, which does not belong in this file/],
  ],
  [
    "a name that ends with a blank",
    { ...whole, mcpServers: [{ ...whole.mcpServers[0], name: "issues " }] },
    [/'name': 'issues ' begins or ends with a blank/],
  ],
  [
    "embeddings without a place",
    { ...whole, embeddings: { endpoint: "localhost:11434", model: "" } },
    [
      /'endpoint': 'localhost:11434' is not a URL that begins with http:\/\/ or https:\/\/\n {2}hint/,
      /'model': expected the name of a model, found an empty text$/,
    ],
  ],
  [
    "embeddings with a key where its variable's name should be",
    {
      ...whole,
      embeddings: { endpoint: "http://me@localhost/v1", model: "m", apiKeyVariable: "my-key" },
    },
    [
      /'endpoint' has a user's name in it, which cannot be sent\n {2}hint: 'apiKeyVariable' names/,
      /'apiKeyVariable': expected the name of an environment variable$/,
    ],
  ],
  ["exceptions alone", { ...whole, mcpServers: [{ ...server, tools: ["!a"] }] }, [/without ! too/]],
  [
    "context that is not there",
    { ...whole, projectContext: { agentFilePath: "no/such.md", claudeFilePath: "package.json" } },
    [/'agentFilePath': 'no\/such.md' is not found$/, /'package.json' is not a Markdown file/],
  ],
  [
    "constraints that contradict one another",
    { ...whole, groupingConstraints: { maxToolsPerGroup: 4, minGroups: 11 } },
    [
      /^test.json:15:5: 'maxToolsPerGroup' \(4\) is less than 'minToolsPerGroup' \(5\)$/,
      /^test.json:16:5: 'maxGroups' \(10\) is less than 'minGroups' \(11\)$/,
    ],
  ],
  [
    "a login beside a header, and without its client",
    {
      ...whole,
      mcpServers: [{
        ...{ name: "web", transport: "http", url: "https://x/mcp" },
        headers: { authorization: "Bearer $TOKEN", other: "x" },
        auth: { clientSecret: "$SECRET" },
      }],
    },
    [
      /'auth' has no meaning beside the header 'Authorization'$/,
      /'clientSecret' needs a 'clientId'$/,
    ],
  ],
  [
    "constraints below 1",
    { ...whole, groupingConstraints: { minGroups: 0, minToolsPerGroup: 1.5 } },
    [/'minGroups': expected at least 1/, /'minToolsPerGroup': expected a whole number|integer|int/],
  ],
];

for (const [what, config, expected] of broken) {
  Deno.test(`readUpstreamConfig() says what is wrong with ${what}`, async () => {
    const problems = await problemsOf(config);
    assert.equal(problems.length, expected.length, problems.join("\n"));
    for (const [index, pattern] of expected.entries()) {
      assert.equal(
        problems.some((problem) => pattern.test(problem)),
        true,
        `${index}: ${pattern}\n${problems.join("\n")}`,
      );
    }
  });
}

Deno.test("readUpstreamConfig() reads context that is there, seen from the config's folder", async () => {
  await using dir = await scratch({ "AGENTS.md": "# Agents\n" });
  const config = { ...whole, projectContext: { agentFilePath: "AGENTS.md", domain: "web" } };
  assert.deepEqual(await problemsOf(config, join(dir.path, "c.json")), ["ok"]);
  await Deno.writeFile(join(dir.path, "AGENTS.md"), Uint8Array.of(0xff, 0xfe));
  const [problem] = await problemsOf(config, join(dir.path, "c.json"));
  assert.match(problem!, /'AGENTS.md' is not UTF-8 text$/);
});

// Not in one piece, so that nothing takes this file for a leak
const secret = ["sk", "ant", "A".repeat(24)].join("-");

const http = { transport: "http", command: undefined, url: "https://example.org" };

const leaking: readonly (readonly [what: string, server: object, place: string])[] = [
  ["a variable", { env: { GITHUB_TOKEN: "abc" } }, "mcpServers.0.env.GITHUB_TOKEN"],
  ["a shape", { env: { X: secret } }, "mcpServers.0.env.X"],
  ["an option", { args: ["--api-key", "abc"] }, "mcpServers.0.args.1"],
  ["an option in one word", { args: ["--api-key=abc"] }, "mcpServers.0.args.0"],
  ["a shape in an argument", { args: [`x ${secret}`] }, "mcpServers.0.args.0"],
  ["a header", { ...http, headers: { Authorization: "Bearer abc" } }, "headers.Authorization"],
  ["a header's name", { ...http, headers: { "X-Api-Key": "abc" } }, "headers.X-Api-Key"],
  ["a password in a URL", { ...http, url: "https://user:abc@example.org/" }, "mcpServers.0.url"],
];

for (const [what, more, place] of leaking) {
  Deno.test(`readUpstreamConfig() names the place of a credential, not its value: ${what}`, async () => {
    const problems = await problemsOf({ ...whole, mcpServers: [{ ...server, ...more }] });
    assert.equal(problems.length, 1, problems.join("\n"));
    assert.equal(problems[0]!.includes(`${place}' looks like a credential`), true, problems[0]);
    assert.equal(problems[0]!.includes(secret) || problems[0]!.includes("abc"), false);
  });
}

Deno.test("readUpstreamConfig() finds credentials beside servers", async () => {
  const problems = await problemsOf({ ...whole, llmProvider: { ...provider, apiKey: "abc" } });
  assert.equal(problems.some((problem) => /llmProvider.apiKey' looks like/.test(problem)), true);
});

Deno.test("readUpstreamConfig() takes references for what they are", async () => {
  const env = {
    GITHUB_TOKEN: "$GITHUB_TOKEN",
    API_KEY: "${API_KEY}",
    GOOGLE_APPLICATION_CREDENTIALS: "/etc/key.json",
    MAX_TOKENS: "500",
  };
  const stdio = { ...server, env, args: ["--token", "$TOKEN", "--key", "value"] };
  const headers = { Authorization: "Bearer $TOKEN" };
  const http = { name: "b", transport: "http", url: "$URL", headers };
  assert.deepEqual(await problemsOf({ ...whole, mcpServers: [stdio, http] }), ["ok"]);
});

const foreign: readonly [written: object, transport: object | RegExp][] = [
  [{ command: "" }, /^Server 'a' is left out: expected 'command' or 'url', found neither$/],
  [{ httpUrl: "https://x", type: "HTTP" }, { kind: "http", url: "https://x", headers: {} }],
  [{ url: "https://x", type: "ws" }, { kind: "websocket", url: "wss://x", headers: {} }],
  [{ url: "https://x", transport: "WebSocket" }, {
    ...{ kind: "websocket", url: "wss://x", headers: {} },
  }],
  [{ serverUrl: "WSS://x" }, { kind: "websocket", url: "WSS://x", headers: {} }],
  [
    {
      command: "${userHome}/x",
      args: [
        "${env:A_1}",
        "${input:my-key2}",
        "${input:2nd}",
        "${CLIMAX_UNSET:-or}",
        "${PATH:-or}",
      ],
      cwd: "${workspaceFolder}/sub",
    },
    {
      kind: "stdio",
      command: "${HOME}/x",
      args: ["${A_1}", "${INPUT_MY_KEY2}", "${INPUT_2ND}", "${CLIMAX_UNSET:-or}", "${PATH:-or}"],
      env: {},
      cwd: "dir/sub",
    },
  ],
];

for (const [written, transport] of foreign) {
  Deno.test(`readUpstreamConfig() reads another client's ${JSON.stringify(written)}`, async () => {
    const text = JSON.stringify({ mcpServers: { a: written } });
    const read = await readUpstreamConfig({ file: "dir/.mcp.json", text });
    if (transport instanceof RegExp) {
      assert.match(read.ok ? read.warnings[0]!.message : "", transport);
    } else assert.deepEqual(read.ok && read.config.servers[0]!.transport, transport);
  });
}

Deno.test("readUpstreamConfig() warns of a credential in another client's file", async () => {
  const text = '{"mcpServers": {\n"a": {"command": "x", "env": {"API_KEY": "abc"}}}}';
  const read = await readUpstreamConfig({ file: ".mcp.json", text });
  assert.equal(read.ok, true);
  if (!read.ok) return;
  const [warning] = read.warnings.map(formatProblem);
  assert.match(warning!, /^.mcp.json:2:\d+: 'mcpServers.a.env.API_KEY' looks like a credential/);
});

Deno.test("toLoaded() says where groups are to have more tools than there are", async () => {
  const limits = { minGroups: 2, minToolsPerGroup: 2 };
  const rows = [
    [limits, [3], undefined, 1],
    [limits, [4], undefined, 0],
    [undefined, [0], undefined, 0],
    [limits, [3, undefined], undefined, 0],
    // Their tools may make up the number
    [limits, [3], ["git"], 0],
  ] as const;
  for (const [groupingConstraints, counts, cliConfigs, warnings] of rows) {
    const mcpServers = counts.map((_, at) => ({ ...server, name: `s${at}` }));
    const text = JSON.stringify({ ...whole, mcpServers, groupingConstraints, cliConfigs });
    const read = await readServers([{ file: far, text }], false);
    const others = { spec: { ...read.members[0]!.spec, file: "other.json" }, lock: undefined };
    const states = [...read.members, others].map(({ spec }, at) => {
      const count = [...counts, 100][at];
      const definitions = Array.from({ length: count ?? 0 }, () => ({ name: "x" }));
      const listing = count === undefined
        ? undefined
        : { definitions, warnings: [], description: "" };
      return { spec, listing, warnings: [] } as unknown as ServerState;
    });
    const said = toLoaded(read, states).warnings.filter(({ message }) =>
      /^'minGroups'/.test(message)
    );
    assert.equal(said.length, warnings, text);
  }
});
