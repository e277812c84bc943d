/** The wing in a session: real servers beside odd ones, under a policy, on the one call path. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { call } from "../../../src/call/call.ts";
import { prepareCall } from "../../../src/call/prepare.ts";
import { toolIndexOf } from "../../../src/catalog/tool_index.ts";
import { ClimaxError, formatProblem } from "../../../src/errors.ts";
import { loadTools } from "../../../src/session/load.ts";
import { type Session } from "../../../src/session/session.ts";
import { FakeClock } from "../../_clock.ts";
import { until } from "../../_wait.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { answerTo, policyOf } from "../../_session.ts";
import { configText, npmServer, odd, openServers, type ServerSketch } from "../../_upstream.ts";

async function real(
  name: Parameters<typeof npmServer>[0],
  ...args: string[]
): Promise<ServerSketch> {
  return { name, transport: "stdio", command: await npmServer(name), args };
}

function namesOf({ index }: Session): string[] {
  return index.tools.map(({ name }) => name);
}

Deno.test("a server has no name of a config that is served, where a policy names tools", async () => {
  const servers = [odd("Git")];
  const open = (policy: string | object | undefined, skipsBroken = false) => {
    const text = typeof policy === "object" ? policyOf(policy) : policy;
    return openServers(servers, { configs: ["git"], policy: text, skipsBroken });
  };
  await assert.rejects(open({ default: "disabled", tools: { "cli:git": {} } }), (error) => {
    return /Server 'Git' has the name of a config that is served/.test(
      (error as ClimaxError).problems[0]!.message,
    );
  });
  for (const policy of [undefined, "ask"]) await (await open(policy)).close();
});

Deno.test("a session finds and calls the tools of servers that others wrote", async () => {
  await using dir = await scratch({ "hello.txt": "hello\n" });
  const servers = [
    await real("everything"),
    await real("filesystem", dir.path),
    { ...await real("memory"), env: { MEMORY_FILE_PATH: join(dir.path, "memory.json") } },
  ];
  await using session = await openServers(servers, { policy: "open" });
  const counts = session.index.summary().map(({ name, tool_count }) => [name, tool_count]);
  assert.deepEqual(counts, [["everything", 15], ["filesystem", 14], ["memory", 9]]);

  const [found] = toolIndexOf(session.index).search({
    query: "read a text file",
    cli: "filesystem",
  });
  assert.match(found!.tool_name, /^filesystem__read_/);
  assert.equal(found!.cli_name, "filesystem");

  const path = join(dir.path, "hello.txt");
  const read = await call(session, { tool: "filesystem__read_text_file", args: { path } });
  assert.deepEqual(read.content, [{ type: "text", text: "hello\n" }]);
  assert.deepEqual(read.structured, { content: "hello\n" });

  const sum = { tool: "everything__get-sum", args: { a: 1, b: "2" } };
  assert.equal((await answerTo(session, sum)).text, "The sum of 1 and 2 is 3.");

  const entities = [{ name: "Ada", entityType: "person", observations: ["wrote programs"] }];
  await call(session, { tool: "memory__create_entities", args: { entities } });
  const graph = await answerTo(session, { tool: "memory__search_nodes", args: { query: "Ada" } });
  assert.match(graph.text, /wrote programs/);

  const wrong = { tool: "memory__create_entities", args: { entities: [{ name: 5 }] } };
  assert.deepEqual(await answerTo(session, wrong), {
    isError: true,
    text: "Argument validation failed:\n" +
      "  - Missing required argument 'entities[0].entityType'\n" +
      "  - Missing required argument 'entities[0].observations'\n\n" +
      "Takes: memory__create_entities(entities: {name, entityType, observations: string[]}[])",
  });
  const missing = await answerTo(session, { tool: "everything__get-sum", args: { a: "x" } });
  assert.equal(
    missing.text,
    "Argument validation failed:\n  - Missing required argument 'b'\n" +
      "  - Argument 'a': cannot convert 'x' to number\n\n" +
      "Takes: everything__get-sum(a: number, b: number)",
  );
});

Deno.test("a call brings nothing back that steers a terminal, progress neither", async () => {
  await using dir = await scratch();
  const defined = join(dir.path, "tools.json");
  const steer = { name: "steer", inputSchema: { type: "object" } };
  await Deno.writeTextFile(defined, JSON.stringify([steer]));
  await using session = await openServers([odd("odd", "defined", defined)]);
  const events: unknown[] = [];
  const onProgress = (event: unknown) => void events.push(event);
  const request = { tool: "odd__steer", args: { how: "all" } };
  const { content, structured } = await call(session, request, { onProgress });
  assert.deepEqual(content, [
    { type: "text", text: "done" },
    { type: "resource", resource: { uri: "file:///b.txt", text: "done" } },
    { type: "resource_link", uri: "file:///a.txt", name: "done" },
  ]);
  assert.deepEqual(structured, { done: ["done"] });
  assert.deepEqual(events, [{ progress: 1, message: "done" }]);
});

Deno.test("servers that fail make no client wait, and are reported", async () => {
  const servers = [odd("bad", "dies"), odd("good", "plain"), odd("slow", "hangs")];
  await using dir = await scratch({ "c.json": configText(servers) });
  const mcp = [join(dir.path, "c.json")];
  const clock = new FakeClock();
  const loading = loadTools({ configs: [], mcp, askServers: true, patienceMs: 2000, clock });
  const untilWaiting = (count: number) =>
    until(
      () => clock.timers.filter((ms) => ms === 2000).length === count,
      `${count} servers that are waited for`,
    );
  await untilWaiting(3);
  await untilWaiting(1);
  await clock.advance(2000);
  const loaded = await loading;
  try {
    assert.equal(loaded.tools.every(({ owner }) => owner.name === "good"), true);
    assert.deepEqual(loaded.problems, []);
    const warnings = loaded.warnings.map(formatProblem).join("\n");
    const bad = /Server 'bad' cannot be connected, and .*: it ended with exit code 3: first/;
    assert.match(warnings, bad);
    assert.match(warnings, /Server 'slow' has not answered yet/);
  } finally {
    await loaded.close();
  }
});

Deno.test("a call of a server that does not answer says why, and is no unknown tool", async () => {
  const servers = [odd("bad", "dies"), odd("good", "plain")];
  const absent =
    /^Server 'bad' cannot be connected, and is tried again at the next call: it ended with exit code 3: first\n/;
  {
    await using session = await openServers(servers);
    const { isError, text } = await answerTo(session, { tool: "bad__echo" });
    assert.equal(isError, true);
    assert.match(text, absent);
    assert.match((await answerTo(session, { tool: "odd__echo" })).text, /^Unknown tool: odd__echo/);
  }
  // A policy decides which servers there are for an agent
  for (
    const [rules, isKnown] of [
      ["tools: { bad__echo: {} }", true],
      ["tools: { '*__echo': {} }", true],
      ["tools: { 'cli:bad': {} }", true],
      ["tools: { good__echo: {} }", false],
      ["{ default: enabled, deny: ['cli:bad'] }", false],
      ["{ default: enabled, deny: ['bad__*'] }", false],
      ["default: enabled", true],
    ] as const
  ) {
    await using session = await openServers(servers, { policy: policyOf(rules) });
    const { text } = await answerTo(session, { tool: "bad__echo" });
    assert.match(text, isKnown ? absent : /^Unknown tool: bad__echo/, rules);
    assert.equal(session.index.summary().some(({ name }) => name === "bad"), isKnown, rules);
  }
});

Deno.test("a policy holds for the tools of servers", async () => {
  const policy = policyOf(`
tools:
  odd__echo:
    description: Says what the policy wants
    args:
      text: { pattern: "[a-z]+" }
  odd__env:
    args:
      name: { secret: true }
`);
  await using session = await openServers([odd("odd", "plain")], { policy });
  assert.deepEqual(namesOf(session), ["odd__echo", "odd__env"]);
  assert.equal(session.index.get("odd__echo")!.description, "Says what the policy wants");
  assert.equal((await answerTo(session, { tool: "odd__echo", args: { text: "ok" } })).text, "ok");
  const refused = await answerTo(session, { tool: "odd__echo", args: { text: "NO" } });
  assert.match(refused.text, /^Policy validation failed:\n.*does not match pattern/);
  assert.match((await answerTo(session, { tool: "odd__die" })).text, /^Unknown tool: odd__die/);
  const plan = await prepareCall(session, { tool: "odd__env", args: { name: "HOME" } });
  assert.equal(plan.ok, true);
  if (!plan.ok) return;
  assert.deepEqual(plan.plan.preview, {
    record: { server: "odd", arguments: { name: "***" } },
    details: { tool: "env", timeout: 60 },
    saidBy: "odd",
    line: 'odd env {"name":"***"}',
  });
});

Deno.test("a policy that names tools of a server that does not answer opens the session, a misspelt one not", async () => {
  await using dir = await scratch();
  const policy = join(dir.path, "policy.yaml");
  const servers = [odd("bad", "dies"), odd("good", "plain")];
  await Deno.writeTextFile(policy, "tools: { 'good__*': {}, bad__wait: {}, 'cli:bad': {} }\n");
  {
    await using session = await openServers(servers, { policy });
    assert.equal(namesOf(session).every((name) => name.startsWith("good__")), true);
  }
  await Deno.writeTextFile(policy, "tools: { 'good__*': {}, baad__wait: {} }\n");
  await assert.rejects(() => openServers(servers, { policy }), {
    problems: [{
      file: policy,
      message: "No config has a tool 'baad__wait'",
      hint: "Did you mean: good__wait",
      line: 1,
      column: 25,
    }],
  });
});

Deno.test("a policy that a server's tools do not fit keeps the session closed", async () => {
  const policy = policyOf("tools: { odd__echo: { args: { txt: { min: 1 } } } }");
  await assert.rejects(
    () => openServers([odd("odd", "plain")], { policy }),
    (error) => error instanceof ClimaxError && /no argument 'txt'/.test(error.problems[0]!.message),
  );
});

/** Has the server of a session change its tools, and waits until the session has them. */
async function change(session: Session): Promise<void> {
  const changed = Promise.withResolvers<void>();
  session.catalog.subscribe(changed.resolve);
  session.followSources();
  await call(session, { tool: "odd__change" });
  await changed.promise;
}

