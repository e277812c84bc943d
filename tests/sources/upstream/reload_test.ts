/** Sessions whose files of MCP servers and locks are edited while they are served. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { call } from "../../../src/call/call.ts";
import { openSession, type Session } from "../../../src/session/session.ts";
import { lockEntry, type LockFile, writeLock } from "../../../src/sources/upstream/lock.ts";
import { FakeClock } from "../../_clock.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { sandboxed } from "../../_sandbox.ts";
import { isAlive } from "../../_wait.ts";
import { answerTo } from "../../_session.ts";
import { configText, odd, type ServerSketch, specOf } from "../../_upstream.ts";
import { readDefinitions } from "../../../src/sources/upstream/definition.ts";

interface Edited {
  readonly session: Session;
  readonly file: string;
  readonly dir: string;
  /** Writes the file, and waits until that is seen. */
  edit(servers: readonly ServerSketch[]): Promise<void>;
  lock(lock: LockFile): Promise<void>;
  /** Resolves when the tools are these. */
  toolsAre(...names: string[]): Promise<void>;
}

function namesOf({ index }: Session): string[] {
  return index.tools.map(({ name }) => name).filter((name) =>
    !/__(?!echo$|wait$|tool_)/.test(name)
  );
}

async function withEdited(
  servers: readonly ServerSketch[],
  use: (edited: Edited) => Promise<void>,
): Promise<void> {
  await using dir = await scratch({ "tamamo-x.config.json": configText(servers) });
  const file = join(dir.path, "tamamo-x.config.json");
  const clock = new FakeClock();
  await using session = await openSession({ configs: [], mcp: [file], watch: true, clock });
  session.followSources();
  const pass = async () => {
    const refreshed = session.gate.refresh!();
    // A file is read once it has settled
    await clock.timer(100);
    await clock.advance(100);
    await refreshed;
  };
  await use({
    session,
    file,
    dir: dir.path,
    async edit(next) {
      await Deno.writeTextFile(file, configText(next));
      await pass();
    },
    async lock(lock) {
      await writeLock(file, lock);
      await pass();
    },
    async toolsAre(...names) {
      while (namesOf(session).join() !== names.join()) {
        const changed = Promise.withResolvers<void>();
        const stop = session.catalog.subscribe(changed.resolve);
        if (namesOf(session).join() !== names.join()) await changed.promise;
        stop();
      }
    },
  });
}

Deno.test("a server that is added to its file is served, and the others run on", async () => {
  await using dir = await scratch();
  const pidFile = join(dir.path, "pid");
  const kept = odd("kept", "tells", pidFile);
  await withEdited([kept], async ({ session, edit, toolsAre }) => {
    await toolsAre("kept__echo", "kept__wait");
    const pid = Number(await Deno.readTextFile(pidFile));
    const running = call(session, { tool: "kept__news", args: { count: 8 } });
    await Deno.writeTextFile(pidFile, "not started again");
    await edit([odd("new", "pages", "1"), { ...kept, timeout: 30 }]);
    await toolsAre("new__tool_0", "kept__echo", "kept__wait");
    assert.equal((await running).isError, false);
    assert.equal(session.index.get("kept__echo")!.timeoutMs, 30_000);
    const { text } = await answerTo(session, { tool: "kept__echo", args: { text: "on" } });
    assert.deepEqual(text, "on");
    assert.equal(await Deno.readTextFile(pidFile), "not started again");
    assert.equal(isAlive(pid), true);
  });
});

Deno.test("the calls of a server that is removed from its file end as cancelled", async () => {
  await using dir = await scratch();
  const pidFile = join(dir.path, "pid");
  await withEdited([odd("kept", "pages", "1"), odd("gone", "tells", pidFile)], async (edited) => {
    const { session, edit, toolsAre } = edited;
    const started = Promise.withResolvers<void>();
    const onProgress = () => started.resolve();
    const running = call(session, { tool: "gone__news", args: { count: 10_000 } }, { onProgress });
    await started.promise;
    await edit([odd("kept", "pages", "1")]);
    const { isError, record, content } = await running;
    assert.deepEqual([isError, record?.ending], [true, "cancelled"]);
    const [block] = content;
    assert.equal(
      block!.type === "text" && block!.text,
      "Call was cancelled: server 'gone' was removed or changed in its file",
    );
    await toolsAre("kept__tool_0");
    const { text } = await answerTo(session, { tool: "gone__echo" });
    assert.match(text, /^Unknown tool: gone__echo/);
  });
  assert.equal(isAlive(Number(await Deno.readTextFile(pidFile))), false);
});

