/** The protocol's tasks at three instances behind nginx: any of them answers. */

import { envelope } from "../../server/http/_server.ts";
import assert from "node:assert/strict";
import { join } from "node:path";
import { pidIn, until, untilGone } from "../../_wait.ts";
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
