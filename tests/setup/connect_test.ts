import assert from "node:assert/strict";
import fc from "../_properties.ts";
import { clients } from "../../src/setup/clients.ts";
import { commandOfConnected, withEntry, withoutEntry } from "../../src/setup/connect.ts";
import { ClimaxError } from "../../src/errors.ts";

const command = ["npx", "-y", "climax-mcp", "git"] as const;

function clientOf(name: string) {
  return clients.find((client) => client.name === name)!;
}

/** Files as people and clients write them, by the client they are of. */
const files: readonly [client: string, what: string, text: string][] = [
  // As the programs write them: Claude Code 2.1, Codex 0.169, Gemini CLI 0.61, opencode 1.18, Cline 3.0
  [
    "claude-code",
    "what it writes itself",
    '{\n  "firstStartTime": "2026-11-21T19:38:18.746Z",\n  "seenNotifications": {},\n  "migrationVersion": 15,\n  "mcpServers": {\n    "own": {\n      "type": "stdio",\n      "command": "true",\n      "args": [],\n      "env": {}\n    }\n  }\n}',
  ],
  [
    "claude-code",
    "what it writes on its first start",
    '{\n  "firstStartTime": "2026-11-21T19:38:18.746Z",\n  "seenNotifications": {},\n  "userID": "99f4"\n}',
  ],
  [
    "codex",
    "what it writes itself",
    '[mcp_servers.own]\ncommand = "sh"\nargs = ["-c", "sleep 1"]\n\n[projects."/a/b"]\ntrust_level = "trusted"\n',
  ],
  [
    "gemini",
    "what it writes itself",
    '{\n  "security": {\n    "auth": {\n      "selectedType": "gemini-api-key"\n    }\n  },\n  "mcpServers": {\n    "own": {\n      "command": "sh",\n      "args": [\n        "-c",\n        "sleep 1"\n      ]\n    }\n  }\n}',
  ],
  [
    "opencode",
    "what it writes on its first start",
    '{\n  "$schema": "https://opencode.ai/config.json"\n}',
  ],
  [
    "cline",
    "what it writes itself",
    '{\n  "mcpServers": {\n    "own": {\n      "transport": {\n        "type": "stdio",\n        "command": "sh",\n        "args": [\n          "-c",\n          "sleep 1"\n        ]\n      }\n    }\n  }\n}\n',
  ],
  ["cursor", "nothing", ""],
  ["cursor", "an empty object", "{}"],
  ["cursor", "an empty object and a line end", "{}\n"],
  ["cursor", "an empty object over lines", "{\n}\n"],
  ["cursor", "an empty map", '{\n  "mcpServers": {}\n}\n'],
  ["cursor", "an empty map over lines", '{\n  "mcpServers": {\n  }\n}\n'],
  ["cursor", "a map with a comment only", '{\n  "mcpServers": {\n    // none yet\n  }\n}\n'],
  ["cursor", "a comment behind the brace", '{ // mine\n  "mcpServers": { // none\n  }\n}\n'],
  ["cursor", "a server", '{\n  "mcpServers": {\n    "a": {"command": "b"}\n  }\n}\n'],
  ["cursor", "tabs", '{\n\t"mcpServers": {\n\t\t"a": {\n\t\t\t"command": "b"\n\t\t}\n\t}\n}\n'],
  ["cursor", "CRLF", '{\r\n    "mcpServers": {\r\n        "a": {"command": "b"}\r\n    }\r\n}\r\n'],
  ["cursor", "a byte order mark", '\ufeff{\n  "mcpServers": {}\n}\n'],
  ["cursor", "one line", '{"mcpServers":{"a":{"command":"b"}}}'],
  ["cursor", "one line with a last comma", '{"mcpServers": {"a": {"command": "b"},},}'],
  [
    "vscode",
    "comments and last commas",
    '// all of them\n{\n  "inputs": [], /* none */\n  "servers": {\n    "a": {"type": "stdio", "command": "b",}, // first\n    // "c": {"command": "d"},\n  },\n}\n',
  ],
  [
    "vscode",
    "a comment behind the last",
    '{\n  "servers": {\n    "a": {"url": "x"} // last\n  }\n}\n',
  ],
  ["vscode", "a brace on the last line", '{\n  "servers": {\n    "a": {"url": "x"} }}'],
  [
    "vscode",
    "odd spaces",
    '{ "servers" :\n{ "a"\n: {"url": "}{//"}\n  ,\n  "b": {} } , "x": 1 }\n\n\n',
  ],
  ["vscode", "other keys only", '{\n    "inputs": [\n        {"id": "key"}\n    ]\n}'],
  [
    "claude-code",
    "much else",
    '{\n  "numStartups": 12,\n  "big": 12345678901234567890,\n  "projects": {"/x": {"mcpServers": {"climax": {}}}}\n}\n',
  ],
  [
    "zed",
    "settings with comments",
    '// Zed settings\n//\n{\n  "theme": "One Dark",\n  "vim_mode": true, // yes\n}\n',
  ],
  [
    "opencode",
    "a schema",
    '{\n  "$schema": "https://opencode.ai/config.json",\n  "mcp": {\n    "a": {"type": "local", "command": ["b"]}\n  }\n}\n',
  ],
  ["codex", "nothing", ""],
  ["codex", "settings", 'model = "o"\n\n[mcp_servers.a]\ncommand = "b" # c\n'],
  ["codex", "no last line end", 'model = "o"'],
  ["codex", "several line ends", 'model = "o"\n\n\n'],
  ["codex", "CRLF", 'model = "o"\r\n[tui]\r\ntheme = "x"\r\n'],
  [
    "codex",
    "heads that are none",
    'a = """\n[mcp_servers.climax]\n"""\nb = [\n  ["x"],\n]\nc = \'\'\'\n[x]\'\'\'\n# [y]\n',
  ],
  ["codex", "comments at the end", '[mcp_servers.a]\ncommand = "b"\n# the end\n'],
  ["goose", "nothing", ""],
  ["goose", "settings", "GOOSE_PROVIDER: anthropic # mine\nGOOSE_MODEL: x\n"],
  ["goose", "no last line end", "GOOSE_MODEL: x"],
  [
    "goose",
    "extensions",
    "extensions:\n  developer:\n    type: builtin\n    enabled: true\n# end\n",
  ],
  [
    "goose",
    "extensions first",
    "extensions:\n    # ours\n    developer:\n        type: builtin\nGOOSE_MODEL: x\n",
  ],
  ["goose", "an empty map", "extensions: {}\nGOOSE_MODEL: x\n"],
  ["goose", "a map in braces", "extensions: {developer: {type: builtin}}\n"],
  ["goose", "no value", "extensions: # none\nGOOSE_MODEL: x\n"],
  ["goose", "CRLF", "extensions:\r\n  developer:\r\n    type: builtin\r\n"],
];