/** A lock with the tool `echo` of the server `sketch`. */
function lockFor(sketch: ServerSketch): LockFile {
  const echo = {
    name: "echo",
    description: "Says it again",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  };
  const listing = { ...readDefinitions([echo]), description: "An odd server" };
  const { transport } = specOf(sketch);
  return { version: 1, servers: { odd: lockEntry(listing, { transport }) } };
}

Deno.test("a server whose command has changed is not started until it is accepted again", async () => {
  await using dir = await scratch();
  const pidFile = join(dir.path, "pid");
  const before = odd("odd", "plain");
  const after = odd("odd", "tells", pidFile);
  await withEdited([before], async ({ session, edit, lock, toolsAre }) => {
    await toolsAre("odd__echo", "odd__wait");
    await lock(lockFor(before));
    await toolsAre("odd__echo");
    await edit([after]);
    await toolsAre();
    const { text } = await answerTo(session, { tool: "odd__echo" });
    assert.match(
      text,
      /^Server 'odd' is not started: its command, address or sandbox is not one that was/,
    );
    await assert.rejects(Deno.stat(pidFile), Deno.errors.NotFound);
    await lock(lockFor(after));
    await toolsAre("odd__echo");
    assert.equal(
      (await answerTo(session, { tool: "odd__echo", args: { text: "again" } })).text,
      "again",
    );
  });
});

/** Changes of what was accepted by the start, in the place of what a program that is held could write. */
const loosened: readonly (readonly [name: string, edit: (edited: Edited) => Promise<void>])[] = [
  ["without its sandbox", ({ edit }) => edit([odd("odd", "pages", "1")])],
  ["with a wider sandbox", ({ edit }) => {
    return edit([{ ...odd("odd", "pages", "1"), sandbox: { network: "host" } }]);
  }],
  ["under another name, without a sandbox", ({ edit }) => edit([odd("other", "pages", "1")])],
];

for (const [name, change] of loosened) {
  sandboxed.test(`a held server that its file has ${name} is not started until a person accepts it`, async () => {
    await withEdited([{ ...odd("odd", "pages", "1"), sandbox: {} }], async (edited) => {
      const { session, toolsAre } = edited;
      await toolsAre("odd__tool_0");
      await change(edited);
      assert.deepEqual(namesOf(session), []);
      const other = name.includes("other") ? "other" : "odd";
      const { text } = await answerTo(session, { tool: `${other}__tool_0` });
      assert.match(text, /is not started: its command, address or sandbox[^]*climax trust/);
      await edited.edit([{ ...odd("odd", "pages", "1"), sandbox: {} }]);
      await toolsAre("odd__tool_0");
    });
  });
}

Deno.test("a lock that is removed opens nothing, and the same one opens what it did", async () => {
  const [server, evil] = [odd("odd", "plain"), odd("evil", "pages", "1")];
  await withEdited([server], async ({ session, dir, edit, lock, toolsAre }) => {
    await toolsAre("odd__echo", "odd__wait");
    await lock(lockFor(server));
    await toolsAre("odd__echo");
    await Deno.remove(join(dir, ".climax"), { recursive: true });
    await edit([server, evil]);
    assert.deepEqual(namesOf(session), []);
    for (const tool of ["odd__echo", "evil__tool_0"]) {
      const { text } = await answerTo(session, { tool });
      assert.match(text, /is not started: its command, address or sandbox[^]*climax trust/);
    }
    await lock(lockFor(server));
    await toolsAre("odd__echo");
  });
});

Deno.test("a broken file of servers changes nothing", async () => {
  await withEdited([odd("odd", "pages", "1")], async ({ session, file, edit, toolsAre }) => {
    await toolsAre("odd__tool_0");
    await edit([odd("odd", "pages", "1"), odd("odd", "pages", "2")]);
    assert.deepEqual(namesOf(session), ["odd__tool_0"]);
    await Deno.remove(file);
    assert.deepEqual(namesOf(session), ["odd__tool_0"]);
    await edit([odd("odd", "pages", "2")]);
    await toolsAre("odd__tool_0", "odd__tool_1");
  });
});
