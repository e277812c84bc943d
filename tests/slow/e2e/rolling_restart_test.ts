/** Three instances behind a real nginx are replaced one after the other, while 50 clients call. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { freePort } from "../../_free_port.ts";
import { until } from "../../_wait.ts";
import { peers } from "../../server/http/_server.ts";
import { type HttpProcess, startHttpProcess } from "../../e2e/_http.ts";
import { nginx, startProxy } from "./_proxy.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { writeWorks } from "./_works.ts";

/** A call of a client: what it was answered. */
interface Asked {
  readonly id: string;
  readonly answer: string;
}

nginx.test("a rolling restart loses no call that had begun, and fails one of a hundred at most", async () => {
  await using dir = await scratch();
  const config = await writeWorks(
    dir.path,
    "{ name: step, command: sh -c, timeout: 60, args: [SCRIPT] }",
  );
  const ports = Array.from({ length: 3 }, freePort);
  const start = async (port: number): Promise<HttpProcess> => {
    const instance = startHttpProcess([config, "--http", String(port)]);
    await instance.url();
    return instance;
  };
  const instances = await Promise.all(ports.map(start));
  await using _ = { [Symbol.asyncDispose]: () => endAll(instances) };
  const urls = ports.map((port) => `http://127.0.0.1:${port}/mcp`);
  await using proxy = await startProxy(dir, urls);
  const asked: Asked[] = [];
  let isOver = false;
  const clients = Array.from({ length: 50 }, async (_, number) => {
    await using peer = await peers[number % peers.length]![1](proxy.url);
    for (let turn = 0; !isOver; turn++) {
      const id = `${number}.${turn}`;
      const args = { script: `echo ${id} >> begun; sleep 0.3; echo done ${id}` };
      const answer = await peer.call("climax_call", { tool_name: "step", args })
        .catch((error) => `FAILED ${error?.cause ?? error}`);
      asked.push({ id, answer });
    }
  });
  await until(() => Promise.resolve(asked.length > 100), "calls that were answered");
  for (const [at, port] of ports.entries()) {
    const count = asked.length;
    instances[at]!.kill("SIGTERM");
    assert.equal(await instances[at]!.ended(), 0);
    instances[at] = await start(port);
    await until(() => Promise.resolve(asked.length > count + 150), "more answers");
  }
  // One instance fewer
  const count = asked.length;
  instances[0]!.kill("SIGTERM");
  assert.equal(await instances[0]!.ended(), 0);
  await until(() => Promise.resolve(asked.length > count + 150), "more answers");
  isOver = true;
  await Promise.all(clients);
  const begun = (await Deno.readTextFile(join(dir.path, "begun"))).trimEnd().split("\n");
  const times = Map.groupBy(begun, (id) => id);
  const wrong = asked.filter(({ id, answer }) =>
    answer !== `done ${id}` || times.get(id)?.length !== 1
  );
  const said = await Deno.readTextFile(join(dir.path, "error.log"));
  // A connection that nginx makes in the moment in which the port closes is lost, and its call has not begun
  const isLost = ({ id, answer }: Asked) => !times.has(id) && /502 Bad Gateway/.test(answer);
  const lost = wrong.filter(isLost);
  assert.ok(lost.length <= asked.length / 100, `${lost.length} of ${asked.length}: ${said}`);
  assert.deepEqual(wrong.filter((each) => !isLost(each)), [], said);
  assert.equal(begun.length, asked.length - lost.length);
});

async function endAll(instances: readonly HttpProcess[]): Promise<void> {
  await Promise.all(instances.map((instance) => instance[Symbol.asyncDispose]()));
}
