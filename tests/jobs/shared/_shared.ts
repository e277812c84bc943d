/** Instances that share a real Redis, in this process. */

import { type Clock, systemClock } from "../../../src/async/clock.ts";
import { defaultOutputBounds, type OutputBounds } from "../../../src/jobs/stored_output.ts";
import { Outputs } from "../../../src/jobs/outputs.ts";
import { Jobs } from "../../../src/jobs/jobs.ts";
import { SharedJobs } from "../../../src/jobs/shared/jobs.ts";
import { SharedOutputs } from "../../../src/jobs/shared/outputs.ts";
import { readStateAddress } from "../../../src/state/address.ts";
import { Keyring } from "../../../src/state/keyring.ts";
import type { SharedStore } from "../../../src/state/store.ts";
import { scratch } from "../../e2e/_scratch.ts";
import { keyFile, randomKey } from "../../state/_key_file.ts";
import type { RedisServer } from "../../state/_redis_server.ts";
import { openValkeyStore } from "../../../src/state/shared_state.ts";

export interface Instance extends AsyncDisposable {
  readonly store: SharedStore;
  readonly outputs: Outputs;
  readonly jobs: Jobs;
}

export interface InstanceSettings {
  readonly key?: string;
  readonly clock?: Clock;
  readonly scope?: string;
  readonly bounds?: Partial<OutputBounds>;
  /** Watches the operations. */
  readonly observe?: (store: SharedStore) => SharedStore;
}

const key = randomKey();

export async function openInstance(
  { port }: RedisServer,
  settings: InstanceSettings = {},
): Promise<Instance> {
  const { clock = systemClock, scope = "", observe } = settings;
  await using folder = await scratch();
  const keyring = new Keyring(keyFile(folder.path, [settings.key ?? key]));
  const opened = await openValkeyStore(
    readStateAddress(`redis://127.0.0.1:${port}`),
    keyring,
    clock,
  );
  const store = observe?.(opened) ?? opened;
  const options = { store, scope, clock };
  const bounds = { ...defaultOutputBounds, ...settings.bounds };
  const outputs = new Outputs(bounds, clock);
  outputs.share(new SharedOutputs(options, bounds));
  const jobs = new Jobs({ running: 4 }, clock);
  jobs.share(new SharedJobs(options));
  return {
    store,
    outputs,
    jobs,
    async [Symbol.asyncDispose]() {
      for (const job of jobs.of("ada")) if (job.result === undefined) jobs.drop(job);
      await jobs.close();
      outputs.close();
      opened.close();
    },
  };
}
