/** Jobs in a store of several instances: how often they are written, their bounds, clocks that differ. */

import assert from "node:assert/strict";
import type { Job } from "../../../src/jobs/job.ts";
import { type SharedStore, StateError } from "../../../src/state/store.ts";
import { textOf, textResult } from "../../../src/tool/result.ts";
import { FakeClock } from "../../_clock.ts";
import { until } from "../../_wait.ts";
import { randomKey } from "../../state/_key_file.ts";
import { redisServer, startRedis } from "../../state/_redis_server.ts";
import { type Instance, openInstance } from "./_shared.ts";

async function begin({ jobs }: Instance, owner = "ada", stop = () => {}): Promise<Job> {
  const beganMs = jobs.clock.now();
  const job = jobs.begin({ tool: "build", owner, timeoutMs: 60_000, beganMs, stop });
  await jobs.announce(job);
  return job;
}

/** Ends a job, and waits until all instances have its result. */
async function end({ jobs }: Instance, job: Job, text: string): Promise<void> {
  jobs.end(job, textResult(text));
  await until(() => jobs.get(job.id, job.owner) === undefined, "the result in the store");
}

async function resultAt({ jobs }: Instance, id: string, owner = "ada") {
  const job = await jobs.find(id, owner);
  return job && await jobs.resultOf(job);
}

redisServer.test("SharedJobs gives short and long results whole, to their owner in their scope", async () => {
  await using redis = await startRedis();
  await using one = await openInstance(redis);
  await using other = await openInstance(redis);
  await using apart = await openInstance(redis, { scope: "other" });
  for (const text of ["short", "long 🦕 ".repeat(200_000)]) {
    const job = await begin(one);
    assert.equal(job.view().isLocal, undefined);
    assert.equal((await other.jobs.find(job.id, "ada"))!.view().state, "running");
    await end(one, job, text);
    for (const instance of [one, other]) {
      assert.equal(textOf((await resultAt(instance, job.id))!) === text, true);
      assert.equal(await resultAt(instance, job.id, "bob"), undefined);
    }
    assert.equal(await resultAt(apart, job.id), undefined);
  }
  assert.deepEqual(await apart.jobs.ofOtherInstances("ada"), []);
  assert.equal((await other.jobs.ofOtherInstances("ada")).length, 2);
});

