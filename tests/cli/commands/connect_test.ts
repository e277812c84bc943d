/** `climax connect` in a home of its own, with files as clients write them. */

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { clients } from "../../../src/setup/clients.ts";
import { snippet } from "../../../src/setup/connect.ts";
import { readUpstreamConfig } from "../../../src/sources/upstream/config.ts";
import { commandOfServing } from "../../../src/cli/connect_command.ts";
import { servingCommand } from "../../../src/process/own_command.ts";
import { root } from "../../_fixtures.ts";
import { clientEntries } from "../../e2e/_client_entries.ts";
import { linux, unix } from "../../_requirements.ts";
import { denoDir } from "../../e2e/_server.ts";
import { climax, ends } from "./_climax.ts";
import { type Home, withHome as withWholeHome } from "./_home.ts";

/** Runs `climax connect` in the project. */
function withHome(files: Record<string, string>, use: (home: Home) => Promise<void>) {
  return withWholeHome(files, (home) => {
    return use({ ...home, run: (...args) => home.run("connect", ...args) });
  });
}

const isWindows = Deno.build.os === "windows";
const zedFile = isWindows
  ? "home/AppData/Roaming/Zed/settings.json"
  : "home/.config/zed/settings.json";
const gooseFile = isWindows
  ? "home/AppData/Roaming/Block/goose/config/config.yaml"
  : "home/.config/goose/config.yaml";

const cursor =
  '{\n  // mine\n  "mcpServers": {\n    "a": {"command": "b", "env": {"API_KEY": "hunter2"}}, // first\n  },\n}\n';

Deno.test("climax connect puts in and takes out, to the byte, with a backup", async () => {
  await withHome({ "home/.cursor/mcp.json": cursor }, async ({ run, path }) => {
    const file = path("home", ".cursor", "mcp.json");
    await Deno.chmod(file, 0o640);
    const put = await run("cursor", "git", "--yes");
    assert.equal(put.code, 0, put.stderr);
    assert.match(put.stdout, /^\+ {5}"climax": \{$/m);
    assert.equal(put.stdout.includes("hunter2"), false);
    assert.equal((await Deno.readTextFile(file)).includes("hunter2"), true);
    if (Deno.build.os !== "windows") assert.equal((await Deno.stat(file)).mode! & 0o777, 0o640);
    assert.equal(await Deno.readTextFile(`${file}.climax.bak`), cursor);

    await ends(run("cursor", "git", "--yes"), { stdout: `${file} is unchanged\n` });
    assert.equal((await run("cursor", "--remove", "--yes")).code, 0);
    assert.equal(await Deno.readTextFile(file), cursor);
    const gone = await run("cursor", "--remove", "--yes");
    assert.deepEqual([gone.code, gone.stdout], [1, `climax is not in ${file}\n`]);
  });
});

/** A client's file, and its text before. */
const untouched: readonly (readonly [client: string, file: string, text: string])[] = [
  [
    ...["cursor", "home/.cursor/mcp.json"] as const,
    `{ // mine\n "mcpServers": {\n  "a": {"command":"uvx","args":["a"]}, // why\n /* old */ } }`,
  ],
  [
    ...["codex", "home/.codex/config.toml"] as const,
    `# mine\n[mcp_servers.a]\ncommand = "uvx" # why\nargs = ["a"]\n\n[other]\nx = 1\n`,
  ],
  [
    ...["goose", gooseFile] as const,
    "extensions:\n  a: # why\n    cmd: uvx\n    args: [a]\n    type: stdio\n    enabled: true\n",
  ],
];

/** What a person types after the client. */
const orders: readonly (readonly string[])[] = [
  ["git", "--adopt"],
  ["--adopt git", "npm", "git --replace"],
  ["git", "--remove", "git", "--adopt"],
];

for (const [client, file, text] of untouched) {
  Deno.test(`climax connect ${client} --remove leaves nothing behind, in any order`, async () => {
    for (const order of orders) {
      await withHome({ [file]: text }, async ({ run, path }) => {
        const all = () => readdirSync(path("home"), { recursive: true });
        const before = all();
        for (const words of [...order, "--remove"]) {
          await ends(run(client, ...words.split(" "), "--yes"), { code: 0 });
        }
        assert.equal(await Deno.readTextFile(path(file)), text);
        assert.deepEqual(all(), before);
      });
    }
  });
}

linux.test("climax connect without a config proposes the work in the folder", async () => {
  const files = { "project/package.json": "{}", "project/shop.db": "" };
  await withHome(files, async ({ run }) => {
    const words = (text: string) => /"args": (\[[^\]]*\])/.exec(text.replaceAll(/^\+ /gm, ""))![1]!;
    await ends(run("cursor"), {
      code: 2,
      stderr: /@code[^]*here npm \(package.json\), sqlite3 \(shop.db\)[^]*--yes/,
    });
    const { stdout } = await run("cursor", "--yes");
    const expected = [
      "@code",
      "--background-after",
      "45",
      "--results",
      "compact",
      "--policy",
      "work",
      "--scripts",
    ];
    assert.deepEqual(JSON.parse(words(stdout)), expected);
    const asked = await run("zed", "--policy", "ask", "--yes");
    assert.deepEqual(JSON.parse(words(asked.stdout)).slice(-3), ["--policy", "ask", "--scripts"]);
  });
});

