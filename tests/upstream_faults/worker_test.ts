/**
 * A thread that computes goes on after `terminate()` (Deno 2.9.6): the reason why paths and schemas of strangers count
 * their steps (`src/files/json_path.ts`, `src/files/json_schema.ts`), and `src/worker/run_task.ts` has no other end. When
 * this test fails by its deadline, the fault is mended and the counting can go.
 */

import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { within } from "../_wait.ts";

const endless = `import { parentPort, workerData } from "node:worker_threads";
parentPort.postMessage("computes");
while (Atomics.load(workerData, 0) === 0) Atomics.add(workerData, 1, 1);
`;

/** More than a thread does while it is being ended. */
const manySteps = 10_000_000;

Deno.test("terminate() does not end a thread that computes", async () => {
  const [stop, steps] = [0, 1];
  const shared = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  const url = new URL(`data:text/javascript,${encodeURIComponent(endless)}`);
  const worker = new Worker(url, { workerData: shared });
  try {
    await new Promise((resolve) => worker.once("message", resolve));
    await worker.terminate();
    const before = Atomics.load(shared, steps);
    const goesOn = async () => {
      while (Atomics.load(shared, steps) < before + manySteps) await setImmediate();
    };
    await within(goesOn(), "the next steps of a thread that was terminated");
  } finally {
    Atomics.store(shared, stop, 1);
  }
});
