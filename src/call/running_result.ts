/** The answer of a call that continues in the background. */

import { writtenCall } from "../text/written_call.ts";
import { type CallResult, type JobView, textResult } from "../tool/result.ts";
import { resultTool } from "../jobs/jobs.ts";

export function runningResult(view: JobView): CallResult {
  const text = `[still running: ${writtenCall(resultTool, { id: view.id, wait: 60 })}]`;
  return { ...textResult([...lastLine(view), text, ...onlyHere(view)].join("\n")), job: view };
}

/** The last line of output of a job, if any, as a line of a result. */
export function lastLine({ lastLine }: JobView): string[] {
  return lastLine === undefined ? [] : [`[last line: ${JSON.stringify(lastLine)}]`];
}

/** Says that other instances do not know a job. */
function onlyHere({ isLocal = false }: JobView): string[] {
  return isLocal ? ["[only the instance that runs it can answer: the shared store cannot]"] : [];
}