unix.test("climax connect writes where a link points, and removes a file that it made", async () => {
  await withHome({ "dotfiles/gemini.json": "{}\n" }, async ({ run, path }) => {
    await Deno.mkdir(path("home", ".gemini"));
    const link = path("home", ".gemini", "settings.json");
    await Deno.symlink(path("dotfiles", "gemini.json"), link);
    assert.equal((await run("gemini", "git", "--yes")).code, 0);
    assert.equal((await Deno.lstat(link)).isSymlink, true);
    assert.match(await Deno.readTextFile(path("dotfiles", "gemini.json")), /"climax"/);
    assert.equal((await run("gemini", "--remove", "--yes")).code, 0);
    assert.equal(await Deno.readTextFile(link), "{}\n");

    const made = await run("jetbrains", "git", "--yes");
    assert.match(made.stdout, /note: JetBrains Junie does not seem to be on this system\n/);
    // The second text is that of climax too: there is nothing to keep
    assert.doesNotMatch((await run("jetbrains", "jq", "-y")).stdout, /Kept the original in/);
    const removed = await ends(run("jetbrains", "--remove", "--yes"), { code: 0 });
    assert.doesNotMatch(removed.stdout, /Kept the original in/);
    await assert.rejects(Deno.stat(path("home", ".junie")), Deno.errors.NotFound);
  });
});

unix.test("climax connect leaves a read-only file and a link to nothing as they are", async () => {
  await withHome({ "home/.cursor/mcp.json": "{}\n" }, async ({ run, path }) => {
    const file = path("home", ".cursor", "mcp.json");
    await Deno.chmod(file, 0o444);
    const refused = await run("cursor", "git", "--yes");
    assert.equal(refused.code, 3);
    assert.match(refused.stderr, /mcp\.json: The file is read-only\n {2}hint: Make it writable/);
    assert.equal(await Deno.readTextFile(file), "{}\n");
    await Deno.mkdir(path("home", ".gemini"));
    const link = path("home", ".gemini", "settings.json");
    await Deno.symlink("../dotfiles/gemini.json", link);
    assert.equal((await run("gemini", "git", "--yes")).code, 0);
    assert.equal((await Deno.lstat(link)).isSymlink, true);
    assert.match(await Deno.readTextFile(path("home", "dotfiles", "gemini.json")), /"climax"/);
    assert.equal((await run("gemini", "--remove", "--yes")).code, 0);
    assert.equal((await Deno.lstat(link)).isSymlink, true);
    await Deno.remove(link);
    await Deno.symlink("settings.json", link);
    const nowhere = await ends(run("gemini", "git", "--yes"), { code: 3 });
    assert.doesNotMatch(nowhere.stderr, /os error|broke/);
  });
});

