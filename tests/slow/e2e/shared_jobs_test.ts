/** Jobs of three instances behind nginx, with a Redis: any of them answers, whatever happens to the others. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { isAlive, pidIn, until } from "../../_wait.ts";
import { type Instances, instancesRequirement, startInstances } from "./_instances.ts";
import { jobIdIn, waits, writeWorks } from "./_works.ts";

async function start(...words: readonly string[]): Promise<Instances> {
  return await startInstances({ words, write: async (dir) => [await writeWorks(dir)] });
}

/** Begins a job at an instance; returns its id. */
async function begin(instances: Instances, script: string, at = 0): Promise<string> {
  return jobIdIn((await instances.call("back", { script }, { at })).text);
}

instancesRequirement.test("a job is read, awaited and listed from any instance, by its own client", async () => {
  await using instances = await start();
  const id = await begin(instances, waits);
  for (const at of [0, 1, 2]) {
    const { text } = await instances.call("job_status", { id }, { at });
    assert.match(text, /back has been running for \S+ s: job_result/);
    assert.match((await instances.call("job_list", {}, { at })).text, /^j\w+ running back \S+ s$/);
    for (const tool of ["job_status", "job_result", "job_cancel"]) {
      const bobs = await instances.call(tool, { id }, { at, client: "bob" });
      const unknown = await instances.call(tool, { id: "j000000000000" }, { at, client: "bob" });
      assert.equal(bobs.text, unknown.text.replace("j000000000000", id));
      assert.equal(bobs.isError, true);
    }
    assert.equal((await instances.call("job_list", {}, { at, client: "bob" })).text, "[no jobs]");
  }
  await until(
    async () => (await instances.call("job_status", { id }, { at: 1 })).text.includes('"half"'),
    "its progress elsewhere",
  );
  const waiting = [0, 1, 2].map((at) => instances.call("job_result", { id, wait: 100 }, { at }));
  await Deno.writeTextFile(join(instances.dir, "go"), "");
  for (const answer of await Promise.all(waiting)) assert.equal(answer.text, "half\nwhole");
  for (let turn = 0; turn < 6; turn++) {
    assert.equal((await instances.call("job_result", { id })).text, "half\nwhole");
    assert.match((await instances.call("job_status", { id })).text, /back has finished after/);
  }
});

instancesRequirement.test("jobs of a killed instance are lost, and nothing says that they run", async () => {
  await using instances = await start();
  const file = join(instances.dir, "job.pid");
  const id = await begin(instances, `echo $$ > ${file}; exec sleep 3600`);
  const pid = await pidIn(file);
  try {
    const waiting = instances.call("job_result", { id, wait: 300 }, { at: 1 });
    instances.processes[0]!.kill("SIGKILL");
    // Without a word about it the wait would last 300 seconds
    const { text, isError } = await waiting;
    assert.equal(isError, true);
    assert.match(
      text,
      /^\[back is lost after \S+ s: the instance that ran it has not been heard of/,
    );
    assert.match(text, / since \d{4}-\d\d-\d\dT\S+Z\. It may have run in part, or still run\. /);
    for (const tool of ["job_status", "job_cancel", "job_result"]) {
      assert.match((await instances.call(tool, { id }, { at: 2 })).text, /back is lost after/);
    }
    assert.match((await instances.call("job_list", {}, { at: 1 })).text, /^j\w+ lost back /);
  } finally {
    if (isAlive(pid)) Deno.kill(pid, "SIGKILL");
  }
});

instancesRequirement.test("results outlive a restart of all instances, and a running job says that it was ended", async () => {
  await using instances = await start();
  const [short, long] = [
    await begin(instances, "echo done"),
    await begin(instances, "seq 100000; seq 30000 | awk '{printf \"%s,\", $0}'", 1),
  ];
  const before = await Promise.all([short, long].map(async (id) => {
    return (await instances.call("job_result", { id, wait: 100 }, { at: 2 })).text;
  }));
  assert.equal(before[0], "done");
  const running = await begin(instances, "echo begun; exec sleep 3600", 2);
  await instances.restart();
  for (const at of [0, 1, 2]) {
    const texts = await Promise.all([short, long].map(async (id) => {
      return (await instances.call("job_result", { id }, { at })).text;
    }));
    assert.deepEqual(texts, before);
    const status = (await instances.call("job_status", { id: running }, { at })).text;
    assert.match(status, /back was cancelled after/);
  }
});
