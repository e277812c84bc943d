import assert from "node:assert/strict";
import { providerFrom } from "../../../src/setup/init_plan.ts";
import { join } from "node:path";
import { root } from "../../_fixtures.ts";
import { type Files, writeFiles } from "../../e2e/_scratch.ts";
import { odd } from "../../_upstream.ts";
import { climax, ends } from "./_climax.ts";
import { type Home, withHome } from "./_home.ts";
import { linux } from "../../_requirements.ts";

const provider = ["--provider", "anthropic"];

/** Runs `climax init` in the project. */
function withFolders(
  files: Files,
  use: (run: Home["run"], read: Home["read"], dir: string) => Promise<void>,
): Promise<void> {
  return withHome(files, ({ run, read, path }) => {
    return use((...args) => run("init", ...args), read, path("project"));
  });
}

const stdio = (name: string) => ({ command: name, args: ["x"] });

const everywhere = {
  "project/.mcp.json": { mcpServers: { code: stdio("a") } },
  "project/.cursor/mcp.json": { mcpServers: { cursor: stdio("b") } },
  "project/.vscode/mcp.json":
    '{ // servers\n "servers": {"vscode": {"type": "stdio", "command": "c"}}}',
  "project/.codex/config.toml": '[mcp_servers.codex]\ncommand = "d"\nargs = ["e"]\n',
  "project/.gemini/settings.json": { mcpServers: { gemini: { httpUrl: "https://example.org/g" } } },
  "home/.config/Claude/claude_desktop_config.json": { mcpServers: { desktop: stdio("h") } },
  "home/.config/Code/User/mcp.json": { servers: { user: stdio("i") } },
  "home/.codeium/windsurf/mcp_config.json": {
    mcpServers: { windsurf: { serverUrl: "https://example.org/w" } },
  },
  "home/.codex/config.toml":
    '[mcp_servers.far]\nurl = "https://example.org/f"\nbearer_token_env_var = "FAR_KEY"\n' +
    '[mcp_servers.off]\ncommand = "no"\nenabled = false\n',
  "home/.gemini/settings.json": { mcpServers: { sse: { url: "https://example.org/s" } } },
};

function serversIn(output: string): string[] {
  return [...output.matchAll(/^\+ {7}"name": "(.*)"/gm)].map(([, name]) => name!);
}

linux.test("climax init finds the servers of every client", async () => {
  await withFolders(everywhere, async (run, _read, dir) => {
    const projects = { [dir]: { mcpServers: { own: stdio("g") } } };
    const claude = { mcpServers: { claude: stdio("f") }, projects };
    await writeFiles(join(dir, "..", "home"), { ".claude.json": claude });
    const { stdout } = await ends(run("--dry-run", ...provider), { code: 0 });
    const names = ["code", "cursor", "vscode", "codex", "gemini", "claude", "own", "desktop"];
    assert.deepEqual(serversIn(stdout), [...names, "user", "windsurf", "far", "sse"]);
    assert.match(stdout, /"Authorization": "Bearer \$\{FAR_KEY\}"/);
    const there = await Array.fromAsync(Deno.readDir(dir), ({ name }) => name);
    assert.equal(there.includes("climax.json"), false);

    const some = await run("--dry-run", ...provider, "--agent", "codex", "--agent", "vscode");
    assert.deepEqual(serversIn(some.stdout), ["vscode", "codex", "user", "far"]);
  });
});

Deno.test("climax init takes each server once, and says so", async () => {
  const files = {
    "project/.mcp.json": { mcpServers: { a: { command: "npx", args: ["-y", "x@latest"] } } },
    "project/.cursor/mcp.json": {
      mcpServers: {
        b: { command: "npx", args: ["x"] },
        a: stdio("other"),
        me: { command: "npx", args: ["-y", "climax-mcp@latest", "git"] },
        script: { command: "/opt/climax-1.2.0.mjs", args: ["git"] },
        here: { command: "deno", args: ["run", "-P", join(root, "main.ts"), "git"] },
        clone: {
          command: "npx",
          args: ["deno", "run", "--unstable-lazy-dynamic-imports", "/other/main.ts", "git"],
        },
        broken: { args: 5 },
      },
    },
    "project/.gemini/settings.json": "{",
  };
  await withFolders(files, async (run) => {
    const { stdout } = await run("--dry-run", ...provider);
    assert.deepEqual(serversIn(stdout), ["a", "a-2"]);
    assert.match(stdout, /note: .*server 'b' is there already as 'a'\n/);
    assert.match(stdout, /note: .*server 'a' becomes 'a-2': its name is taken\n/);
    for (const name of ["me", "script", "here", "clone"]) {
      assert.match(
        stdout,
        new RegExp(`note: .*server '${name}' is left out: it is climax itself\n`),
      );
    }
    assert.match(stdout, /note: .*server 'broken' is left out: climax cannot use 'args'/);
    assert.match(
      stdout,
      /note: .*settings.json:1:2: The file cannot be read: expected '}', found the end/,
    );
  });
});