unix.test("climax connect writes nothing outside of a project whose files are links", async () => {
  const evil = '{"x": "$(touch ran)", "mcpServers": {}}\n';
  await withHome({ "project/.mcp.json": evil, "home/.bashrc": "mine\n" }, async (home) => {
    const { run, path } = home;
    const words = ["claude-code", "git", "--scope", "project", "--yes"];
    const file = path("project", ".mcp.json");
    // Where the backup goes is a link
    for (const target of ["../home/.zshenv", "../home/.bashrc"]) {
      const backup = path("project", ".climax", "clients", "claude-code", ".mcp.json.climax.bak");
      await Deno.mkdir(dirname(backup), { recursive: true });
      await Deno.symlink(target, backup);
      assert.equal((await run(...words)).code, 0);
      assert.equal(await Deno.readTextFile(backup), evil);
      assert.equal((await run("claude-code", "--remove", "--scope", "project", "--yes")).code, 0);
      assert.equal(await Deno.readTextFile(file), evil);
    }
    assert.equal(await Deno.readTextFile(path("home", ".bashrc")), "mine\n");
    // The file itself, or its folder, is a link
    for (const target of ["../home/new.json", "../home/none/new.json", "/dev/zero"]) {
      await Deno.remove(file);
      await Deno.symlink(target, file);
      const { code, stderr } = await run(...words);
      assert.equal(code, 3);
      assert.match(stderr, /: The file (?:is a link out of the project|cannot be read: it is no)/);
      assert.match((await run()).stdout, /^claude-code +project +cannot be read/m);
    }
    await Deno.symlink("../home", path("project", ".cursor"));
    assert.equal((await run("cursor", "git", "--scope", "project", "--yes")).code, 3);
    // So is the folder of a folder that is not there yet
    for (const target of ["../home", "../home/none"]) {
      const folder = path("project", ".junie");
      await Deno.symlink(target, folder);
      assert.equal((await run("jetbrains", "git", "--scope", "project", "--yes")).code, 3, target);
      await Deno.remove(folder);
    }
    assert.deepEqual([...Deno.readDirSync(path("home"))].map(({ name }) => name), [".bashrc"]);
  });
});

const config =
  "name: x\ncommand: echo\ntools:\n  - name: x_y\n    command: y\n    description: Y\n";

Deno.test("climax connect writes what each client starts", async () => {
  await withHome({ "project/my.yaml": config }, async (home) => {
    const { run, path } = home;
    const started = new Set<string>();
    for (const client of clients) {
      await ends(run(client.name, "git", "./my.yaml", "--yes"), { code: 0 });
    }
    const { stdout } = await run("--json");
    const places = JSON.parse(stdout) as { client: string; scope: string; command: string[] }[];
    const connected = places.filter(({ command }) => command !== null);
    assert.deepEqual(
      connected.map(({ client }) => client).toSorted(),
      clients.map(({ name }) => name).toSorted(),
    );
    for (const { client, command } of connected) {
      assert.equal(command.includes(path("project", "my.yaml")), true);
      const [, ...told] = wordsOf(clients.find(({ name }) => name === client)!);
      const end = command.length - told.length;
      assert.deepEqual(command.slice(end), told);
      started.add(JSON.stringify(command.slice(0, end)));
    }
    // Twelve files, and one command in all of them, which works from a folder that is nobody's
    assert.equal(started.size, 1);
    const command = JSON.parse([...started][0]!);
    assert.ok(command.some((word: string) => ownFiles.includes(word)), command.join(" "));
    await findsTool(home, command);
  });
});

/** What starts the sources: the launcher where npx has fetched Deno. */
const ownFiles = [join(root, "main.ts"), join(root, "climax")];

