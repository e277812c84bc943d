/**
 * Files of MCP clients with odd keys: what `connect --adopt`, `init` and `--mcp` keep, leave and say. A key is kept, or its
 * server stays where it is with the reason, or one line names it.
 */

import assert from "node:assert/strict";
import { clients } from "../../../src/setup/clients.ts";
import { withHome } from "../../cli/commands/_home.ts";
import { writeFiles } from "../../e2e/_scratch.ts";
import { readUpstreamConfig } from "../../../src/sources/upstream/config.ts";
import { withVariables } from "../../_io.ts";

interface Case {
  /** The client, its file, and more files of the project, or of the home folder with `~/`. */
  readonly client: string;
  readonly file: string;
  readonly text: string | object;
  readonly more?: Readonly<Record<string, object>>;
  /** What of the server `s` is written; absent: it stays with this reason. */
  readonly kept?: Readonly<Record<string, unknown>>;
  readonly reason?: RegExp;
  /** What `--adopt`, `init` and `--mcp` say about it beside that. */
  readonly line?: RegExp;
  /** What differs in the last two, which have no warnings. */
  readonly elsewhere?: Readonly<Record<string, unknown>>;
}

const stub = { command: "stub", args: ["x"] };
const url = { url: "https://example.org/mcp" };
const stdio = { transport: "stdio", ...stub };
const http = { transport: "http", ...url };

/** A project's file of `client` with one server `s`. */
function of(client: string, entry: unknown, more: Partial<Case> = {}): Case {
  const { key, project = [] } = clients.find(({ name }) => name === client)!;
  return { client, file: project[0]!, text: { [key]: { s: entry } }, ...more };
}

const toml = (lines: string): Partial<Case> => ({ text: `[mcp_servers.s]\n${lines}\n` });
const local = { type: "local", command: ["stub", "x"] };

