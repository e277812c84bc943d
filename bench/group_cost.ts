/** What building groups and serving them costs, with a model that answers at once. */

import { join } from "node:path";
import { call } from "../src/call/call.ts";
import { openSession } from "../src/session/session.ts";
import { defaultBudget } from "../src/agents/budget.ts";
import { readGroups } from "../src/agents/groups.ts";
import { openAgents } from "../src/agents/agent_source.ts";
import { type FakeProvider, fakeProvider, type Reply } from "../tests/agents/llm/_providers.ts";
import { climaxServer } from "./_servers.ts";
import { interleave, type Measurement, time } from "./_stats.ts";
import { start } from "./start.ts";

/** Sizes of the catalogues that groups are built of. */
const sizes = [100, 500];

/** Steps of the request that is measured, each with one call. */
const steps = 10;

/** Measures builds, the start of `climax mcp`, and the steps of a sub-agent. */
export async function measureGroups(
  directory: string,
  { rounds }: { rounds: number },
): Promise<Measurement[]> {
  await using provider = fakeProvider("openai", ({ body }) => replyTo(body));
  const measurements: Measurement[] = [];
  for (const size of sizes) {
    const folder = join(directory, `project-${size}`);
    await writeProject(folder, provider, size);
    measurements.push(await measureBuild(folder, size, rounds));
  }
  const folder = join(directory, `project-${sizes[0]}`);
  return [
    ...measurements,
    await measureMcpStart(folder, rounds),
    await measureSteps(folder, provider, rounds * 3),
  ];
}

/** Groups when groups are asked for; otherwise a call in each step but the last. */
function replyTo(body: string): Reply {
  if (!body.includes("You sort the tools")) {
    const done = body.match(/"role":"tool"/g)?.length ?? 0;
    return done < steps ? { text: "", calls: [{ name: "tool_0", input: {} }] } : { text: "done" };
  }
  const names = [...new Set(body.match(/\btool_\d+(?=: )/g))];
  const size = Math.ceil(names.length / 10);
  const groups = Array.from({ length: 10 }, (_, index) => ({
    name: `Part ${index}`,
    description: `Takes care of part ${index}.`,
    systemPrompt: `You take care of part ${index} with your tools.`,
    complementarityScore: 1,
    tools: names.slice(index * size, index * size + size),
  }));
  return { text: JSON.stringify({ groups }) };
}

async function writeProject(folder: string, provider: FakeProvider, size: number) {
  await Deno.mkdir(folder, { recursive: true });
  const tools = Array.from({ length: size }, (_, index) => ({
    name: `tool_${index}`,
    description: `Does the thing number ${index} with what it is given`,
    args: [{ name: "what", positional: true }],
  }));
  const config = { name: "bench", command: "true", tools };
  await Deno.writeTextFile(join(folder, "bench.yaml"), JSON.stringify(config));
  const project = {
    version: "1.0.0",
    mcpServers: [],
    cliConfigs: ["./bench.yaml"],
    llmProvider: provider.settings,
  };
  await Deno.writeTextFile(join(folder, "tamamo-x.config.json"), JSON.stringify(project));
}

async function measureBuild(folder: string, size: number, rounds: number): Promise<Measurement> {
  const samples = await interleave({
    build: () => time(() => climax("build", join(folder, "tamamo-x.config.json"))),
    list: () => time(() => climax("list", join(folder, "bench.yaml"))),
  }, { rounds });
  return {
    name: `build, ${size} tools`,
    unit: "ms",
    floor: "list of the same",
    samples: samples.build,
    floorSamples: samples.list,
  };
}

async function measureMcpStart(folder: string, rounds: number): Promise<Measurement> {
  const samples = await interleave({
    mcp: () => start(command("mcp", join(folder, "tamamo-x.config.json"))),
    run: () => start(climaxServer(join(folder, "bench.yaml"))),
  }, { rounds });
  return {
    name: "start, sub-agents",
    unit: "ms",
    floor: "climax run, the same tools",
    samples: samples.mcp,
    floorSamples: samples.run,
    aim: 1.3,
  };
}

/** A step of a sub-agent beside what cannot be spared: its request to the model, and its call. */
async function measureSteps(
  folder: string,
  provider: FakeProvider,
  rounds: number,
): Promise<Measurement> {
  const session = await openSession({ configs: [join(folder, "bench.yaml")] });
  const read = await readGroups(join(folder, ".tamamo-x", "groups.json"));
  if (!read.ok) throw new Error("The build wrote no groups");
  const { settings } = provider;
  const { context, runner } = openAgents(read.value, "groups.json", {
    context: session,
    settings,
    credential: { kind: "none", from: "the bench" },
    environment: () => undefined,
    budget: defaultBudget,
  });
  const agent = context.index.tools.find(({ source }) => {
    return JSON.stringify(source).includes('"tool_0"');
  })!;
  const samples = await interleave({
    agent: async () => {
      const args = { prompt: "Go on" };
      return await time(() => call(context, { tool: agent.name, args })) / (steps + 1);
    },
    bare: async () => {
      return await time(async () => {
        for (let step = 0; step <= steps; step++) {
          const url = `${settings.endpointOverride}/chat/completions`;
          const response = await fetch(url, { method: "POST", body: '{"messages":[]}' });
          await response.json();
          if (step < steps) await call(session, { tool: "tool_0" });
        }
      }) / (steps + 1);
    },
  }, { rounds });
  await runner.close?.();
  await session.close();
  return {
    name: "a step of a sub-agent",
    unit: "ms",
    floor: "its request and its call",
    samples: samples.agent,
    floorSamples: samples.bare,
  };
}

async function climax(...args: string[]): Promise<void> {
  const [program, ...words] = command(...args);
  const { success, stderr } = await new Deno.Command(program, { args: words }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

/** The command line of `climax` with `args`, which may use the network. */
function command(...args: string[]): [string, ...string[]] {
  const [program, ...words] = climaxServer();
  const run = words.lastIndexOf("run");
  return [program, ...words.slice(0, run), ...args];
}