/** Starts what was written, in a folder that is nobody's, and has it find the tool of `config`. */
async function findsTool({ path, env }: Home, [command, ...args]: [string, ...string[]]) {
  const transport = new StdioClientTransport({
    command,
    args,
    // Or a home that is new would mean to download Deno and every package again
    env: {
      ...env,
      PATH: [dirname(Deno.execPath()), Deno.env.get("PATH")].join(delimiter),
      DENO_DIR: denoDir(),
    },
    cwd: path("home"),
    stderr: "pipe",
  });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  const found = await client.callTool({ name: "climax_search", arguments: { query: "x_y" } });
  await client.close();
  assert.match(JSON.stringify(found), /x_y/);
}

/** A call is answered before the client gives up. */
const after = ["--background-after", "45"];

Deno.test("climax connect --scope project writes into the folder, with what a server is given", async () => {
  await withHome({ "project/p.yaml": "default: enabled\n" }, async ({ run, path }) => {
    const given = ["--results", "compact", "--policy"];
    const flags = ["--classic", ...given];
    await ends(run("vscode", "git", "--scope", "project", ...flags, "p.yaml", "--yes"), {
      code: 0,
    });
    const { servers } = JSON.parse(await Deno.readTextFile(path("project", ".vscode", "mcp.json")));
    assert.deepEqual(
      servers.climax.args.slice(-8),
      ["git", "--classic", ...after, ...given, "./p.yaml"],
    );
    await ends(run(), { stdout: /^vscode +project +yes +\.vscode[/\\]mcp\.json$/m });
    await ends(run("codex", "git", "--max-result-tokens", "900", "--print"), {
      stdout:
        /"git", "--background-after", "45", "--results", "compact", "--max-result-tokens", "900", /,
    });
  });
});

Deno.test("copies of a project's file lie where git does not take them in, until --remove", async () => {
  const servers = { mine: { command: "node", args: ["x"], env: { TOKEN: "s3cret" } } };
  const before = JSON.stringify({ servers }, null, 2);
  await withHome({ "project/.vscode/mcp.json": before }, async ({ run, path }) => {
    for (const what of ["--adopt", "git"]) {
      const step = (...words: string[]) => run("vscode", ...words, "--scope", "project", "--yes");
      await ends(step(what), { code: 0, stdout: /Kept the original in .*clients[/\\]vscode/ });
      assert.deepEqual([...Deno.readDirSync(path("project", ".vscode"))].length, 1);
      const folder = path("project", ".climax", "clients", "vscode");
      assert.equal(await Deno.readTextFile(join(folder, ".gitignore")), "*\n");
      await ends(step("--remove"), { code: 0 });
      assert.equal(await Deno.readTextFile(path("project", ".vscode", "mcp.json")), before);
      assert.deepEqual([...Deno.readDirSync(path("project"))].map(({ name }) => name), [".vscode"]);
    }
  });
});

unix.test("climax connect makes a file of a person's for nobody else, as the clients do", async () => {
  await withHome({}, async ({ run, path }) => {
    await run("claude-code", "git", "--yes");
    assert.equal((await Deno.stat(path("home", ".claude.json"))).mode! & 0o777, 0o600);
    await run("claude-code", "git", "--scope", "project", "--yes");
    const expected = 0o666 & ~Deno.umask();
    assert.equal((await Deno.stat(path("project", ".mcp.json"))).mode! & 0o777, expected);
  });
});

const clineFiles: readonly [there: string, env: Record<string, string>, expected: string][] = [
  ["", {}, "home/.cline/data/settings/cline_mcp_settings.json"],
  [oldCline(), {}, oldCline()],
  ["", { CLINE_DATA_DIR: "d", CLINE_DIR: "c" }, "d/settings/cline_mcp_settings.json"],
  ["", { CLINE_MCP_SETTINGS_PATH: "m.json", CLINE_DATA_DIR: "d" }, "m.json"],
];

function oldCline() {
  const folder = "home/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings";
  return `${folder}/cline_mcp_settings.json`;
}

