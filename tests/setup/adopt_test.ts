/** Servers of a client that climax starts in its place, and their way back. */

import assert from "node:assert/strict";
import { planAdoption, withAdopted } from "../../src/setup/adopt.ts";
import { clients } from "../../src/setup/clients.ts";
import { otherServers, withEntry } from "../../src/setup/connect.ts";

const command = ["npx", "-y", "climax-mcp", "git", "--mcp", "/x/mcp.json"] as const;

function clientOf(name: string) {
  return clients.find((each) => each.name === name)!;
}

const stdio = { transport: "stdio", command: "npx", args: ["-y", "s"] };

const http = (url: string) => ({ transport: "http", url });

/** Files of clients, and what climax starts of them in its own form. */
const files: readonly [client: string, what: string, text: string, moved: object][] = [
  [
    "cursor",
    "two servers and a comment",
    '{\n  // mine\n  "mcpServers": {\n    "a": {"command": "npx", "args": ["-y", "s"]}, // first\n' +
    '    "b": {"url": "https://example.org/mcp", "headers": {"X": "${env:KEY}"}},\n  },\n}\n',
    { a: stdio, b: { ...http("https://example.org/mcp"), headers: { X: "${KEY}" } } },
  ],
  [
    "claude-code",
    "one line among much else",
    '{"numStartups": 5, "mcpServers": {"a": {"type": "stdio", "command": "npx", "args": ["-y", "s"], "env": {"A": "b"}}}, "z": [1]}\n',
    { a: { ...stdio, env: { A: "b" } } },
  ],
  [
    "vscode",
    "tabs and CRLF",
    '{\r\n\t"servers": {\r\n\t\t"a": {\r\n\t\t\t"command": "npx",\r\n\t\t\t"args": ["-y", "s"]\r\n\t\t}\r\n\t}\r\n}\r\n',
    { a: stdio },
  ],
  [
    "zed",
    "a command with a path",
    '{"context_servers": {"a": {"command": {"path": "npx", "args": ["-y", "s"], "env": {}}, "settings": {}}}}',
    { a: stdio },
  ],
  [
    "cline",
    "a transport below",
    '{"mcpServers": {"a": {"transport": {"type": "stdio", "command": "npx", "args": ["-y", "s"]}}}}',
    { a: stdio },
  ],
  [
    "opencode",
    "a command that is a list",
    '{\n  "mcp": {\n    "a": { "type": "local", "command": ["npx", "-y", "s"], "environment": { "A": "b" } },\n    "b": { "type": "remote", "url": "https://example.org" }\n  }\n}\n',
    { a: { ...stdio, env: { A: "b" } }, b: http("https://example.org") },
  ],
  [
    "codex",
    "tables with comments",
    'model = "x"\n\n# first\n[mcp_servers.a]\ncommand = "npx"\nargs = ["-y", "s"]\n\n[mcp_servers.a.env]\nA = "b"\n\n# second\n[mcp_servers."b c"]\nurl = "https://example.org"\nbearer_token_env_var = "KEY"\n\n[tui]\nx = 1\n',
    {
      a: { ...stdio, env: { A: "b" } },
      "b c": { ...http("https://example.org"), headers: { Authorization: "Bearer ${KEY}" } },
    },
  ],
  [
    "goose",
    "an extension that is a server",
    "GOOSE_MODEL: x\nextensions:\n  a: # mine\n    type: stdio\n    cmd: npx\n    args: [-y, s]\n    envs: { A: b }\n    enabled: true\n# end\n",
    { a: { ...stdio, env: { A: "b" } } },
  ],
  [
    "goose",
    "beside what is built in",
    "extensions:\n  developer:\n    type: builtin\n    enabled: true\n  a:\n    type: stdio\n    cmd: npx\n    args:\n      - -y\n      - s\n",
    { a: stdio },
  ],
];

for (const [name, what, text, moved] of files) {
  const at = { client: clientOf(name), file: "f", text };

  Deno.test(`planAdoption() moves servers, and back to the byte: ${name}, ${what}`, () => {
    const plan = planAdoption(at, undefined);
    assert.deepEqual(plan.adopted.mcpServers, moved);
    assert.deepEqual(plan.names, Object.keys(moved));
    const added = withEntry({ ...at, text: plan.text }, command);
    const left = plan.left.map(([server]) => server);
    assert.deepEqual(Object.keys(otherServers({ ...at, text: added })), left);
    const stored = structuredClone(plan.adopted);
    assert.equal(withAdopted({ ...at, text: added }, stored, text), text);
  });

  Deno.test(`withAdopted() puts servers back into a file that has changed: ${name}, ${what}`, () => {
    const plan = planAdoption(at, undefined);
    const added = withEntry({ ...at, text: plan.text }, command);
    // Another entry of climax is one that the backup does not lead to
    const changed = withEntry({ ...at, text: added }, ["other", "climax"]);
    for (const text of [changed, added, plan.text]) {
      const back = withAdopted({ ...at, text }, plan.adopted, undefined);
      assert.deepEqual(otherServers({ ...at, text: back }), otherServers(at));
      assert.doesNotMatch(back, /climax/);
    }
  });
}

Deno.test("planAdoption() adds to what was moved before, and overwrites nothing", () => {
  const client = clientOf("cursor");
  const a = { transport: "stdio", command: "x" } as const;
  const before = { mcpServers: { a }, written: { a: { command: "x" } } };
  const text = JSON.stringify({ mcpServers: { a: { command: "y" }, b: { command: "z" } } });
  const { adopted, left } = planAdoption({ client, file: "f", text }, before);
  assert.deepEqual(Object.keys(adopted.mcpServers), ["a", "b"]);
  assert.deepEqual(adopted.mcpServers["a"], a);
  assert.deepEqual(left, [["a", "climax has another of that name"]]);
});

Deno.test("withAdopted() keeps comments and layout where the client has changed another part", () => {
  const rest = (theme: string) => `,\n  "theme": "${theme}",\n  "x": 1\n}\n`;
  const servers =
    `{ // mine\n  "mcpServers": {\n    "a": {"command": "uvx"}, // why\n    /* old */\n  }`;
  const at = { client: clientOf("cursor"), file: "f", text: servers + rest("light") };
  const plan = planAdoption(at, undefined);
  const added = withEntry({ ...at, text: plan.text }, command);
  const now = added.replace("light", "dark");
  assert.equal(withAdopted({ ...at, text: now }, plan.adopted, at.text), servers + rest("dark"));
});
