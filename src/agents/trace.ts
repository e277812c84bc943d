/** Writes traces of requests: for each a JSON file with every step, which only its owner can read. */

import { join } from "node:path";
import { systemPath } from "../io.ts";
import { FileError, messageOf } from "../errors.ts";
import { log } from "../log.ts";
import type { RequestRecord } from "./request.ts";

/** Writes the trace of a request; `redact` removes secrets. A failure is logged. */
export type WriteTrace = (
  record: RequestRecord,
  redact: (text: string) => string,
) => Promise<void>;

/** Makes `directory`, and a function that writes traces into it. @throws {ClimaxError} if that fails */
export async function openTraces(directory: string): Promise<WriteTrace> {
  try {
    await Deno.mkdir(systemPath(directory), { recursive: true, mode: 0o700 });
  } catch (error) {
    const message = `The directory for traces cannot be made: ${messageOf(error)}`;
    throw new FileError("No traces can be written", { file: directory, message });
  }
  return async (record, redact) => {
    const time = new Date(record.startedAt).toISOString().replaceAll(/[:.]/g, "-");
    const path = join(directory, `${time}-${record.requestId}.json`);
    const text = `${redact(JSON.stringify(readable(record), null, 2))}\n`;
    try {
      await Deno.writeTextFile(systemPath(path), text, { createNew: true, mode: 0o600 });
    } catch (error) {
      log("error", `trace '${path}' cannot be written: ${messageOf(error)}`);
    }
  };
}

function readable({ startedAt, steps, ...rest }: RequestRecord): object {
  const withTime = <T extends { startedAt: number }>({ startedAt, ...each }: T) => {
    return { startedAt: new Date(startedAt).toISOString(), ...each };
  };
  return {
    ...withTime({ startedAt, ...rest }),
    steps: steps.map(({ calls, ...step }) => ({ ...withTime(step), calls: calls.map(withTime) })),
  };
}
