/** Files that change while calls come: when these wait for a look at them. */

import assert from "node:assert/strict";
import { join } from "node:path";
import type { Gate } from "../../src/call/context.ts";
import { watchFiles } from "../../src/session/watch_files.ts";
import { scratch } from "../e2e/_scratch.ts";

Deno.test("a call behind an edit that comes while files are loaded waits for that edit", async () => {
  await using dir = await scratch();
  const config = join(dir.path, "config.yaml");
  await Deno.writeTextFile(config, "one");
  const gate: Gate = {};
  const loading = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const read: string[] = [];
  const unwatch = await watchFiles({ configs: [config] }, gate, async () => {
    read.push(await Deno.readTextFile(config));
    loading[0].resolve();
    if (read.length === 1) await loading[1].promise;
    return { problems: [], warnings: [] };
  });
  assert.equal(gate.refresh!(), undefined);
  await Deno.writeTextFile(config, "the second");
  const first = gate.refresh!();
  await loading[0].promise;
  await Deno.writeTextFile(config, "and the third");
  const second = gate.refresh!();
  loading[1].resolve();
  await Promise.all([first, second]);
  assert.deepEqual(read, ["the second", "and the third"]);
  assert.equal(gate.refresh!(), undefined);
  unwatch();
});
