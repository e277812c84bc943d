/** `climax doctor` on a machine where something is wrong, made for the test. */

import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { scratch } from "../../e2e/_scratch.ts";
import { odd } from "../../_upstream.ts";
import { climax, ends } from "./_climax.ts";
import { denoDir } from "../../e2e/_server.ts";
import { linux } from "../../_requirements.ts";

interface Found {
  readonly about: string;
  readonly subject: string;
  readonly state: string;
  readonly message: string;
  readonly remedy?: string;
}

function isWrong(state: string): boolean {
  return state === "warning" || state === "problem";
}

interface Machine {
  run(args: readonly string[], env?: Record<string, string>): ReturnType<typeof climax>;
  find(
    args: readonly string[],
    env?: Record<string, string>,
  ): Promise<{ code: number; found: Found[] }>;
  path(...parts: string[]): string;
}

async function onMachine(files: Record<string, string>, use: (machine: Machine) => Promise<void>) {
  await using dir = await scratch();
  const path = (...parts: string[]) => join(dir.path, ...parts);
  for (const folder of ["home", "project", "bin"]) await Deno.mkdir(path(folder));
  for (const [name, text] of Object.entries(files)) {
    await Deno.mkdir(dirname(path(name)), { recursive: true });
    await Deno.writeTextFile(path(name), text, { mode: 0o755 });
  }
  const own = {
    HOME: path("home"),
    XDG_CONFIG_HOME: "",
    CLIMAX_CACHE_DIR: path("cache"),
    PATH: `${path("bin")}:${Deno.env.get("PATH")}`,
  };
  const run: Machine["run"] = (args, env) => {
    return climax(["doctor", ...args], { cwd: path("project"), env: { ...own, ...env } });
  };
  await use({
    path,
    run,
    async find(args, env) {
      const { code, stdout } = await run([...args, "--json"], env);
      return { code, found: JSON.parse(stdout) };
    },
  });
}

function config(program: string, flags: readonly string[]): string {
  const args = flags.map((flag, index) => `      - {name: a${index}, flag: "${flag}"}\n`).join("");
  return `name: x\ncommand: ${program}\ntools:\n  - name: x_run\n    description: Run\n    args:\n${args}`;
}

const program = `#!/bin/sh
case "$1" in
--version) echo "farm 2.1" ;;
*) printf 'Usage: farm [OPTIONS]\\n\\nOptions:\\n  --all  All\\n  --big  Big\\n  --cold  Cold\\n  --dry  Dry\\n' ;;
esac
`;

linux.test("climax doctor finds programs and their versions", async () => {
  const files = {
    "bin/farm": program,
    "project/farm.yaml": config("farm", ["--all", "--big", "--cold", "--warm"]),
    "project/none.yaml": config("no-such-program", ["--x"]),
  };
  await onMachine(files, async ({ find, path }) => {
    const { code, found } = await find(["./farm.yaml", "./none.yaml"]);
    assert.equal(code, 1);
    const programs = found.filter(({ about }) => about === "program");
    assert.deepEqual(programs.map(({ subject, state, message }) => [subject, state, message]), [
      ["farm", "ok", `${path("bin", "farm")}, farm 2.1`],
      ["no-such-program", "problem", "Not on PATH; 1 tool cannot run"],
    ]);
    const remedies = found.filter(({ state }) => isWrong(state)).map(({ remedy }) => remedy);
    assert.equal(remedies.every((remedy) => remedy !== undefined && remedy !== ""), true);
  });
});

linux.test("a program of the same name is told from the one meant, where it matters", async () => {
  const meant = (version: string) =>
    `${config("farm", [])}program: { version: '${version}', install: Get farm 3 }\n`;
  const files = {
    "bin/farm": program.replace("*)", "--odd) exit 3 ;;\n*)"),
    "project/other.yaml": meant("farm 3"),
    "project/right.yaml": meant("farm "),
    "project/none.yaml": meant("x").replace("farm", "no-such-program"),
  };
  await onMachine(files, async ({ find, path }) => {
    const other = "This farm is another program of that name: it says 'farm 2.1'";
    const env = { HOME: path("home"), PATH: `${path("bin")}:${Deno.env.get("PATH")}` };
    const rows = [["other", other], ["right", ""], ["none", "Not"]] as const;
    for (const [name, start] of rows) {
      const { found } = await find([`./${name}.yaml`]);
      const wrong = found.filter(({ about, state }) => about === "program" && isWrong(state));
      assert.equal(wrong.every(({ message }) => message.startsWith(start)), true);
      assert.deepEqual(wrong.map(({ remedy }) => remedy), start === "" ? [] : ["Get farm 3"]);
      const options = { cwd: path("project"), env };
      const file = path("project", `${name}_odd.yaml`);
      const text = files[`project/${name}.yaml`];
      await Deno.writeTextFile(file, text.replace("command: farm", "command: farm --odd"));
      const called = await climax(["call", "--config", file, "x_run"], options);
      assert.equal(called.stdout.includes(`${other}\nGet farm 3`), name === "other", called.stdout);
      assert.equal(called.stdout.includes("Get farm 3"), start !== "");
      const { stderr } = await climax(["connect", "cursor", file, "--print"], options);
      assert.equal(stderr.includes("\n  hint: Get farm 3"), start !== "", stderr);
    }
  });
});