for (const [there, env, expected] of clineFiles) {
  const where = `${there || "nothing"} is there and ${
    Object.keys(env).join(" and ") || "no variable"
  }`;
  linux.test(`climax connect cline finds its file when ${where} is set`, async () => {
    await withHome(there === "" ? {} : { [there]: "{}\n" }, async ({ run, path }) => {
      const variables = Object.entries(env).map(([name, value]) => [name, path(value)]);
      await ends(run({ env: Object.fromEntries(variables) }, "cline", "git", "--yes"), { code: 0 });
      assert.match(await Deno.readTextFile(path(expected || there)), /"climax"/);
    });
  });
}

/** What a server for `client` is given: git, and what the client wants it told. */
function wordsOf(client: (typeof clients)[number]): string[] {
  return commandOfServing(client, ["git"], {}).slice(servingCommand().length);
}

/** What is refused, with the exit code and what is said. */
const refused: readonly [args: string[], code: number, said: RegExp][] = [
  [["cursor", "git"], 2, /Not a terminal, so nothing was written\n {2}hint: --yes/],
  [["curser", "git"], 2, /not 'curser'/],
  [
    ["windsurf", "git", "--scope", "project", "--yes"],
    2,
    /Windsurf has no servers of a project\n {2}hint: --scope user/,
  ],
  [["cursor", "./none.yaml", "--yes"], 3, /^error: \.\/none\.yaml: File not found\n$/],
  [
    ["cursor", "git", "--mcp", "none.json", "--policy", "none.yaml", "--audit", "no/x", "--yes"],
    3,
    /^none\.json: File not found\nnone\.yaml: File not found\nno\/x: Its folder does not exist: /,
  ],
  [
    ["zed", "git", "--yes"],
    3,
    /settings\.json: The file is not JSON that can be edited: line 2: expected a value or a key in double quotes, found '='\n {2}hint: /,
  ],
];

for (const [args, code, said] of refused) {
  Deno.test(`climax connect ${args.join(" ")} is refused`, async () => {
    const files = { [zedFile]: "{\n = 5\n}\n", "home/.cursor/mcp.json": "{}" };
    await withHome(files, async ({ run, path }) => {
      await ends(run(...args), { code, stderr: said });
      for (const [name, text] of Object.entries(files)) {
        assert.equal(await Deno.readTextFile(path(name)), text);
      }
    });
  });
}

Deno.test("the entries of docs/clients.md are what climax connect --print gives", async () => {
  const entries = await clientEntries();
  assert.deepEqual([...entries.keys()].toSorted(), clients.map(({ title }) => title).toSorted());
  for (const client of clients) {
    const text = snippet(client, ["/path/to/climax/climax", ...wordsOf(client)]);
    const { language, text: shown } = entries.get(client.title)!;
    assert.equal(language, client.format);
    assert.equal(shown.replace(/\s+/g, ""), text.replace(/\s+/g, ""), client.title);
  }
});

