/**
 * From a config to an answer, as a new user would go: build the groups, serve them, ask a sub-agent.
 * The tools are those of real servers and programs; only the model is ours.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import type { ProviderType } from "../../../src/agents/llm/settings.ts";
import { fakeProvider, type Reply, type Script } from "../../agents/llm/_providers.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { climax, environment } from "../../e2e/_server.ts";
import { runToEnd } from "../../_run.ts";
import { ends } from "../../cli/commands/_climax.ts";

const key = "sk-planted-0123456789abcdef";

/** Runs climax to its end. */
async function run(cwd: string, args: readonly string[], env: Record<string, string> = {}) {
  return await runToEnd(climax(...args), { cwd, env: environment(env) });
}

/** Variables that name no key, whatever this machine has. */
function withoutKeys(home: string): Record<string, string> {
  const names = Object.keys(Deno.env.toObject()).filter((name) => /API_KEY|AWS_|OTEL_/.test(name));
  return { ...Object.fromEntries(names.map((name) => [name, ""])), HOME: home, USERPROFILE: home };
}

type Settings = { readonly endpointOverride: string; readonly type: ProviderType };

/** A project with the tools of git. */
async function writeProject(folder: string, settings?: Settings) {
  const config = {
    version: "1.0.0",
    mcpServers: [],
    cliConfigs: ["git"],
    llmProvider: { type: "anthropic", ...settings },
  };
  await Deno.writeTextFile(join(folder, "tamamo-x.config.json"), JSON.stringify(config, null, 2));
  await trustProject(folder, { ...withoutKeys(folder), ANTHROPIC_API_KEY: key });
}

/** Accepts what the file of a project says, and that the model of the test gets the key. */
async function trustProject(folder: string, env: Record<string, string>) {
  await ends(run(folder, ["trust", "--all", "--yes"], env), { code: 0 });
}

function parameters(args: readonly string[], cwd: string, env: Record<string, string>) {
  const [command, ...words] = climax(...args);
  return { command, args: words, cwd, env: environment(env) };
}

/** A group for every tool that the request names, split where there are many. */
function groupsFor(body: string): object[] {
  const names = [...new Set(body.match(/(?<=\\n)[a-z][\w.-]*(?=: )/g))];
  const size = Math.ceil(names.length / Math.ceil(names.length / 20));
  return Array.from({ length: Math.ceil(names.length / size) }, (_, index) => ({
    name: `Part ${index + 1}`,
    description: `Takes care of part ${index + 1}.`,
    systemPrompt: `You take care of part ${index + 1}. Use your tools.`,
    complementarityScore: 0.8,
    tools: names.slice(index * size, index * size + size),
  }));
}

/** Proposes groups when asked for them, and works as an agent by `agent`. */
function modelOf(agent: Script): Script {
  let requests = 0;
  return (asked) => {
    const isBuild = /You sort the tools of a catalogue/.test(asked.body);
    if (!isBuild) return agent(asked, requests++);
    const groups = groupsFor(asked.body);
    const input = { groups };
    const reply: Reply = /"name":"json"/.test(asked.body)
      ? { text: "", calls: [{ name: "json", input }] }
      : { text: JSON.stringify(input) };
    return reply;
  };
}

Deno.test("climax build and climax mcp: a sub-agent over git answers, in both eras", async () => {
  await using dir = await scratch();
  await using provider = fakeProvider(
    "anthropic",
    modelOf((_, number) => {
      return number % 2 === 0
        ? { text: "", calls: [{ name: "git_init", input: { path: "new" } }] }
        : { text: "The repository is there" };
    }),
  );
  await writeProject(dir.path, provider.settings);
  const env = { ...withoutKeys(dir.path), ANTHROPIC_API_KEY: key };

  const built = await ends(run(dir.path, ["build"], env), {
    code: 0,
    stdout: /^ID +TOOLS +SCORE +FROM +DESCRIPTION\npart_1 +18 +0\.80 +git/,
    stderr:
      /4 groups of 71 tools, written to .*groups\.json, anthropic\/fake-model took 1 round, 100 tokens in and 10 out/,
  });
  const { proposedBy, groups } = JSON.parse(
    await Deno.readTextFile(join(dir.path, ".tamamo-x", "groups.json")),
  );
  assert.equal(proposedBy, "anthropic/fake-model");
  const { id } = groups.find((group: { tools: { name: string }[] }) => {
    return group.tools.some(({ name }) => name === "git_init");
  });

  for (const mode of ["auto", "legacy"] as const) {
    const transport = new StdioV2(
      parameters(["mcp", "--policy", "open"], dir.path, env),
    );
    const client = new ClientV2({ name: "t", version: "1" }, { versionNegotiation: { mode } });
    await client.connect(transport);
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(({ name }) => name), [
      "agent_part_1",
      "agent_part_2",
      "agent_part_3",
      "agent_part_4",
    ]);
    assert.equal(tools[0]!.outputSchema?.type, "object");
    const messages: (string | undefined)[] = [];
    const result = await client.callTool(
      { name: `agent_${id}`, arguments: { prompt: "Make a repository", context: { mode } } },
      { onprogress: ({ message }) => messages.push(message) },
    );
    assert.deepEqual(result.content, [{ type: "text", text: "The repository is there" }]);
    const { toolsUsed, agentId } = result.structuredContent as Record<string, unknown>;
    assert.deepEqual([toolsUsed, agentId], [["git_init"], id]);
    assert.equal(messages.includes("running git_init"), true, String(messages));
    const empty = await client.callTool({ name: `agent_${id}`, arguments: { prompt: " " } });
    assert.equal(empty.isError, true);
    await client.close();
  }
  assert.equal((await Deno.stat(join(dir.path, "new", ".git"))).isDirectory, true);

  // The key is in nothing that was written or said
  const texts = [built.stdout, built.stderr];
  const folder = join(dir.path, ".tamamo-x");
  for (const { name } of Deno.readDirSync(folder)) {
    texts.push(await Deno.readTextFile(join(folder, name)));
  }
  assert.equal(texts.length, 3);
  assert.equal(texts.some((text) => text.includes(key)), false);
  assert.equal(provider.asked.every(({ headers }) => headers.get("x-api-key") === key), true);
  assert.equal(provider.asked.some(({ body }) => body.includes(key)), false);
});
