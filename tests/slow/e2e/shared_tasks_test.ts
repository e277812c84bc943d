/** The protocol's tasks at three instances behind nginx: any of them answers. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { isAlive, pidIn, until, untilGone } from "../../_wait.ts";
import { envelope } from "../../server/http/_server.ts";
import { type Caller, type Instances, instancesRequirement, startInstances } from "./_instances.ts";
import { waits, writeWorks } from "./_works.ts";

// deno-lint-ignore no-explicit-any
type Answer = { readonly result?: any; readonly error?: any };

const _meta = {
  ...envelope,
  "io.modelcontextprotocol/clientCapabilities": {
    extensions: { "io.modelcontextprotocol/tasks": {} },
  },
};

async function start(): Promise<Instances> {
  return await startInstances({ write: async (dir) => [await writeWorks(dir)] });
}

async function send(
  instances: Instances,
  method: string,
  params: object,
  who?: Caller,
): Promise<Answer> {
  return await (await instances.send(method, { ...params, _meta }, who)).json();
}

async function begin(instances: Instances, script: string): Promise<string> {
  const args = { tool_name: "back", args: { script } };
  const { result } = await send(instances, "tools/call", { name: "climax_call", arguments: args }, {
    at: 0,
  });
  assert.equal(result.resultType, "task");
  return result.taskId;
}

instancesRequirement.test("a task is read and cancelled at any instance, by its own client", async () => {
  await using instances = await start();
  const taskId = await begin(instances, waits);
  for (const at of [0, 1, 2]) {
    assert.equal((await send(instances, "tasks/get", { taskId }, { at })).result.status, "working");
    for (const method of ["tasks/get", "tasks/cancel", "tasks/update"]) {
      const { error } = await send(instances, method, { taskId }, { at, client: "bob" });
      assert.equal(error.code, -32602, method);
    }
  }
  await Deno.writeTextFile(join(instances.dir, "go"), "");
  const ended = await until(async () => {
    const { result } = await send(instances, "tasks/get", { taskId });
    return result.status === "completed" && result;
  }, "the end of the task");
  assert.equal(ended.result.content[0].text, "half\nwhole");

  const file = join(instances.dir, "job.pid");
  const other = await begin(instances, `echo $$ > ${file}; exec sleep 3600`);
  const pid = await pidIn(file);
  const { result } = await send(instances, "tasks/cancel", { taskId: other }, { at: 2 });
  assert.equal(result.resultType, "complete");
  await untilGone(pid);
  for (const at of [0, 1, 2]) {
    const { result } = await send(instances, "tasks/get", { taskId: other }, { at });
    assert.equal(result.status, "cancelled");
  }
});

instancesRequirement.test("a task of a killed instance has failed, and one that cannot be asked for has not", async () => {
  await using instances = await start();
  const file = join(instances.dir, "job.pid");
  const taskId = await begin(instances, `echo $$ > ${file}; exec sleep 3600`);
  const pid = await pidIn(file);
  try {
    instances.processes[0]!.kill("SIGKILL");
    const failed = await until(async () => {
      const { result } = await send(instances, "tasks/get", { taskId }, { at: 1 });
      return result.status === "failed" && result;
    }, "its failure");
    assert.match(failed.error.message, /It may have run in part, or still run/);
    await instances.redis.kill();
    const unasked = await until(async () => {
      return (await send(instances, "tasks/get", { taskId }, { at: 1 })).error;
    }, "the absence of the store");
    // Not "invalid params": the client would forget the task
    assert.equal(unasked.code, -32603, unasked.message);
  } finally {
    if (isAlive(pid)) Deno.kill(pid, "SIGKILL");
  }
});