linux.test("climax doctor has a remedy for everything that is not well", async () => {
  const files = {
    "project/bad.yaml": "tools: [",
    "project/bare.yaml": "name: x\ncommand: $NO_SUCH_VARIABLE\ntools: [{ name: t }]\n",
    "project/code.yaml":
      "name: x\ncommand: sh -c\ntools: [{ name: t, args: [{ name: a, positional: true }] }]\n",
    "project/policy.yaml": "toolz: {}\n",
    "project/servers.json": "{",
    "home/.cursor/mcp.json": "{",
    "home/.gemini/settings.json": "{}",
  };
  await onMachine(files, async ({ find }) => {
    const env = { CLIMAX_LOG_FILE: "", CLIMAX_AUDIT_FILE: "/nowhere/audit.jsonl" };
    for (
      const args of [
        ["./bad.yaml", "./bare.yaml", "./code.yaml", "./none.yaml", "gitt", "--mcp", "none.json"],
        ["./code.yaml", "--policy", "policy.yaml", "--mcp", "servers.json"],
        ["./code.yaml", "--policy", "none.yaml"],
      ]
    ) {
      const { code, found } = await find(args, env);
      assert.equal(code, 1);
      const unwell = found.filter(({ state }) => isWrong(state));
      assert.ok(unwell.length > 3);
      for (const { remedy, message, subject } of unwell) {
        assert.ok(remedy !== undefined && remedy !== "", message);
        assert.equal(message.startsWith(`${subject}: `), false, message);
      }
    }
  });
});

linux.test("climax doctor says in few lines that all is well, and every finding with --all", async () => {
  await onMachine({ "home/.cursor/mcp.json": "{}" }, async ({ run, find }) => {
    const { stdout } = await ends(run([], { PATH: "/nowhere" }), { code: 0 });
    const lines = stdout.trimEnd().split("\n");
    assert.ok(lines.length <= 5, stdout);
    assert.equal(lines[0], "✓ configs   38 of 38 fine");
    assert.equal(lines[2], "✓ clients   0 of 1 connected");
    assert.equal(lines.at(-1), "No problems found");
    const { stdout: all } = await run(["--all"], { PATH: "/nowhere" });
    assert.match(all, /^ok: config git: 71 tools$/m);
    assert.match(all, /^note: program git: Not on PATH; 71 tools cannot run$/m);
    assert.ok(all.endsWith(`\n${stdout}`), all);
    const { found } = await find([], { PATH: "/nowhere" });
    assert.equal(found.filter(({ about, subject }) => about + subject === "programgit").length, 1);
  });
});

linux.test("climax doctor starts what clients start, but not what a project's file names", async () => {
  const marker = (file: string, path: string) =>
    JSON.stringify({
      mcpServers: { climax: { command: "/bin/sh", args: ["-c", `touch ${path}/${file}`] } },
    });
  await onMachine({}, async ({ find, path }) => {
    await Deno.mkdir(path("home", ".cursor"));
    // A server gets few variables, and Deno is not to fetch everything for a home of its own
    await Deno.mkdir(path("home", ".cache"));
    await Deno.symlink(denoDir(), path("home", ".cache", "deno"));
    await Deno.mkdir(path("home", ".gemini"));
    await Deno.writeTextFile(path("home", ".gemini", "settings.json"), marker("gemini", path("")));
    await Deno.writeTextFile(path("project", ".mcp.json"), marker("from-project", path("")));
    const env = { HOME: path("home"), XDG_CONFIG_HOME: "" };
    const connected = await climax(["connect", "cursor", "git", "--yes"], {
      cwd: path("project"),
      env,
    });
    assert.equal(connected.code, 0, connected.stderr);
    const { code, found } = await find(["git"]);
    assert.equal(code, 1);
    const clients = new Map(
      found.filter(({ about }) => about === "client").map((each) => [each.subject, each]),
    );
    assert.equal(clients.get("cursor (user)")!.message, "Starts, and shows 2 tools");
    const gemini = clients.get("gemini (user)")!;
    assert.equal(gemini.state, "problem");
    assert.match(gemini.message, /^What it starts does not work: /);
    assert.equal(gemini.remedy, "climax connect gemini CONFIG writes a command that works now");
    assert.match(clients.get("claude-code (project)")!.message, /^Not started, since /);
    const made = [...Deno.readDirSync(path(""))].map(({ name }) => name);
    assert.deepEqual([made.includes("gemini"), made.includes("from-project")], [true, false]);
  });
});