Deno.test("climax init moves credentials into variables, and prints none", async () => {
  const key = ["sk", "ant", "A".repeat(24)].join("-");
  const servers = {
    a: { command: "a", env: { API_KEY: "hunter2", PLAIN: "yes" }, args: ["--token", "hunter3"] },
    b: { command: "b", env: { API_KEY: "hunter4" }, args: [`--key-file=${key}`] },
    c: { command: "c", env: { API_KEY: "hunter2", TOKEN: "${KEPT}" } },
    d: {
      url: "https://example.org/mcp?api_key=hunter5",
      headers: { Authorization: "Bearer hunter6" },
    },
  };
  await withFolders({ "project/.mcp.json": { mcpServers: servers } }, async (run) => {
    const { stdout, stderr } = await run("--dry-run", ...provider);
    assert.equal(/hunter|sk-ant/.test(stdout + stderr), false);
    for (
      const line of [
        '"API_KEY": "${API_KEY}"',
        '"PLAIN": "yes"',
        '"${TOKEN}"|"${A_TOKEN}"',
        '"API_KEY": "${B_API_KEY}"',
        '"--key-file=${B_TOKEN}"',
        '"TOKEN": "${KEPT}"',
        '"https://example.org/mcp?api_key=${D_TOKEN}"',
        '"Authorization": "Bearer ${D_TOKEN_2}"',
      ]
    ) {
      const parts = line.split("|");
      assert.equal(parts.some((part) => stdout.includes(part)), true, `${line}\n${stdout}`);
    }
    assert.match(stdout, /Set 6 variables where climax starts/);
  });
});

Deno.test("climax init writes what climax reads, with what servers were given before", async () => {
  const { command, args } = odd("x", "plain") as unknown as { command: string; args: string[] };
  const files = {
    "project/.mcp.json": { mcpServers: { odd: { command, args, env: { OWN_TOKEN: "hunter2" } } } },
    "project/AGENTS.md": "# Agents\n",
    "project/CLAUDE.md": "# Claude\n",
  };
  await withFolders(files, async (run, read) => {
    const ran = await run("--yes", "--provider", "openrouter", "--model", "some/model");
    assert.equal(ran.code, 0, ran.stderr + ran.stdout);
    assert.match(
      ran.stdout,
      /1 server to start or reach, as follows:\n {2}odd: \S*deno(?:\.exe)?"? run/,
    );
    assert.match(ran.stdout, /server 'odd': 13 tools\nWrote climax.json\n/);
    // The command line is said before anything runs
    assert.equal(ran.stdout.indexOf("odd: ") < ran.stdout.indexOf("13 tools"), true);
    const config = JSON.parse(await read("climax.json"));
    assert.deepEqual(config.mcpServers[0].env, { OWN_TOKEN: "${OWN_TOKEN}" });
    assert.deepEqual(config.llmProvider, {
      type: "openrouter",
      model: "some/model",
      credentialSource: "env-var",
    });
    assert.deepEqual(config.projectContext, {
      agentFilePath: "AGENTS.md",
      claudeFilePath: "CLAUDE.md",
    });
    const lock = JSON.parse(await read(".climax/lock.json"));
    assert.equal(Object.keys(lock.servers.odd.tools).length, 13);
  });
});

