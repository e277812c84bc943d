/** Progress on a terminal, by a clock that the tests move. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { showWaiting, showWork } from "../../src/cli/progress_line.ts";
import { setIo } from "../../src/io.ts";
import { allSaid, note, resetLog, setQuiet } from "../../src/log.ts";
import { setWatcher, watch } from "../../src/process/progress.ts";
import { FakeClock } from "../_clock.ts";
import { ioOf } from "../_io.ts";
import { configText, odd } from "../_upstream.ts";
import { scratch } from "../e2e/_scratch.ts";
import { climax, climaxOnTerminal } from "./commands/_climax.ts";

/** Runs `test` at a terminal and returns what it shows, with `<` for what erases a line. */
async function seen(
  test: (clock: FakeClock) => Promise<void>,
  env: Record<string, string> = {},
): Promise<string> {
  const chunks: string[] = [];
  const before = setIo(ioOf({
    cwd: Deno.cwd(),
    env: { NO_COLOR: "1", ...env },
    stdin: "",
    write: (bytes) => void chunks.push(new TextDecoder().decode(bytes)),
    terminal: { columns: 40, streams: ["stderr"] },
  }));
  try {
    await test(new FakeClock());
    await allSaid();
  } finally {
    setWatcher(undefined);
    resetLog();
    setIo(before);
  }
  return chunks.join("").replaceAll("\r\x1b[K", "<");
}

Deno.test("waiting() shows the work after 0.3 s, counts seconds, and takes the line away", async () => {
  const work = Promise.withResolvers<void>();
  const text = await seen(async (clock) => {
    const done = showWaiting("counting", () => work.promise, clock);
    await clock.advance(299);
    await clock.advance(1);
    await clock.advance(2000);
    work.resolve();
    await done;
  });
  assert.equal(text, "<counting … 0 s<counting … 1 s<counting … 2 s<");
});

Deno.test("short work shows nothing", async () => {
  const text = await seen(async (clock) => {
    await showWaiting("counting", () => Promise.resolve(), clock);
    await clock.advance(5000);
  });
  assert.equal(text, "");
});

Deno.test("watched() work is shown together, and each part says what came of it and when", async () => {
  const parts = ["fs", "web", "gone"].map((name) =>
    [name, Promise.withResolvers<number>()] as const
  );
  const text = await seen(async (clock) => {
    showWork(clock);
    const all = parts.map(([subject, { promise }]) => {
      const summary = (count: number) => `${count} tools`;
      return watch({ verb: "connecting to", subject, summary }, () => promise);
    });
    await clock.advance(300);
    await clock.advance(700);
    parts[0]![1].resolve(14);
    await all[0];
    await allSaid();
    await clock.advance(100);
    parts[2]![1].reject(new Error("no"));
    await assert.rejects(all[2]!);
    await clock.advance(1000);
    parts[1]![1].resolve(3);
    await all[1];
  });
  assert.equal(
    text,
    "<connecting to fs, web, gone … 0 s<connecting to fs, web, gone … 1 s" +
      "<connecting to web, gone … 1 s<fs 14 tools 1.0 s\nconnecting to web, gone … 1 s" +
      "<connecting to web … 1 s<gone failed 1.1 s\nconnecting to web … 1 s" +
      "<connecting to web … 2 s<web 3 tools 2.1 s\n",
  );
});

Deno.test("a long line is cut to the terminal, and a message goes above it", async () => {
  const work = Promise.withResolvers<void>();
  const text = await seen(async (clock) => {
    const done = showWaiting("x".repeat(60), () => work.promise, clock);
    await clock.advance(300);
    note("a message");
    await allSaid();
    work.resolve();
    await done;
  });
  const line = `${"x".repeat(33)} … 0 s`;
  assert.equal(text, `<${line}<a message\n${line}<`);
});

for (
  const [name, env, isQuiet] of [["TERM=dumb", { TERM: "dumb" }, false], ["-q", {}, true]] as const
) {
  Deno.test(`with ${name}, nothing is drawn`, async () => {
    const text = await seen(async (clock) => {
      setQuiet(isQuiet);
      showWork(clock);
      const work = Promise.withResolvers<void>();
      const done = showWaiting("counting", () => work.promise, clock);
      await clock.advance(3000);
      work.resolve();
      await done;
    }, env);
    assert.equal(text, "");
  });
}

Deno.test("climax list --mcp says of each server on a terminal what it has, in a pipe nothing", async () => {
  await using dir = await scratch({ "servers.json": configText([odd("one"), odd("two")]) });
  const file = join(dir.path, "servers.json");
  const env = { CLIMAX_CACHE_DIR: join(dir.path, "cache"), NO_COLOR: "1" };
  // On a slow machine each stands where a line with the seconds was erased
  const text = (await climaxOnTerminal(["list", "--mcp", file], { env })).replaceAll("\x1b[K", "");
  assert.match(text, /^one \d+ tools? \d+\.\d s$/m);
  assert.match(text, /^two \d+ tools? \d+\.\d s$/m);
  const again = await climax(["list", "--mcp", file], {
    env: { ...env, CLIMAX_CACHE_DIR: join(dir.path, "other") },
  });
  assert.doesNotMatch(again.stderr, /\d s$/m);
});