linux.test("climax doctor starts nothing that the files of a project name, nor by way of climax", async () => {
  const touch = (place: string, name: string) => ["-c", `touch ${place}/${name}`];
  await onMachine({}, async ({ find, path }) => {
    const trap = `#!/bin/sh\ntouch ${path("trace")}\n`;
    await Deno.mkdir(path("project", ".climax"));
    await Deno.writeTextFile(path("project", "trap"), trap, { mode: 0o755 });
    for (const name of ["git", "fresh"]) {
      const text = config(path("project", "trap"), ["--a"]);
      await Deno.writeTextFile(path("project", ".climax", `${name}.yaml`), text);
    }
    const servers = { mcpServers: { x: { command: "/bin/sh", args: touch(path(""), "trace") } } };
    await Deno.writeTextFile(path("project", "evil.json"), JSON.stringify(servers));
    // Our own command, as another clone of the project would have it written
    const env = { HOME: path("home"), XDG_CONFIG_HOME: "" };
    const written = await climax(["connect", "cursor", "git", "--scope", "project", "--yes"], {
      cwd: path("project"),
      env,
    });
    assert.equal(written.code, 0, written.stderr);
    const file = path("project", ".cursor", "mcp.json");
    const entry = JSON.parse(await Deno.readTextFile(file));
    entry.mcpServers.climax.args.push("--mcp", "evil.json");
    await Deno.writeTextFile(file, JSON.stringify(entry));

    // The programs of bundled configs are not asked: what a project names has its path
    const { found } = await find([], { PATH: path("bin") });
    for (const name of ["git", "fresh"]) {
      const subject = `.climax/${name}.yaml`;
      const said = found.find((each) => each.subject === subject)!;
      assert.match(said.message, /^Not checked: it belongs to the project/);
      assert.equal(said.remedy, `Read it, and accept it: climax trust --project ${name}`);
    }
    const cursor = found.find(({ subject }) => subject === "cursor (project)")!;
    assert.match(cursor.message, /^Not started, since /);
    assert.equal([...Deno.readDirSync(path(""))].some(({ name }) => name === "trace"), false);
  });
});

linux.test("climax doctor asks servers, applies the policy and tries the logs", async () => {
  const { command, args } = odd("x", "plain") as unknown as { command: string; args: string[] };
  const servers = { good: { command, args }, bad: { command: "no-such-server" } };
  const files = {
    "project/.mcp.json": JSON.stringify({ mcpServers: servers }),
    "project/p.yaml": "default: enabled\ntools: {git_lgo: }\n",
  };
  await onMachine(files, async ({ find, path }) => {
    const env = {
      CLIMAX_LOG_FILE: path("no", "such", "folder", "log"),
      CLIMAX_AUDIT_FILE: path("no", "such", "folder", "a.jsonl"),
    };
    const { code, found } = await find(["git", "--mcp", ".mcp.json", "--policy", "p.yaml"], env);
    assert.equal(code, 1);
    const stateOf = (about: string, subject: string) => {
      return found.find((each) => each.about === about && each.subject === subject)?.state;
    };
    assert.equal(stateOf("server", "good"), "ok");
    assert.equal(stateOf("server", "bad"), "problem");
    for (const [name, file] of Object.entries(env)) {
      assert.equal(stateOf("file", `${name}=${file}`), "problem");
    }
    const policy = found.filter(({ about }) => about === "policy");
    assert.match(JSON.stringify(policy), /git_lgo/);
    const fine = await find(["git"], { CLIMAX_AUDIT_FILE: path("a.jsonl") });
    assert.equal(fine.code, 0, JSON.stringify(fine.found));
    // Trying a log leaves none behind
    assert.equal(await Deno.stat(path("a.jsonl")).then(() => true, () => false), false);
  });
});

linux.test("climax doctor says that nobody's home is known", async () => {
  await onMachine({}, async ({ find }) => {
    const { code, found } = await find(["git"], { HOME: "" });
    assert.equal(code, 0);
    assert.deepEqual(found.find(({ subject }) => subject === "HOME"), {
      about: "file",
      subject: "HOME",
      state: "warning",
      message: "Not set, so configs of your own and what clients have are not found",
      remedy: "Set it where climax is started",
    });
    assert.equal((await find(["git"])).found.some(({ subject }) => subject === "HOME"), false);
  });
});