for (const [name, what, text] of files) {
  Deno.test(`withEntry() and withoutEntry() are inverse: ${name}, ${what}`, () => {
    const at = { client: clientOf(name), file: "f", text };
    const added = withEntry(at, command);
    assert.notEqual(added, text);
    const after = { ...at, text: added };
    assert.deepEqual(commandOfConnected(after), [...command]);
    assert.equal(withoutEntry(after, text), text);
    // What is between the beginning and the end of the old text is new, and nothing is gone
    let kept = 0;
    for (const character of added) if (character === text[kept]) kept++;
    assert.equal(kept, text.length);

    assert.equal(withEntry(after, command), added);
    const other = withEntry(after, ["climax", "docker"]);
    assert.deepEqual(commandOfConnected({ ...at, text: other }), ["climax", "docker"]);
    assert.equal(withEntry({ ...at, text: other }, command), added);
    assert.equal(withoutEntry(at, undefined), undefined);
  });
}

Deno.test("withoutEntry() takes out what somebody has edited, and leaves what came behind", () => {
  const json =
    '{\n  "mcpServers": {\n    "a": {},\n    "climax": { "command": "x", "env": {} },\n    "b": {}\n  }\n}\n';
  const at = { client: clientOf("cursor"), file: "f", text: json };
  assert.equal(
    withoutEntry(at, undefined),
    '{\n  "mcpServers": {\n    "a": {},\n    "b": {}\n  }\n}\n',
  );
  const first = json.replace('    "a": {},\n', "");
  assert.equal(
    withoutEntry({ ...at, text: first }, undefined),
    '{\n  "mcpServers": {\n    "b": {}\n  }\n}\n',
  );

  const toml =
    'a = 1\n\n[mcp_servers."climax"]\ncommand = "x"\n\n[mcp_servers.climax.env]\nA = "b"\n\n# next\n[mcp_servers.z]\ncommand = "y"\n';
  const codex = { client: clientOf("codex"), file: "f", text: toml };
  assert.equal(withoutEntry(codex, undefined), 'a = 1\n\n# next\n[mcp_servers.z]\ncommand = "y"\n');

  const yaml =
    "extensions:\n  a:\n    type: builtin\n  climax: # ours\n    cmd: x\n    envs: {}\n  # next\n  b:\n    type: builtin\n";
  const goose = { client: clientOf("goose"), file: "f", text: yaml };
  assert.equal(
    withoutEntry(goose, undefined),
    "extensions:\n  a:\n    type: builtin\n  # next\n  b:\n    type: builtin\n",
  );
});