const cases: readonly Case[] = [
  // Lists of tools
  of("gemini", { ...stub, excludeTools: ["a", "b(c)"] }, {
    kept: { ...stdio, tools: ["*", "!a", "!b"] },
  }),
  of("gemini", { ...stub, includeTools: [], excludeTools: ["a"] }, {
    kept: { ...stdio, tools: [] },
  }),
  of("gemini", { ...stub, excludeTools: ["a"], includeTools: ["a", "b"] }, {
    kept: { ...stdio, tools: ["a", "b", "!a"] },
  }),
  of("codex", {}, {
    ...toml('command = "stub"\nargs = ["x"]\nenabled_tools = ["a"]\ntool_timeout_sec = 900.0'),
    kept: { ...stdio, tools: ["a"], timeout: 900 },
  }),
  of("cursor", { ...stub, tools: { a: false, b: { enabled: false } } }, {
    kept: { ...stdio, tools: ["*", "!a", "!b"] },
  }),
  // Servers that are switched off
  of("cursor", { ...stub, isActive: false }, { reason: /it is switched off/ }),
  of("opencode", { ...local, enabled: false }, { reason: /it is switched off/ }),
  of("claude-code", stub, {
    more: { ".claude/settings.local.json": { disabledMcpjsonServers: ["s"] } },
    reason: /switched off in \S*settings.local.json: disabledMcpjsonServers/,
  }),
  of("claude-code", stub, {
    more: { "~/.claude/settings.json": { deniedMcpServers: [{ serverCommand: ["stub", "x"] }] } },
    reason: /switched off in .*: deniedMcpServers/,
  }),
  of("gemini", stub, {
    text: { mcp: { allowed: ["other"] }, mcpServers: { s: stub } },
    reason: /switched off in .*: mcp.allowed/,
  }),
  of("gemini", stub, {
    more: { "~/.gemini/mcp-server-enablement.json": { s: { enabled: false } } },
    reason: /switched off in .*enablement.json: s/,
  }),
  // What a client says elsewhere about its servers, and what it does not
  of("opencode", local, {
    text: { mcp: { s: local }, tools: { "s_*": false } },
    line: /opencode.json: tools.s_\* says more about it/,
    elsewhere: stdio,
  }),
  of("claude-code", stub, {
    more: { ".claude/settings.json": { permissions: { deny: ["mcp__s__a"] } } },
    line: /permissions.deny says more about it/,
    elsewhere: stdio,
  }),
  of("claude-code", stub, {
    more: { ".claude/settings.json": { permissions: { allow: ["mcp__s"] }, theme: "s" } },
    kept: stdio,
  }),
  // Times in their unit
  of("claude-code", { ...stub, timeout: 600_000 }, { kept: { ...stdio, timeout: 600 } }),
  of("cursor", { ...stub, timeout: 600 }, { kept: stdio, line: /does not use 'timeout'/ }),
  // Ways to log in
  of("cursor", { ...url, auth: { CLIENT_ID: "a", CLIENT_SECRET: "${env:B}", scopes: ["c"] } }, {
    kept: { ...http, auth: { clientId: "a", clientSecret: "${B}", scopes: ["c"] } },
  }),
  of("cursor", { ...url, auth: { CLIENT_ID: "a", CLIENT_SECRET: "literal" } }, {
    reason: /expected a variable/,
  }),
  of("claude-code", { ...url, headersHelper: "/bin/h" }, { reason: /cannot use 'headersHelper'/ }),
  of("gemini", { ...url, authProviderType: "google_credentials" }, {
    reason: /google_credentials/,
  }),
  // What would hold it, or start it elsewhere
  of("vscode", { ...stub, sandboxEnabled: true }, { reason: /cannot use 'sandboxEnabled'/ }),
  of("vscode", { ...stub, sandboxEnabled: false, gallery: "g" }, {
    kept: stdio,
    line: /does not use 'gallery'/,
  }),
  of("vscode", { ...stub, envFile: ".env" }, { reason: /cannot use 'envFile: .env|'envFile'/ }),
  of("vscode", { url: "unix:///tmp/s" }, { reason: /not a URL that begins with/ }),
  of("zed", { ...stub, remote: true }, { reason: /cannot use 'remote'/ }),
  // A key that no table has
  of("cursor", { ...stub, quarantine: true }, {
    line: /does not know 'quarantine'/,
    elsewhere: stdio,
  }),
  of("cursor", { ...stub, autoApprove: ["a"], description: "d" }, {
    kept: stdio,
    line: /does not use 'autoApprove'/,
  }),
  // References
  of("cursor", { ...stub, args: ["${workspaceFolder}/a", "${/}"] }, {
    reason: /does not know what '\$\{workspaceFolder\}' is/,
    elsewhere: { ...stdio, args: ["./a", "/"] },
  }),
  of("vscode", { ...stub, args: ["${input:path}"] }, {
    line: /'\$\{input:path\}' is a question of the client; climax takes \$INPUT_PATH instead/,
    elsewhere: { ...stdio, args: ["${INPUT_PATH}"] },
  }),
  of("vscode", { ...stub, args: ["${config:a.b}"] }, { reason: /what '\$\{config:a.b\}' is/ }),
  of("cursor", { command: "sh", args: ["-c", "X=1; echo a$X $$ ~/b", "~/c"] }, {
    kept: { transport: "stdio", command: "sh", args: ["-c", "X=1; echo a$$X $$ ~/b", "$~/c"] },
  }),
  of("claude-code", { ...stub, env: { P: "${PORT:-3000}", N: 1, O: null } }, {
    kept: { ...stdio, env: { P: "${PORT:-3000}", N: "1" } },
  }),
  of("codex", {}, {
    ...toml('command = "sh"\nargs = ["-c", "cd ${HOME}"]'),
    kept: { transport: "stdio", command: "sh", args: ["-c", "cd $${HOME}"] },
  }),
  of("opencode", { ...local, environment: { A: "{env:B}" } }, {
    kept: { ...stdio, env: { A: "${B}" } },
  }),
  of("opencode", { ...local, environment: { A: "{file:b}" } }, { reason: /what '\{file:b\}' is/ }),
  // Commands
  of("cursor", { command: "stub x" }, { kept: stdio }),
  of("cursor", { command: "stub x | y" }, { reason: /command line for a shell/ }),
  of("cursor", { ...stub, args: ["--port", 3] }, { kept: { ...stdio, args: ["--port", "3"] } }),
  of("cursor", { ...stub, args: "x y" }, { reason: /cannot use 'args'/ }),
  of("cursor", { link: "x" }, { reason: /expected 'command' or 'url', found neither/ }),
  of("zed", { settings: {} }, { reason: /expected 'command' or 'url', found neither/ }),
  of("cursor", 5, { reason: /it is not a server/ }),
  of("cursor", { command: "climax", args: ["git"] }, { reason: /it is climax itself/ }),
];

for (const each of cases) {
  const { client, file, text, more = {}, kept, reason, line, elsewhere = kept } = each;
  const content = typeof text === "string" ? text : JSON.stringify(text);
  const whole = withNeighbour(client, content);
  const what = `${client} ${content.trim().replaceAll(/\s+/g, " ")} ${Object.keys(more).join()}`;

  Deno.test(`a client's file means what it says: ${what}`, async () => {
    const others = Object.entries(more).map(([path, value]) => {
      return [path.startsWith("~/") ? `home${path.slice(1)}` : `project/${path}`, value];
    });
    const files = { [`project/${file}`]: whole, ...Object.fromEntries(others) };
    await withHome(files, async ({ run, read: readText, path, env }) => {
      const init = await run("init", "--dry-run", "--agent", client);
      assert.equal(init.code, 0, init.stderr);
      const written = init.stdout.match(/^\+ .*$/gm)?.map((each) => each.slice(2)).join("\n") ?? "";
      const imported: { name: string }[] = JSON.parse(written).mcpServers;
      assert.deepEqual(imported.map(({ name }) => name), elsewhere ? ["s", "ok"] : ["ok"]);
      if (elsewhere) assert.deepEqual(imported[0], { name: "s", ...elsewhere });
      assert.match(init.stdout, elsewhere ? line ?? /(?:)/ : reason!);

      using _ = withVariables(env);
      const read = await readUpstreamConfig(path("project", file));
      assert.ok(read.ok, JSON.stringify(read));
      const said = read.warnings.map(({ message }) => message).join("\n");
      assert.deepEqual(read.config.servers.length, elsewhere ? 2 : 1, said);
      assert.match(said, elsewhere ? line ?? /^$/ : reason!);

      const place = [client, "git", "--scope", "project", "--yes"];
      const adopted = await run("connect", ...place, "--adopt");
      assert.equal(adopted.code, 0, adopted.stderr);
      const moved = JSON.parse(await readText(`.climax/clients/${client}/mcp.json`)).mcpServers;
      assert.deepEqual(moved, {
        ...(kept && { s: kept }),
        ok: { transport: "stdio", command: "ok" },
      });
      const stays = adopted.stdout.match(/^note: 's' stays where it is: .*$/m)?.[0] ?? "";
      if (kept) assert.equal(stays, "");
      else assert.match(stays, reason ?? line!);
      if (line) assert.match(adopted.stdout, line);
      const removed = await run("connect", client, "--remove", "--scope", "project", "--yes");
      assert.equal(removed.code, 0, removed.stderr);
      assert.equal(await readText(file), whole);
    });
  });
}

/** Adds a good server, which a bad one beside it does not cost. */
function withNeighbour(client: string, text: string): string {
  const { key, format } = clients.find(({ name }) => name === client)!;
  if (format === "toml") return `${text}\n[mcp_servers.ok]\ncommand = "ok"\n`;
  const value = JSON.parse(text);
  const ok = client === "opencode" ? { type: "local", command: ["ok"] } : { command: "ok" };
  // Where only some servers are allowed, this one is
  value.mcp?.allowed?.push("ok");
  return `${JSON.stringify({ ...value, [key]: { ...value[key], ok } }, null, 2)}\n`;
}

/** Files for `--mcp`, in the forms of clients that `connect` does not know too, and the servers that are read. */
const forms: readonly [file: string, text: string, servers: object, said?: RegExp][] = [
  ["a/x.json", '{"version": "1.0.0", "mcpServers": {"s": {"command": "stub"}}}', { s: ["stub"] }],
  ["servers.json", '{"s": {"command": "stub"}}', { s: ["stub"] }],
  ["mcp.json", '{"servers": [{"name": "s", "command": "stub", "x": 1}]}', { s: ["stub"] }, /'x'/],
  ["config.toml", 'mcp_servers = { s = { command = "stub" } }', { s: ["stub"] }],
  ["settings.json", '{"theme": 1, "context_servers": {"s": {"command": "stub"}}}', { s: ["stub"] }],
  ["opencode.jsonc", '{"mcp": {"s": {"type": "local", "command": ["stub", "~"]}}}', {
    s: ["stub", "$~"],
  }],
  [".vscode/settings.json", '{"mcp": {"servers": {"s": {"command": "stub"}}}}', { s: ["stub"] }],
  ["goose/config.yaml", "extensions:\n  s: {type: stdio, cmd: stub}\n  d: {type: builtin}\n", {
    s: ["stub"],
  }, /'d' is left out: climax cannot use 'type: builtin'/],
  [
    "goose/config.yaml",
    "extensions: {s: {type: stdio, cmd: stub, env_keys: [K]}}\n",
    {},
    /'env_keys'/,
  ],
  [".continue/mcpServers/a.yaml", "mcpServers:\n  - name: s\n    command: stub\n", { s: ["stub"] }],
  [".kiro/settings/mcp.json", '{"mcpServers": {"s": {"command": "${workspaceFolder}/a"}}}', {
    s: ["./a"],
  }],
  [
    "mcp.json",
    '{"mcpServers": {"s": {"command": "stub"}}, "proxy": 1}',
    { s: ["stub"] },
    /'proxy'/,
  ],
  ["x.json", '{"mcpServers": {"off": {"command": "stub", "enabled": false}}}', {}, /switched off/],
  ["s.json", '{"a.b": {"mcpServers": [{"name": "s", "command": "stub"}]}}', { s: ["stub"] }],
  // A file of climax with a map has its own words
  [
    "climax.json",
    '{"mcpServers": {"s": {"command": "stub", "select": {"t": "["}}}}',
    { s: ["stub"] },
    /^Path '\[' cannot be followed/,
  ],
  [
    "climax.json",
    '{"mcpServers": {"s": {"command": "stub", "args": ["$A", "~/b"], "timeout": 5}}}',
    {
      s: ["stub", "$A", "~/b"],
    },
  ],
];

for (const [file, text, servers, said = /^$/] of forms) {
  Deno.test(`--mcp takes ${file} with ${text}`, async () => {
    const read = await readUpstreamConfig({ file, text });
    assert.ok(read.ok, JSON.stringify(read));
    const commands = read.config.servers.map(({ name, transport }) => {
      return [name, transport.kind === "stdio" ? [transport.command, ...transport.args] : []];
    });
    assert.deepEqual(Object.fromEntries(commands), servers);
    assert.match(read.warnings.map(({ message }) => message).join("\n"), said);
  });
}

for (
  const [file, text] of [["a.toml", "x = 1"], ["manifest.json", '{"dxt_version": "1"}']] as const
) {
  Deno.test(`--mcp says that ${file} has no servers`, async () => {
    const read = await readUpstreamConfig({ file, text });
    assert.match(read.ok ? "" : read.problems[0]!.message, /no MCP servers in a form/);
  });
}

Deno.test("a person's file of Claude Code is read for this folder, with what is off in it", async () => {
  await withHome({}, async ({ run, path }) => {
    const project = path("project");
    const server = { command: "stub" };
    const here = {
      mcpServers: { l: { command: "other" } },
      disabledMcpServers: ["u"],
      history: ["k"],
    };
    const state = { mcpServers: { u: server, k: server }, projects: { [project]: here } };
    await writeFiles(path("home"), { ".claude.json": state });
    const { stdout } = await run("init", "--dry-run", "--agent", "claude-code");
    assert.deepEqual(stdout.match(/(?<="name": ")\w+/g), ["k", "l"]);
    assert.match(stdout, /'u' is left out: it is switched off in .*\.disabledMcpServers/);
  });
});

Deno.test("settings that cannot be read keep servers where they are", async () => {
  const files = {
    "project/.mcp.json": { mcpServers: { s: stub } },
    "project/.claude/settings.json": "{",
  };
  await withHome(files, async ({ run }) => {
    const place = ["claude-code", "--scope", "project", "--yes"];
    const { stdout } = await run("connect", ...place, "--adopt");
    assert.match(stdout, /^note: 's' stays where it is: \S+settings.json cannot be read, and/);
  });
});

Deno.test("climax's own entry gets the variables that adopted servers refer to, and keeps its own", async () => {
  const codex = '[mcp_servers.s]\ncommand = "stub"\nenv_vars = ["A"]\n' +
    '[mcp_servers.t]\nurl = "https://example.org"\nbearer_token_env_var = "B"\n';
  const own = { command: "climax", args: ["git"], env: { KEPT: "1" } };
  const t = { command: "stub", env: { A: "${A}" } };
  const files = {
    "project/.codex/config.toml": codex,
    "project/.gemini/settings.json": { mcpServers: { climax: own, t } },
  };
  await withHome(files, async ({ run, read }) => {
    for (const client of ["codex", "gemini"]) {
      const words = [client, "npm", "--adopt", "--yes", "--scope", "project"];
      const { code, stderr } = await run("connect", ...words);
      assert.equal(code, 0, stderr);
    }
    assert.match(await read(".codex/config.toml"), /^env_vars = \[ "A", "B" \]$/m);
    const gemini = JSON.parse(await read(".gemini/settings.json"));
    assert.deepEqual(gemini.mcpServers.climax.env, { KEPT: "1", A: "${A}" });
  });
});

/** Words of `climax add`, and the server that is written or what a person reads instead. */
const typed: readonly [words: readonly string[], written: object | RegExp][] = [
  [["s", "npx", "-y", "p"], { command: "npx", args: ["-y", "p"] }],
  [["s", "--", "npx -y p"], { command: "npx", args: ["-y", "p"] }],
  [["s", "--", "ssh", "h", "~/b"], { command: "ssh", args: ["h", "$~/b"] }],
  [["s", "--env", "T=${X:-d}", "--", "a", "${env:Y}"], {
    command: "a",
    ...{ args: ["${Y}"], env: { T: "${X:-d}" } },
  }],
  [["s", "https://x.org", "--header", "K: {env:K}"], /does not know what '\{env:K\}' is/],
  [["s", "unix:///tmp/s"], /is not a URL that begins with/],
];

for (const [words, written] of typed) {
  Deno.test(`climax add ${words.join(" ")}`, async () => {
    await withHome({}, async ({ run, path }) => {
      const { code, stderr } = await run("add", "--yes", ...words);
      if (written instanceof RegExp) return assert.match(stderr, written);
      assert.equal(code, 0, stderr);
      const read = await readUpstreamConfig(path("project", "climax.json"));
      const { kind: _, ...transport } = read.ok ? read.config.servers[0]!.transport : { kind: "" };
      assert.deepEqual(transport, { args: [], env: {}, ...written });
    });
  });
}
