/** A server whose prompts and resources are made to do harm: endless, binary, false, climbing, changing. */

import assert from "node:assert/strict";
import { call } from "../../../../src/call/call.ts";
import { resetLog, setLogFile } from "../../../../src/log.ts";
import { openSession, type Session } from "../../../../src/session/session.ts";
import { type CallResult, textOf } from "../../../../src/tool/result.ts";
import { join } from "node:path";
import { askServer } from "../../../../src/sources/upstream/ask_server.ts";
import { lockEntry, writeLock } from "../../../../src/sources/upstream/lock.ts";
import { scratch } from "../../../e2e/_scratch.ts";
import {
  configText,
  featured,
  hostileFeatures,
  odd,
  specOf,
  withServers,
} from "../../../_upstream.ts";
import { within } from "../../../_wait.ts";

const hostile = hostileFeatures("evil");

async function read(session: Session, uri: string, options = {}): Promise<CallResult> {
  return await call(session, { tool: `resource:${uri}` }, options);
}

Deno.test("a resource that never comes ends with the timeout of the server", async () => {
  await withServers([hostileFeatures("evil", "", 2)], async (session) => {
    const hanging = await read(session, "x://hang");
    assert.match(textOf(hanging), /timed out after 2s/);
    assert.equal(hanging.record?.ending, "timed out");
  });
});

Deno.test("a resource cannot claim the address of another server, nor write to a terminal", async () => {
  await withServers([hostile, featured("two")], async (session) => {
    const { content: [block] } = await read(session, "evil+x://other");
    assert.deepEqual(block, {
      type: "resource",
      resource: { uri: "evil+two+note://shared", text: "claimed" },
    });
    assert.equal(textOf(await read(session, "evil+x://escape")), "ab");
    assert.match(textOf(await read(session, "evil+x://a/../../b")), /^Unknown resource/);
  });
});

Deno.test("answers of another shape are errors of their call alone", async () => {
  await withServers([hostile], async (session) => {
    const tools = ["resource:x://shape", "resource:x://blob", "prompt:evil__q0", "prompt:evil__q1"];
    for (const tool of tools) {
      const { isError } = await call(session, { tool });
      assert.equal(isError, true, tool);
    }
    assert.equal((await read(session, "x://exit")).record?.ending, "ended");
    assert.equal(textOf(await read(session, "x://1")), "plain");
  });
});

Deno.test("a server that changes a tool gives no resource any more, accepted as it was", async () => {
  await using dir = await scratch();
  const mcp = join(dir.path, "tamamo-x.config.json");
  await Deno.writeTextFile(mcp, configText([featured("one")]));
  const listing = await askServer(specOf(featured("one")));
  await writeLock(mcp, {
    version: 1,
    servers: { one: lockEntry(listing, specOf(featured("one"))) },
  });
  await using session = await openSession({ configs: [], mcp: [mcp], askServers: true });
  session.followSources();
  const logFile = join(dir.path, "log");
  setLogFile(logFile);
  using _log = { [Symbol.dispose]: resetLog };
  assert.match(textOf(await read(session, "note://shared")), /of one$/);
  const isWithdrawn = Promise.withResolvers<void>();
  session.catalog.subscribe(() => {
    if (session.index.features.length === 0) isWithdrawn.resolve();
  });
  const subscribed = await session.features!.subscribe("resource:note://shared", () => {
    assert.fail("news of a resource that is not served");
  });
  assert.notEqual(subscribed, undefined);
  await call(session, { tool: "one__turn", args: {} });
  await within(isWithdrawn.promise, "the end of the resources");
  for (const uri of ["note://shared", "note://item/5", "note://unlisted"]) {
    assert.match(textOf(await read(session, uri)), /^Unknown resource/);
  }
  assert.match(
    await Deno.readTextFile(logFile),
    /warning: .*Server 'one': 1 tool changed since they were accepted, not served: turn\n/,
  );
  assert.equal(await session.features!.subscribe("resource:note://shared", () => {}), undefined);
  await call(session, { tool: "one__touch", args: {} });
});

Deno.test("a server that no policy fits any more keeps nothing served that another has changed", async () => {
  await using dir = await scratch({
    "policy.yaml": "default: enabled\ntools: { odd__echo: { args: { text: { pattern: a } } } }\n",
    "other/servers.json": configText([odd("odd", "changing")]),
    "accepted.json": configText([featured("one")]),
  });
  const [policy, other, accepted] = ["policy.yaml", "other/servers.json", "accepted.json"].map(
    (name) => {
      return join(dir.path, name);
    },
  ) as [string, string, string];
  const one = specOf(featured("one"));
  await writeLock(accepted, {
    version: 1,
    servers: { one: lockEntry(await askServer(one), one) },
  });
  const mcp = [other, accepted];
  await using session = await openSession({ configs: [], mcp, policy, askServers: true });
  const { catalog } = session;
  const update = catalog.update.bind(catalog);
  let updated = Promise.withResolvers<void>();
  catalog.update = (step) => update(step).then(() => updated.resolve());
  session.followSources();
  for (const tool of ["odd__change", "one__turn"]) {
    updated = Promise.withResolvers();
    await call(session, { tool, args: {} });
    await within(updated.promise, `what ${tool} changes`);
  }
  assert.deepEqual(session.index.features, []);
  assert.equal(session.index.get("one__turn"), undefined);
  assert.equal(session.index.get("odd__new"), undefined);
});
