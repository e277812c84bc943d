/** A sandbox holds a program whichever way a call comes: each asks for a key of the person, and for a file beside. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { fakeProvider } from "../../agents/llm/_providers.ts";
import { climax as climaxInProcess, ends } from "../../cli/commands/_climax.ts";
import { place, sandboxed } from "../../_sandbox.ts";
import { startUi } from "../../ui/_page.ts";
import { connect, textsOf } from "../../e2e/_clients.ts";
import { startHttpProcess } from "../../e2e/_http.ts";
import { startRawFrom } from "../../e2e/_raw.ts";
import { climax } from "../../e2e/_server.ts";
import { writeFiles } from "../../e2e/_scratch.ts";

const config = `name: shell
command: /bin/sh
tools:
  - name: shell_run
    description: Run a script
    argv: ["-c", "{script}"]
    args: [{ name: script, required: true, text: any }]
  - name: shell_later
    description: Run a script in the background
    argv: ["-c", "{script}"]
    args: [{ name: script, required: true, text: any }]
    background: true
`;

const project = (endpointOverride = "http://127.0.0.1:9") => ({
  version: "1.0.0",
  mcpServers: [],
  cliConfigs: ["./shell.yaml"],
  llmProvider: { type: "anthropic", endpointOverride },
});

const trusting = ["trust", "--all", "--yes"];

const script = "cat ~/.ssh/id; touch ~/beside; echo asked";

interface Ground {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
}

async function ground(path: string): Promise<Ground> {
  const files = {
    ".ssh/id": "KEY",
    "work/shell.yaml": config,
    "work/policy.yaml": "executor: { type: sandbox }\ndefault: enabled\n",
    "work/tamamo-x.config.json": JSON.stringify(project()),
  };
  await writeFiles(path, files);
  const env = {
    HOME: path,
    CLIMAX_CACHE_DIR: join(path, "cache"),
    XDG_CONFIG_HOME: join(path, ".config"),
  };
  await ends(climaxInProcess(trusting, { cwd: join(path, "work"), env }), { code: 0 });
  return { cwd: join(path, "work"), home: path, env };
}

/** Each returns what the program said; `held` are the words that ask for a sandbox. */
type Way = (ground: Ground, held: readonly string[]) => Promise<string>;

const byPolicy = ["--policy", "policy.yaml"];
const byFlag = ["--sandbox"];

const ways: readonly (readonly [name: string, way: Way])[] = [
  ["discovery", async ({ cwd, env }, held) => {
    await using client = await connect(["./shell.yaml", ...held], { cwd, env });
    return (await client.call("climax_call", { tool_name: "shell_run", args: { script } })).text;
  }],
  ["classic mode", async ({ cwd, env }, held) => {
    await using client = await connect(["./shell.yaml", ...held, "--classic"], { cwd, env });
    return (await client.call("shell_run", { script })).text;
  }],
  ["a background job", async ({ cwd, env }, held) => {
    await using client = await connect(["./shell.yaml", ...held], { cwd, env });
    const call = textsOf(client);
    const said = await call("shell_later", { script });
    const [, id] = /"id": "(\w+)"/.exec(said) ?? [];
    assert.notEqual(id, undefined, said);
    return await call("job_result", { id, wait: 100 });
  }],
  ["HTTP", async ({ cwd, env }, held) => {
    await using server = startHttpProcess(["./shell.yaml", ...held], env, cwd);
    const client = new Client({ name: "t", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(await server.url())));
    const { content } = await client.callTool({
      name: "climax_call",
      arguments: { tool_name: "shell_run", args: { script } },
    });
    await client.close();
    return JSON.stringify(content);
  }],
  ["a sub-agent", async ({ cwd, env }, held) => {
    await using provider = fakeProvider("anthropic", (_, number) => {
      return number === 0
        ? { text: "", calls: [{ name: "shell_run", input: { script } }] }
        : { text: "Done" };
    });
    await Deno.writeTextFile(
      join(cwd, "tamamo-x.config.json"),
      JSON.stringify(project(provider.settings.endpointOverride)),
    );
    await ends(climaxInProcess(trusting, { cwd, env: { ...env, ANTHROPIC_API_KEY: "sk-x" } }), {
      code: 0,
    });
    await ends(climaxInProcess(["build", "--offline"], { cwd, env }), { code: 0 });
    const { groups } = JSON.parse(await Deno.readTextFile(join(cwd, ".tamamo-x", "groups.json")));
    const line = climax("mcp", ...held);
    await using server = await startRawFrom(line, {
      cwd,
      env: { ...env, ANTHROPIC_API_KEY: "sk-x" },
    }).ready();
    await server.call(`agent_${groups[0].id}`, { prompt: "Look" });
    return provider.asked.at(-1)!.body;
  }],
  ["a script", async ({ cwd, env }, held) => {
    await using client = await connect(["./shell.yaml", "--scripts", ...held], { cwd, env });
    const code = `return (await call("shell_run", ${JSON.stringify({ script })})).text`;
    return (await client.call("climax_call", { tool_name: "script_run", args: { code } })).text;
  }],
  ["the page", async ({ cwd, env, home }, held) => {
    const audit = join(home, "audit.jsonl");
    await using page = await startUi(["./shell.yaml", "--no-browser", ...held], {
      audit,
      env,
      cwd,
    });
    const response = await fetch(`${page.origin}/api/call`, {
      method: "POST",
      headers: {
        origin: page.origin,
        "x-climax-token": page.token,
        "content-type": "application/json",
      },
      body: JSON.stringify({ tool: "shell_run", args: { script } }),
    });
    return await response.text();
  }],
];

/** The words that ask for a sandbox, and the ways that are tried with them. */
const asked = [
  [byFlag, ways],
  [byPolicy, ways.filter(([name]) => ["classic mode", "HTTP"].includes(name))],
] as const;

for (const [words, tried] of asked) {
  for (const [name, way] of tried) {
    sandboxed.test(`a sandbox by ${words[0]} holds what is called by ${name}`, async () => {
      await using dir = await place();
      const made = await ground(dir.path);
      const said = await way(made, words);
      assert.match(said, /asked/);
      assert.doesNotMatch(said, /KEY/);
      assert.match(said, /Read-only file system/);
      await assert.rejects(Deno.stat(join(made.home, "beside")), Deno.errors.NotFound);
    });
  }
}