/** What cannot be edited. */
const refused: readonly [client: string, what: string, text: string][] = [
  ["cursor", "no JSON", "{"],
  ["cursor", "a list", "[]"],
  ["cursor", "a map that is a text", '{"mcpServers": "x"}'],
  ["cursor", "much nesting", '{"a":' + "[".repeat(100_000) + "]".repeat(100_000) + "}"],
  ["codex", "no TOML", "a = "],
  ["codex", "servers in braces", 'mcp_servers = { a = { command = "b" } }\n'],
  ["goose", "no YAML", "a: [\n"],
  ["goose", "two documents", "a: 1\n---\nb: 2\n"],
  ["goose", "a list", "- a\n"],
  ["goose", "extensions that are a list", "extensions:\n  - a\n"],
  ["goose", "an end of the document", "a: 1\n...\n"],
];

for (const [name, what, text] of refused) {
  Deno.test(`withEntry() refuses what it would break: ${name}, ${what}`, () => {
    const at = { client: clientOf(name), file: "the-file", text };
    assert.throws(() => withEntry(at, command), (error) => {
      assert.equal(error instanceof ClimaxError, true, String(error));
      const [problem] = (error as ClimaxError).problems;
      assert.equal(problem!.file, "the-file");
      return true;
    });
  });
}

Deno.test("withEntry() and withoutEntry() are inverse for any JSON, however it is set", () => {
  const key = fc.constantFrom("mcpServers", "a", "climax", "x y", '"');
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ maxDepth: 4 }, fc.integer(), fc.string(), fc.array(tie("tree")), tie("map")),
    map: fc.dictionary(key, tie("tree"), { maxKeys: 4 }),
  }));
  const document = fc.record({ rest: fc.dictionary(key, tree), servers: fc.dictionary(key, tree) });
  const indent = fc.constantFrom(0, 1, 2, 4, "\t");
  fc.assert(
    fc.property(document, indent, fc.boolean(), ({ rest, servers }, space, windows) => {
      const { climax: _, ...others } = servers;
      const plain = JSON.stringify({ ...rest, mcpServers: others }, null, space);
      const text = windows ? plain.replaceAll("\n", "\r\n") : plain;
      const at = { client: clientOf("cursor"), file: "f", text };
      assert.equal(withoutEntry({ ...at, text: withEntry(at, command) }, text), text);
    }),
    { numRuns: 300 },
  );
});

Deno.test("connectedCommand() reads what Cline writes for a server that it added itself", () => {
  const transport = { type: "stdio", command: "climax", args: ["git"] };
  const text = JSON.stringify({ mcpServers: { climax: { transport } } });
  const at = { client: clientOf("cline"), file: "f", text };
  assert.deepEqual(commandOfConnected(at), ["climax", "git"]);
  const spoken = JSON.stringify({ mcpServers: { climax: { command: "c", transport: "stdio" } } });
  assert.deepEqual(commandOfConnected({ ...at, text: spoken }), ["c"]);
});