Deno.test("climax connect adds to what is served, and replaces it with --replace", async () => {
  const text = '{\n  "mcpServers": {\n    "a": { "command": "b" }\n  }\n}\n';
  await withHome({ "home/.cursor/mcp.json": text }, async ({ run, path }) => {
    const file = path("home", ".cursor", "mcp.json");
    const words = async () => {
      const { args } = JSON.parse(await Deno.readTextFile(file)).mcpServers.climax;
      return args.slice(args.findIndex((word: string) => word.endsWith("main.ts")) + 1);
    };
    const first = await run("cursor", "git", "--results", "compact", "--yes");
    // A comma is a change of its line, and no line of its own
    assert.match(
      first.stdout,
      /^- {5}"a": \{ "command": "b" \}\n\+ {5}"a": \{ "command": "b" \},\n/m,
    );
    assert.equal((await run("cursor", "jq", "--policy", "git-readonly", "--yes")).code, 0);
    const policy = ["--policy", "git-readonly"];
    assert.deepEqual(await words(), ["git", "jq", ...after, "--results", "compact", ...policy]);
    assert.match((await run("cursor", "git", "--yes")).stdout, / is unchanged\n$/);
    assert.equal((await run("cursor", "--results", "contract", "--yes")).code, 0);
    assert.deepEqual(await words(), ["git", "jq", ...after, ...policy, "--results", "contract"]);
    const third = await run("cursor", "docker", "--replace", "--yes");
    assert.match(third.stdout, /^-.*"jq"/m);
    const defaults = ["--results", "compact", "--policy", "ask"];
    assert.deepEqual(await words(), ["docker", ...after, ...defaults]);
    const free = await run("cursor", "--no-policy", "--yes");
    assert.match(free.stdout, /^7 of 24 tools ask a person first: those that say they write$/m);
    assert.deepEqual(await words(), ["docker", ...after, "--results", "compact"]);
    assert.match(
      (await run("cursor", "--policy", "readonly", "--yes")).stdout,
      /^0 of 17 tools ask a person first, as the policy says$/m,
    );
    const there = [...Deno.readDirSync(path("home", ".cursor"))].map(({ name }) => name).toSorted();
    assert.deepEqual(there, ["mcp.json", "mcp.json.climax.bak"]);
    assert.equal(await Deno.readTextFile(`${file}.climax.bak`), text);
    assert.equal((await run("cursor", "--remove", "--yes")).code, 0);
    assert.equal(await Deno.readTextFile(file), text);
    assert.deepEqual([...Deno.readDirSync(path("home", ".cursor"))].length, 1);
  });
});

Deno.test("climax connect --adopt starts the client's servers, and --remove gives them back", async () => {
  const files = {
    "home/.cursor/mcp.json":
      '{\n  "mcpServers": {\n    "odd": {"command": "odd-server", "env": {"API_KEY": "hunter2"}},\n' +
      '    "off": {"command": "x", "disabled": true}\n  }\n}\n',
    "home/.codex/config.toml": 'model = "x"\n\n[mcp_servers.odd]\ncommand = "odd-server"\n',
    [gooseFile]:
      "extensions:\n  odd:\n    type: stdio\n    cmd: odd-server\n    envs: {A: b}\nGOOSE_MODEL: x\n",
  };
  const places = Object.keys(files);
  await withHome(files, async ({ run, path }) => {
    const state = () => Promise.all(places.map((each) => Deno.readTextFile(path(each))));
    const before = await state();
    for (const name of ["cursor", "codex", "goose"]) {
      const moved = await ends(run(name, "git", "--adopt", "--yes"), { code: 0 });
      assert.doesNotMatch(moved.stdout, /hunter2/);
      assert.match(moved.stdout, /^Moved behind climax: odd\n/m);
      assert.match(moved.stdout, new RegExp(`^To go back: climax connect ${name} --remove\n`, "m"));
      const [, file] = /^The servers are in (\S+), with /m.exec(moved.stdout)!;
      const { mode } = await Deno.stat(file!);
      if (Deno.build.os !== "windows") assert.equal(mode! & 0o777, 0o600);
      const config = JSON.parse(await Deno.readTextFile(file!));
      assert.equal(config.mcpServers.odd.command, "odd-server");
      const read = await readUpstreamConfig(file!);
      assert.ok(read.ok && read.config.servers.length === 1 && read.warnings.length === 0);
      await ends(run(name, "--adopt", "--yes"), {
        code: 1,
        stdout: /has no server that could be moved\n$/,
      });
      // What is named beside it is added all the same
      const added = /has no server that could be moved\n[^]*Restart /;
      await ends(run(name, "npm", "--adopt", "--yes"), { code: 0, stdout: added });
      // What is served behind it changes, and the way back stays
      assert.equal((await run(name, "jq", "--yes")).code, 0);
      assert.match(
        (await run()).stdout,
        new RegExp(`^${name} +user +yes[^]*? git npm jq .*--mcp `, "m"),
      );
      await ends(run(name, "--remove", "--yes"), { code: 0, stdout: /^1 server put back: odd\n/m });
      await assert.rejects(Deno.stat(file!), Deno.errors.NotFound);
    }
    assert.deepEqual(await state(), before);
  });
});