redisServer.test("SharedJobs writes the progress of a job once a second, however often it changes", async () => {
  await using redis = await startRedis();
  const clock = new FakeClock();
  let writes = 0;
  const observe = (store: SharedStore) => {
    return new Proxy(store, {
      get(target, name) {
        if (name === "putFields") writes++;
        const value = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  };
  await using one = await openInstance(redis, { clock, observe });
  await using other = await openInstance(redis);
  const job = await begin(one);
  writes = 0;
  for (let second = 0; second < 5; second++) {
    for (let line = 0; line < 1000; line++) job.hear(`line ${second}.${line}`);
    await until(async () => {
      // A second in which the instance still asks for cancellations writes nothing
      await clock.advance(1000);
      const found = await other.jobs.find(job.id, "ada");
      return found?.view().lastLine === `line ${second}.999`;
    }, "the last line");
  }
  assert.equal(writes, 5);
  // Nothing has changed: only the sign of life is written
  await clock.advance(10_000);
  assert.equal(writes, 5);
  one.jobs.end(job, textResult("done"));
  await until(async () => (await resultAt(other, job.id)) !== undefined, "its result");
});

redisServer.test("SharedJobs holds the bound of ended jobs for all instances, and never drops a running one", async () => {
  await using redis = await startRedis();
  await using one = await openInstance(redis);
  await using other = await openInstance(redis);
  const running = await begin(one);
  const bobs = await begin(other, "bob");
  await end(other, bobs, "mine");
  const ids: string[] = [];
  for (let at = 0; at < 70; at++) {
    const instance = at % 2 === 0 ? one : other;
    const job = await begin(instance);
    await end(instance, job, "done");
    ids.push(job.id);
  }
  const left = await Promise.all(ids.map((id) => other.jobs.find(id, "ada")));
  assert.deepEqual(left.map((job) => job !== undefined), ids.map((_, at) => at >= 7));
  assert.notEqual(await one.jobs.find(bobs.id, "bob"), undefined);
  assert.equal((await other.jobs.find(running.id, "ada"))!.view().state, "running");
});

redisServer.test("SharedJobs says that the store has no room for a result, and keeps the job", async () => {
  await using redis = await startRedis({ options: ["--maxmemory", "8mb"] });
  await using one = await openInstance(redis);
  await using other = await openInstance(redis);
  // The store is full, or the value is too long
  for (const millions of [6, 12]) {
    const job = await begin(one);
    await end(one, job, "x".repeat(millions * 1_000_000));
    const result = await resultAt(other, job.id);
    const reason = "the store that all instances share has no room for";
    const text = new RegExp(`^Result discarded: ${reason} ${millions},\\d+,\\d+ bytes$`);
    assert.match(textOf(result!), text);
    assert.equal(result!.isError, true);
  }
});

redisServer.test("SharedJobs lists what it can read, and cancels nothing without the key", async () => {
  await using redis = await startRedis();
  let looks = 0;
  const observe = (store: SharedStore) => {
    return new Proxy(store, {
      get(target, name) {
        const value = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          if (name === "getFields" && String(args[1]) === "cancel") looks++;
          return value.apply(target, args);
        };
      },
    });
  };
  await using one = await openInstance(redis, { observe });
  await using stranger = await openInstance(redis, { key: randomKey() });
  let stops = 0;
  const job = await begin(one, "ada", () => stops++);
  assert.deepEqual(await stranger.jobs.ofOtherInstances("ada"), []);
  await assert.rejects(() => stranger.jobs.find(job.id, "ada"), { failure: "unreadable" });
  const key = (await redis.ask("KEYS", `climax:1:job/*/${job.id}`)).split("\r\n").at(-2)!;
  for (const by of ["text", "stranger"]) {
    if (by === "text") await redis.ask("HSET", key, "cancel", job.id);
    else await stranger.store.putFields(key.replace("climax:1:", ""), { cancel: job.id }, 60_000);
    const before = looks;
    await until(() => looks > before + 1, "a look after that");
    assert.equal(stops, 0, by);
  }
  await using other = await openInstance(redis);
  const found = (await other.jobs.find(job.id, "ada"))!;
  const cancelled = other.jobs.cancel(found, 60_000);
  await until(() => stops > 0, "the request to cancel");
  one.jobs.end(job, { ...textResult("", true), record: { ending: "cancelled" } });
  assert.equal((await cancelled)!.view().state, "cancelled");
  assert.equal(stops, 1);
  const next = await begin(one, "ada", () => stops++);
  // As when too many calls wait
  await other.jobs.cancel((await other.jobs.find(next.id, "ada"))!, 0);
  await until(() => stops > 1, "the request that is not awaited");
});

redisServer.test("SharedJobs says that a store is gone which it was to ask, and forgets no job of its own", async () => {
  await using redis = await startRedis();
  await using one = await openInstance(redis);
  await using other = await openInstance(redis);
  const job = await begin(one);
  const found = (await other.jobs.find(job.id, "ada"))!;
  const waiting = other.jobs.wait(found, 3_600_000);
  const gone = assert.rejects(waiting, StateError);
  await redis.kill();
  await gone;
  await assert.rejects(() => other.jobs.cancel(found, 3_600_000), StateError);
  await assert.rejects(() => other.jobs.find(job.id, "ada"), StateError);
  assert.equal((await one.jobs.find(job.id, "ada"))!.view().state, "running");
  await until(() => one.store.condition === "down", "its absence");
  assert.match(one.jobs.refusalFor("ada")!, /^Call was not started: the store /);
  one.jobs.end(job, textResult("done"));
  assert.equal(textOf((await resultAt(one, job.id))!), "done");
  await using _ = await startRedis({ port: redis.port });
  const result = await until(() => resultAt(other, job.id).catch(() => undefined), "its result");
  assert.equal(textOf(result), "done");
  assert.equal(one.jobs.refusalFor("ada"), undefined);
});

redisServer.test("SharedJobs waits at another instance for the end, for the time, or for the signal", async () => {
  await using redis = await startRedis();
  await using one = await openInstance(redis);
  await using other = await openInstance(redis);
  const job = await begin(one);
  const found = (await other.jobs.find(job.id, "ada"))!;
  assert.equal((await other.jobs.wait(found, 10))!.view().state, "running");
  const stop = new AbortController();
  const aborted = other.jobs.wait(found, 3_600_000, stop.signal);
  stop.abort();
  assert.equal((await aborted)!.view().state, "running");
  const waiting = Promise.all([1, 2, 3].map(() => other.jobs.wait(found, 3_600_000)));
  one.jobs.end(job, textResult("done"));
  for (const ended of await waiting) assert.equal(ended!.view().state, "finished");
});
