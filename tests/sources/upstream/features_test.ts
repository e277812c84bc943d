/** Prompts and resources of servers in a session: their names, under a policy, on the one call path. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { call } from "../../../src/call/call.ts";
import { lockEntry, writeLock } from "../../../src/sources/upstream/lock.ts";
import { openSession, type Session } from "../../../src/session/session.ts";
import { textOf } from "../../../src/tool/result.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { configText, featured, openServers } from "../../_upstream.ts";

function featuresIn({ index }: Session): string[] {
  return index.features.map(({ name }) => name);
}

async function textFrom(session: Session, tool: string, args = {}): Promise<string> {
  return textOf(await call(session, { tool, args }));
}

Deno.test("a session has the prompts, resources and templates of its only server as they are", async () => {
  await using session = await openServers([featured("one")]);
  const { notes } = await session.runners.get("upstream")!.check!([]);
  assert.match(String(notes), /answers, \d tools, 1 prompt, 3 resources, 1 resource template$/);
  assert.deepEqual(featuresIn(session), [
    "prompt:one__review",
    "resource:note://shared",
    "resource:note://own/one",
    "resource:ui://clock/page.html",
    "resource:note://item/{id}",
  ]);
  assert.equal(session.index.tools.some(({ feature }) => feature !== undefined), false);
  assert.equal(session.index.get("prompt:one__review"), undefined);
  assert.equal(await textFrom(session, "resource:note://shared"), "note://shared of one");
  assert.equal(
    await textFrom(session, "resource:note://item/{id}", { id: "a/b" }),
    "note://item/a%2Fb of one",
  );
  assert.equal(await textFrom(session, "resource:note://unlisted"), "note://unlisted of one");
  const prompt = await call(session, {
    tool: "prompt:one__review",
    args: { language: "C", other: "kept" },
  });
  assert.deepEqual(prompt.prompt, {
    description: "A review",
    roles: ["user", "assistant", "user"],
  });
  assert.match(textOf(prompt), /^Review C for one/);
  assert.match(await textFrom(session, "prompt:one__review"), /Missing required argument/);
  assert.match(await textFrom(session, "resource:note://item/{id}"), /Missing required argument/);
  assert.equal(await textFrom(session, "prompt:one__nothing"), "Unknown prompt: one__nothing");
  assert.match(await textFrom(session, "resource:note://none"), /not found/i);
});

Deno.test("two servers with one address do not collide, and links in results can be read", async () => {
  await using session = await openServers([featured("one"), featured("Two")]);
  const names = featuresIn(session);
  assert.equal(new Set(names).size, names.length);
  const [second] = names.filter((name) => /^resource:two-.*\+note:\/\/shared$/.test(name));
  assert.equal(await textFrom(session, "resource:one+note://shared"), "note://shared of one");
  assert.equal(await textFrom(session, second!), "note://shared of Two");
  // Both have it
  assert.match(await textFrom(session, "resource:note://shared"), /^Unknown resource/);
  // One alone has it
  assert.equal(await textFrom(session, "resource:note://own/one"), "note://own/one of one");

  const { content } = await call(session, { tool: "one__links", args: {} });
  const addresses = content.map((block) => {
    return block.type === "resource_link"
      ? block.uri
      : block.type === "resource"
      ? block.resource.uri
      : "";
  });
  assert.deepEqual(addresses, [
    "one+note://unlisted/7",
    "https://example.org/page",
    "one+note://shared",
  ]);
  assert.equal(await textFrom(session, `resource:${addresses[0]}`), "note://unlisted/7 of one");
  const read = await call(session, { tool: "resource:one+note://shared" });
  assert.deepEqual(read.content[0], {
    type: "resource",
    resource: { uri: "one+note://shared", mimeType: "text/plain", text: "note://shared of one" },
  });
  const { prompt: _, content: messages } = await call(session, {
    tool: "prompt:one__review",
    args: { language: "C" },
  });
  assert.equal((messages[2] as { resource: { uri: string } }).resource.uri, "one+note://shared");
});

const policies: [policy: string, allowed: string[], denied: string[]][] = [
  [
    "default: disabled\ntools: { '*': {}, 'effect:read': {}, one__links: {} }",
    [],
    ["prompt:one__review", "resource:note://shared", "resource:note://unlisted"],
  ],
  [
    "tools: { 'resource:note://item/*': {}, 'prompt:one__*': {} }",
    ["prompt:one__review", "resource:note://item/5"],
    ["resource:note://shared", "resource:note://unlisted"],
  ],
  [
    "tools: { 'resource:one+note://own/*': {} }",
    ["resource:note://own/one", "resource:note://own/x"],
    ["resource:note://shared", "prompt:one__review"],
  ],
  [
    "tools: { 'cli:one': {} }",
    ["prompt:one__review", "resource:note://shared", "resource:note://unlisted"],
    [],
  ],
  [
    "default: enabled\ndeny: ['resource:note://item/secret*', 'prompt:*']",
    ["resource:note://item/5", "resource:note://shared"],
    [
      "prompt:one__review",
      "resource:note://item/secret",
      "resource:note://item/%73ecret",
      "resource:note://item/%2573ecret-2",
    ],
  ],
  [
    "default: enabled\ndeny: ['one__*']",
    [],
    ["prompt:one__review", "resource:note://shared", "resource:note://unlisted"],
  ],
  [
    "default: enabled\ndeny: ['resource:note://item/{id}']",
    ["resource:note://shared"],
    ["resource:note://item/5"],
  ],
  [
    "default: enabled\neffects: [write]",
    [],
    ["prompt:one__review", "resource:note://shared", "resource:note://unlisted"],
  ],
];

for (const [text, allowed, denied] of policies) {
  Deno.test(`a policy decides about prompts and resources: ${text.replaceAll("\n", "; ")}`, async () => {
    const policy = { file: "policy.yaml", text };
    await using session = await openServers([featured("one")], { policy });
    const args = { language: "C" };
    for (const name of allowed) {
      assert.doesNotMatch(await textFrom(session, name, args), /^Unknown/, name);
    }
    for (const name of denied) {
      assert.match(await textFrom(session, name, args), /^Unknown/, name);
      assert.equal(session.index.feature(name), undefined);
    }
  });
}

Deno.test("a template does not reach a resource that the policy denies", async () => {
  const text = "default: enabled\ndeny: ['resource:note://item/secret']";
  await using session = await openServers([featured("one")], {
    policy: { file: "policy.yaml", text },
  });
  const template = "resource:note://item/{id}";
  assert.match(await textFrom(session, template, { id: "5" }), /item\/5 of one/);
  assert.match(await textFrom(session, template, { id: "secret" }), /^Unknown resource/);
});

Deno.test("a server whose tools a person did not accept gives no prompt and no resource", async () => {
  await using dir = await scratch();
  const file = join(dir.path, "tamamo-x.config.json");
  const open = async (...servers: ReturnType<typeof featured>[]) => {
    await Deno.writeTextFile(file, configText(servers));
    return await openSession({ configs: [], mcp: [file], askServers: true });
  };
  const names = async (...servers: ReturnType<typeof featured>[]) => {
    await using session = await open(...servers);
    const unlisted = await textFrom(session, "resource:note://unlisted");
    return [featuresIn(session).length, session.index.tools.length, unlisted];
  };
  await writeLock(file, { version: 1, servers: {} });
  assert.deepEqual(await names(featured("one")), [0, 0, "Unknown resource: note://unlisted"]);

  const { askServer } = await import("../../../src/sources/upstream/ask_server.ts");
  const { specOf } = await import("../../_upstream.ts");
  const listing = await askServer(specOf(featured("one")));
  await writeLock(file, {
    version: 1,
    servers: { one: lockEntry(listing, specOf(featured("one"))) },
  });
  assert.deepEqual(await names(featured("one")), [5, 7, "note://unlisted of one"]);

  const [first] = listing.definitions;
  const other = { ...first!, description: "Changed since" };
  const changed = { ...listing, definitions: [other, ...listing.definitions.slice(1)] };
  await writeLock(file, {
    version: 1,
    servers: { one: lockEntry(changed, specOf(featured("one"))) },
  });
  assert.deepEqual(await names(featured("one")), [0, 6, "Unknown resource: note://unlisted"]);
});

Deno.test("each read is in the audit log with its address, and what was refused too", async () => {
  await using dir = await scratch();
  const audit = join(dir.path, "audit.jsonl");
  {
    await using session = await openServers([featured("one")], { audit });
    await textFrom(session, "resource:note://item/{id}", { id: "5" });
    await textFrom(session, "prompt:one__review", { language: "C" });
    const completion = {
      tool: "completion:prompt:one__review",
      args: { name: "style", value: "t" },
    };
    assert.deepEqual((await call(session, completion)).structured, {
      values: ["review style=t undefined"],
      total: 1,
      hasMore: false,
    });
    await textFrom(session, "resource:note://../x");
  }
  const entries = (await Deno.readTextFile(audit)).trim().split("\n").map((line) => {
    const { decision, rule, server, uri, prompt, completion, arguments: args } = JSON.parse(line);
    return { decision, rule, server, uri, prompt, completion, args };
  });
  const allowed = { decision: "allowed", rule: "no policy", server: "one" };
  const none = { uri: undefined, prompt: undefined, completion: undefined, args: undefined };
  assert.deepEqual(entries, [
    { ...none, ...allowed, uri: "note://item/5" },
    { ...none, ...allowed, prompt: "review", args: { language: "C" } },
    { ...none, ...allowed, completion: "review", args: { name: "style", value: "t" } },
    { ...none, decision: "refused", rule: "unknown tool", server: undefined },
  ]);
});