Deno.test("a changed list is exchanged as a whole, under the same policy", async () => {
  await using dir = await scratch({ "policy.yaml": "tools: { odd__change: {}, odd__new: {} }\n" });
  const policy = join(dir.path, "policy.yaml");
  await using session = await openServers([odd("odd", "changing")], { policy });
  assert.deepEqual(namesOf(session), ["odd__change"]);
  // What the file says later does not count
  await Deno.writeTextFile(policy, "default: enabled\n");
  await change(session);
  assert.deepEqual(namesOf(session), ["odd__change", "odd__new"]);
});

Deno.test("a policy that names what is built in holds what is new too", async () => {
  const policy = policyOf("default: enabled\ntools: { output_read: {} }");
  await using session = await openServers([odd("odd", "changing")], { policy });
  await change(session);
  assert.notEqual(session.index.get("odd__new"), undefined);
});

Deno.test("a change that the policy does not fit adds no tools", async () => {
  const rules = "tools: { odd__echo: { args: { text: { pattern: a } } } }";
  const policy = policyOf(`default: enabled\n${rules}`);
  await using session = await openServers([odd("odd", "changing")], { policy });
  const updated = Promise.withResolvers<void>();
  const { catalog } = session;
  const update = catalog.update.bind(catalog);
  catalog.update = (step) => update(step).then(updated.resolve);
  session.followSources();
  await call(session, { tool: "odd__change" });
  await updated.promise;
  // 'new' came in the same list as an 'echo' whose argument is gone
  assert.deepEqual(namesOf(session), ["odd__change", "odd__echo"]);
  assert.equal(session.index.get("odd__echo")!.args[0]!.constraint?.pattern?.source, "a");
});

Deno.test("a server's tool cannot take the name of a config's", async () => {
  const tools = [{ name: "odd__echo", description: "Ours" }];
  const text = JSON.stringify({ name: "c", command: "echo", tools });
  const configs = [{ file: "c.yaml", text }];
  await using session = await openServers([odd("odd", "plain")], { configs });
  assert.equal(session.index.get("odd__echo")!.description, "Ours");
  assert.equal(namesOf(session).some((name) => /^odd__echo_[0-9a-f]{8}$/.test(name)), true);
});