Deno.test("climax init keeps what a file has that it does not know, and a backup", async () => {
  const before = {
    version: "1.0.0",
    mcpServers: [{ name: "mine", transport: "stdio", command: "no-such-program" }],
    llmProvider: { type: "gemini", model: "m", credentialSource: "prompt" },
    groupingConstraints: { minGroups: 1 },
    cliConfigs: ["git"],
  };
  const files = {
    "project/tamamo-x.config.json": before,
    "project/.mcp.json": { mcpServers: { other: stdio("no-such-program") } },
  };
  await withFolders(files, async (run, read) => {
    const ran = await run("--yes");
    assert.equal(ran.code, 0, ran.stderr);
    assert.match(
      ran.stdout,
      /warning: Server 'mine' cannot be connected, and .*: .*no-such-program/,
    );
    assert.match(ran.stdout, /Kept the original in tamamo-x.config.json.bak\n/);
    const after = JSON.parse(await read("tamamo-x.config.json"));
    assert.deepEqual(after, {
      ...before,
      mcpServers: [
        ...before.mcpServers,
        { name: "other", transport: "stdio", command: "no-such-program", args: ["x"] },
      ],
    });
    assert.deepEqual(JSON.parse(await read("tamamo-x.config.json.bak")), before);

    await ends(run("--yes"), { stdout: /tamamo-x.config.json is unchanged\n/ });
    await ends(run("--yes", "--provider", "openai"), { stdout: /tamamo-x.config.json.bak2\n/ });
    const { llmProvider } = JSON.parse(await read("tamamo-x.config.json"));
    assert.deepEqual(llmProvider, { type: "openai", credentialSource: "env-var" });
  });
});

const wrong: readonly (readonly [args: string[], files: Files, text: RegExp, code: number])[] = [
  [[], {}, /Not a terminal, so nothing was written\n {2}hint: --dry-run shows/, 2],
  [["--yes", "--provider", "bedrock"], {}, /--model is needed: 'bedrock' has no default/, 2],
  [["--yes", "--provider", "mistral"], {}, /--provider takes one of anthropic, openai/, 2],
  [["--yes", "--agent", "emacs"], {}, /--agent takes one of claude-code/, 2],
  [["--yes"], { "project/tamamo-x.config.json": "{" }, /The file is not JSON: /, 3],
];

for (const [args, files, text, code] of wrong) {
  Deno.test(`climax init says what is wrong: ${args.join(" ")} ${Object.keys(files)}`, async () => {
    await withFolders(files, async (run) => {
      await ends(run(...args), { code, stderr: text });
    });
  });
}

Deno.test("climax init gives a project without servers a file to fill in, which add does", async () => {
  await withFolders({}, async (run, read, dir) => {
    const dry = await run("--dry-run");
    assert.match(dry.stdout, /^No MCP server was found [^]*^\+ {3}"mcpServers": \[\]$/m);
    const { code, stdout } = await run("--yes");
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^No MCP server was found in the files of your clients\nWrote climax.json\n/,
    );
    assert.match(stdout, /^Next: climax add NAME -- COMMAND/m);
    assert.match(await read("climax.json"), /^ {2}\/\/ climax add NAME/m);
    const add = (...words: string[]) => climax(["add", ...words, "--yes"], { cwd: dir });
    const added = await climax(["add", "--yes", "files", "--", "npx", "-y", "x"], { cwd: dir });
    assert.equal(added.code, 0, added.stderr);
    assert.match(await read("climax.json"), /^ {2}\/\/ climax add NAME/m);
    await ends(run("--yes"), { stdout: /^1 server to start or reach/m });
    assert.equal((await add("https://example.org/mcp")).code, 0);
  });
});

Deno.test("climax init and add use tamamo-x.config.json where it is, and say so beside climax.json", async () => {
  const project = {
    version: "1.0.0",
    mcpServers: [{ name: "mine", transport: "stdio", command: "no-such-program" }],
    llmProvider: { type: "anthropic" },
  };
  const files = { "project/tamamo-x.config.json": project };
  await withFolders(files, async (_run, read, dir) => {
    const add = (name: string) => climax(["add", "--yes", name, "--", "x"], { cwd: dir });
    assert.match((await add("one")).stdout, /Wrote \S*tamamo-x.config.json\n/);
    assert.equal(JSON.parse(await read("tamamo-x.config.json")).mcpServers.length, 2);
    await Deno.writeTextFile(join(dir, "climax.json"), "{}");
    const both = await add("two");
    assert.match(both.stderr, /tamamo-x.config.json is read, and climax.json beside it is not/);
    assert.match(both.stdout, /Wrote \S*tamamo-x.config.json\n/);
  });
});

Deno.test("providerFrom() names none that is not asked for", () => {
  assert.equal(providerFrom({}, undefined), undefined);
  const chosen = providerFrom({ provider: "anthropic" }, undefined);
  assert.deepEqual(chosen, { type: "anthropic", credentialSource: "env-var" });
});
