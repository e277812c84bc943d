/** Groups whose file is edited while they are served. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { narrowToGroups } from "../../src/agents/tools.ts";
import { watchGroups } from "../../src/session/watch_files.ts";
import { fileOf, groupOf } from "../agents/_agents.ts";
import { FakeClock } from "../_clock.ts";
import { until } from "../_wait.ts";
import { scratch } from "../e2e/_scratch.ts";
import { sessionOf } from "../_session.ts";

Deno.test("watchGroups() serves the groups as the file has them, and keeps them while it is broken", async () => {
  await using dir = await scratch();
  const file = join(dir.path, "groups.json");
  const tools = ["a", "b"].map((name) => ({ name, description: name, command: "echo" }));
  await using session = await sessionOf({ tools });
  const write = (...names: string[]) => {
    return Deno.writeTextFile(file, JSON.stringify(fileOf(groupOf(session, "group", names))));
  };
  await write("a");
  const clock = new FakeClock();
  const watched = await watchGroups(file, session, { clock });
  assert.equal(watched.ok, true);
  if (!watched.ok) return;
  const context = narrowToGroups(session, watched.value);
  const served = () => context.index.tools.map(({ name }) => name).join();
  assert.equal(served(), "a");
  /** Lets time pass until `names` are served. */
  const untilServed = async (names: string) => {
    await until(async () => {
      await clock.advance(100);
      return served() === names || undefined;
    }, `${names} to be served`);
  };
  await write("a", "b");
  await untilServed("a,b");
  await Deno.writeTextFile(file, "{ broken");
  for (let passed = 0; passed < 3000; passed += 100) {
    await clock.advance(100);
    // What reads the file has its turns
    await Deno.stat(file);
  }
  assert.equal(served(), "a,b");
  await write("b");
  await untilServed("b");
  watched.value.unwatch();
  assert.deepEqual(clock.timers, []);
});

Deno.test("watchGroups() says what is wrong with the file", async () => {
  await using session = await sessionOf({ tools: [] });
  assert.equal((await watchGroups("nowhere/groups.json", session)).ok, false);
});
