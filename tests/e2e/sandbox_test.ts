/** Sandboxes from the command line: where they cannot be made nothing runs, and what shows that they are there. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { loadConfigs } from "../../src/sources/command/load.ts";
import { climax, climaxProcess, ends } from "../cli/commands/_climax.ts";
import { linux, programs, testsUnless, unix } from "../_requirements.ts";
import { exists, scratch, writeFiles } from "./_scratch.ts";
import { place, sandboxed } from "../_sandbox.ts";

const config = `name: shell
command: /bin/sh
tools:
  - name: shell_run
    argv: ["-c", "{script}"]
    args: [{ name: script, required: true, text: any }]
`;

const policy = "executor: { type: sandbox }\ndefault: enabled\n";

/** A home with a key, and a project in it, in which `run` runs climax. */
async function project() {
  const dir = await place();
  const home = dir.path;
  const cwd = join(home, "project");
  const files = { ".ssh/id": "KEY", "project/shell.yaml": config, "project/policy.yaml": policy };
  await writeFiles(home, files);
  const run = (...args: string[]) => climax(args, { cwd, env: { HOME: home } });
  return { home, cwd, run, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

const commands: readonly (readonly string[])[] = [
  ["run", "./shell.yaml"],
  ["call", "shell_run", "script=touch ran", "--config", "./shell.yaml"],
  ["call", "shell_run", "script=touch ran", "--config", "./shell.yaml", "--dry-run"],
  ["validate", "./shell.yaml"],
  ["doctor", "./shell.yaml"],
];

/** Programs in the place of bubblewrap, and what is said of them. */
const standIns: readonly (readonly [what: string, program: string | undefined, said: RegExp])[] = [
  ["is missing", undefined, /bubblewrap \(bwrap\) is not on PATH[\s\S]*apt-get install bubblewrap/],
  ["is too old", "echo bubblewrap 0.4.1", /bubblewrap 0\.4\.1 is older than 0\.8\.0/],
  [
    "may not make namespaces",
    'case "$1" in --version) echo bubblewrap 0.9.0 ;; *) echo "bwrap: No permissions" >&2; exit 1 ;; esac',
    /bwrap: No permissions[\s\S]*user namespaces/,
  ],
  ["is broken", "exit 3", /exit code 3/],
];

for (const [what, program, said] of standIns) {
  for (const command of commands) {
    const name = command.includes("--dry-run") ? "call --dry-run" : command[0];
    linux.test(`climax ${name} runs nothing and names the remedy if bubblewrap ${what}`, async () => {
      await using at = await project();
      const { cwd, home } = at;
      const bin = join(home, "bin");
      await Deno.mkdir(bin);
      for (const tool of ["sh", "ls", "cat", "ps", "kill"]) {
        await Deno.symlink(`/bin/${tool}`, join(bin, tool));
      }
      if (program !== undefined) {
        await Deno.writeTextFile(join(bin, "bwrap"), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
      }
      const env = { PATH: bin, HOME: home };
      const args = [...command, "--policy", "policy.yaml"];
      const { stdout, stderr } = await ends(climax(args, { cwd, env }), { code: 1 });
      assert.match(stdout + stderr, said);
      assert.match(stdout + stderr, /A sandbox cannot be made/);
      assert.equal(await exists(join(cwd, "ran")), false);
    });
  }
}

sandboxed.test("a sandboxed call shows in a dry run, the audit log, validate and doctor", async () => {
  await using at = await project();
  const { cwd, home } = at;
  const run = (...args: string[]) => at.run(...args, "--policy", "policy.yaml");
  const call = ["call", "shell_run", "--config", "./shell.yaml", "script=echo x"];
  const sandbox = { write: [cwd], network: "none" };
  const plan = JSON.parse((await run(...call, "--dry-run", "--json")).stdout);
  assert.deepEqual([plan.argv, plan.sandbox], [["/bin/sh", "-c", "echo x"], sandbox]);
  const audit = join(home, "audit.jsonl");
  assert.equal((await run(...call, "--audit", audit)).stdout, "x\n");
  const line = JSON.parse(await Deno.readTextFile(audit));
  assert.deepEqual([line.argv, line.sandbox, line.exit_code], [plan.argv, sandbox, 0]);
  assert.equal((await run("validate", "./shell.yaml")).code, 0);
  assert.match((await run("doctor", "./shell.yaml", "--all")).stdout, /bubblewrap \d+\.\d+\.\d+/);
});

sandboxed.test("a program that needs what is hidden says so, with one line on the sandbox", async () => {
  await using at = await project();
  const { cwd, home, run } = at;
  const args = ["call", "shell_run", "--config", "./shell.yaml", "--policy", "policy.yaml"];
  await ends(run(...args, "script=cat ~/.ssh/id"), {
    stdout: `[stderr]\ncat: ${home}/.ssh/id: No such file or directory\n` +
      `It ran in a sandbox: it writes only in ${cwd} and /tmp, has no network, and sees no keys ` +
      "and credentials\n\n[exit code: 1]\n",
  });
  for (const script of ["echo warning >&2", "echo 1 test has failed >&2; exit 1", "cat none"]) {
    assert.doesNotMatch((await run(...args, `script=${script}`)).stdout, /sandbox/);
  }
});

Deno.test("a policy with a sandbox is refused on a system that has none", {
  ignore: Deno.build.os !== "windows",
}, async () => {
  await using dir = await scratch({ "shell.yaml": config, "policy.yaml": policy });
  const files = ["--config", "./shell.yaml", "--policy", "policy.yaml"];
  const { code, stderr } = await climaxProcess(["call", "shell_run", ...files, "script=x"], {
    cwd: dir.path,
    env: { HOME: dir.path },
  });
  assert.equal(code, 1);
  assert.match(stderr, /A sandbox cannot be made: it takes Linux or macOS, and this is windows/);
});

/** An MCP server with one tool, which gives its argument to a shell. */
const server = `import sys, json, subprocess
schema = {"type": "object", "properties": {"script": {"type": "string"}}}
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m: continue
    r = None
    if m["method"] == "initialize":
        r = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}
    elif m["method"] == "tools/list":
        r = {"tools": [{"name": "run", "description": "Run it", "inputSchema": schema}]}
    elif m["method"] == "tools/call":
        done = subprocess.run(m["params"]["arguments"]["script"], shell=True, capture_output=True, text=True)
        r = {"content": [{"type": "text", "text": done.stdout + done.stderr}]}
    body = {"result": r} if r else {"error": {"code": -32601, "message": "no"}}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], **body}), flush=True)
`;

const pythonServer = testsUnless(
  sandboxed.ignore || (await programs({ python3: ["--version"] })).ignore,
);

/** Calls the server's tool with `keys` in its config and `words` on the command line. */
async function askServer(keys: object, script: string, ...words: string[]) {
  await using at = await project();
  const { cwd, home } = at;
  await Deno.writeTextFile(join(home, "server.py"), server);
  const config = {
    version: "1.0.0",
    mcpServers: [{
      name: "held",
      transport: "stdio",
      command: "python3",
      args: [join(home, "server.py")],
      ...keys,
    }],
    llmProvider: { type: "anthropic" },
  };
  await Deno.writeTextFile(join(cwd, "tamamo-x.config.json"), JSON.stringify(config));
  const args = ["call", "held__run", `script=${script}`, "--mcp", "tamamo-x.config.json", ...words];
  const env = { HOME: home, CLIMAX_CACHE_DIR: join(home, "cache") };
  return await climax(args, { cwd, env });
}

const serverRows: readonly (readonly [what: string, keys: object, words: readonly string[]])[] = [
  ["by its config", { sandbox: {} }, []],
  ["by --sandbox", {}, ["--sandbox"]],
];

for (const [what, keys, words] of serverRows) {
  pythonServer.test(`a stdio server in a sandbox ${what} answers, and reads and writes nothing of the person`, async () => {
    const ask = async (script: string) => (await askServer(keys, script, ...words)).stdout;
    assert.equal(await ask("echo here > new; cat new"), "here\n\n");
    assert.match(await ask("cat ~/.ssh/id"), /No such file/);
    assert.match(await ask("touch ~/new"), /Read-only file system/);
    assert.match(await ask("cat /proc/net/dev | wc -l"), /^3\s*$/);
    const plan = await askServer(keys, "true", ...words, "--dry-run", "--json");
    assert.deepEqual(JSON.parse(plan.stdout).sandbox, { write: ["."], network: "none" });
  });
}

pythonServer.test("a stdio server whose sandbox cannot be made is not started", async () => {
  const { stdout, stderr } = await askServer({ sandbox: { write: ["gone"] } }, "true");
  assert.match(stdout + stderr, /'write': 'gone' is not there \(Create it/);
});

sandboxed.test("what a config asks for is not given where the policy speaks, or the config is not bundled", async () => {
  await using at = await project();
  const { cwd, run } = at;
  const asks = `${config.replace("tools:", "sandbox: { write: ['~'], network: host }\ntools:")}`;
  await Deno.writeTextFile(join(cwd, "asks.yaml"), asks);
  const planOf = async (...words: string[]) => {
    return JSON.parse((await run("call", ...words, "--dry-run", "--json")).stdout).sandbox;
  };
  const own = await planOf("shell_run", "script=true", "--config", "./asks.yaml", "--sandbox");
  assert.deepEqual(own, { write: [cwd], network: "none" });
  const { stdout } = await run("validate", "./asks.yaml");
  assert.match(stdout, /'sandbox' counts only in configs that come with climax/);
  const strict = "executor: { type: sandbox, write: [.], network: none }\ndefault: enabled\n";
  await Deno.writeTextFile(join(cwd, "strict.yaml"), strict);
  const words = ["curl_get", "url=http://127.0.0.1:9/", "--config", "curl"];
  assert.equal((await planOf(...words, "--sandbox")).network, "host");
  assert.equal((await planOf(...words, "--policy", "strict.yaml")).network, "none");
});

unix.test("a config asks for nothing through a link that a program may have made", async () => {
  const { sandboxOfCall } = await import("../../src/sources/command/runner.ts");
  await using at = await project();
  const { cwd, home } = at;
  await Deno.symlink(join(home, ".ssh"), join(cwd, ".git"));
  const { tools } = await loadConfigs(["git"], (name) => name === "HOME" ? home : undefined);
  const tool = tools.find(({ name }) => name === "git_commit")!;
  const sandbox = {
    write: [cwd],
    read: ["/"],
    hide: [],
    network: "none",
    unsetKeys: ["write"],
  } as const;
  const asked = () => sandboxOfCall({ kind: "local", sandbox }, tool, cwd)?.write;
  assert.deepEqual(asked(), [cwd]);
  await Deno.remove(join(cwd, ".git"));
  await Deno.mkdir(join(cwd, ".git"));
  assert.deepEqual(asked(), [cwd, join(cwd, ".git")]);
});