Deno.test("climax connect --adopt says what stays, and writes nothing when all does", async () => {
  const text = '{"mcpServers": {"w": {"command": "x", "args": ["${workspaceFolder}"]}}}\n';
  await withHome({ "home/.cursor/mcp.json": text }, async ({ run, path }) => {
    const { code, stdout } = await run("cursor", "--adopt", "--yes");
    assert.equal(code, 1);
    assert.match(stdout, /^note: 'w' stays where it is: climax does not know what /);
    assert.equal(await Deno.readTextFile(path("home", ".cursor", "mcp.json")), text);
  });
});

Deno.test("climax connect --agents serves the project, beside what is served already", async () => {
  const project = {
    version: "1.0.0",
    mcpServers: [{ name: "a", transport: "stdio", command: "x" }],
  };
  const files = {
    "home/.cursor/mcp.json": "{}\n",
    "project/tamamo-x.config.json": JSON.stringify({
      ...project,
      llmProvider: { type: "anthropic" },
    }),
  };
  await withHome(files, async ({ run, path }) => {
    const file = path("home", ".cursor", "mcp.json");
    assert.equal((await run("cursor", "git", "--yes")).code, 0);
    assert.equal((await run("cursor", "--agents", "--yes")).code, 0);
    const { mcpServers } = JSON.parse(await Deno.readTextFile(file));
    const defaults = ["--results", "compact", "--policy", "ask"];
    const words = ["mcp", path("project", "tamamo-x.config.json"), ...defaults];
    assert.deepEqual(mcpServers["climax-agents"].args.slice(-6), words);
    assert.deepEqual(mcpServers.climax.args.slice(-7), ["git", ...after, ...defaults]);
    assert.equal((await run("cursor", "--agents", "--remove", "--yes")).code, 0);
    assert.deepEqual(Object.keys(JSON.parse(await Deno.readTextFile(file)).mcpServers), ["climax"]);
    await ends(run("cursor", "git", "--agents", "--yes"), { stderr: /--agents takes no configs/ });
  });
});

for (const flag of ["--remove", "--adopt", "--yes"]) {
  Deno.test(`climax connect ${flag} needs a client`, async () => {
    await ends(climax(["connect", flag]), {
      code: 2,
      stdout: "",
      stderr: flag === "--remove"
        ? /--remove needs a client\n {2}hint: (?:climax connect \S+ --remove|No client starts climax)/
        : new RegExp(`${flag} needs a client\n {2}hint: climax connect CLIENT ${flag}\n`),
    });
  });
}

Deno.test("climax connect refuses to load the file that it writes to", async () => {
  const server = '{"mcpServers": {"a": {"command": "b"}}}\n';
  const files = { "project/.mcp.json": server, "project/other.json": server };
  await withHome(files, async ({ run, path }) => {
    const file = path("project", ".mcp.json");
    const project = ["claude-code", "git", "--scope", "project", "--yes"];
    const hint =
      "climax connect claude-code --scope project --adopt moves its servers behind climax";
    const refused = {
      code: 2,
      stderr: /climax would start itself: '.*\.json' is the file of Claude Code/,
    };
    for (const spelling of [".mcp.json", "./x/../.mcp.json", file]) {
      const { stderr } = await ends(run(...project, "--mcp", spelling), refused);
      assert.ok(stderr.includes(hint), stderr);
    }
    if (!isWindows) {
      await Deno.symlink(".mcp.json", path("project", "link.json"));
      await ends(run(...project, "--mcp", "link.json"), refused);
    }
    await ends(run(...project, "--mcp", ".mcp.json", "--print"), refused);
    assert.equal(await Deno.readTextFile(file), server);
    // Another file, and one that an earlier version has written
    await ends(run(...project, "--mcp", "other.json"), { code: 0 });
    const looping = (await Deno.readTextFile(file)).replace(/other\.json/, ".mcp.json");
    await Deno.writeTextFile(file, looping);
    await ends(run("claude-code", "npm", "--scope", "project", "--yes"), refused);
  });
});
