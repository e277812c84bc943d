/**
 * START HERE for calls: the stages that a call passes. Discovery mode, classic mode, sub-agents and the command line
 * all use {@linkcode call}.
 */

import { type CallResult, withNotes } from "../tool/result.ts";
import { resultTool } from "../jobs/jobs.ts";
import { formatCall } from "../text/shell_word.ts";
import type { CallContext } from "./context.ts";
import {
  type CallOptions,
  type CallRequest,
  outcomeOfRefusal,
  pipeline,
  type ReceivedCall,
  resultOf,
  step,
} from "./pipeline.ts";
import type { Refusal } from "../tool/runner.ts";
import { audit } from "./audit.ts";
import { confirm } from "./confirm.ts";
import { addNotes, authorize, coerceCall, plan, resolve } from "./prepare.ts";
import {
  background,
  execute,
  gate,
  limitResult,
  queue,
  reasonBehind,
  recheck,
  refresh,
  schedule,
  select,
  settleJob,
} from "./stages.ts";

const handle = pipeline<ReceivedCall>()
  .use(refresh) // reload configs and policy if their files have changed
  .use(settleJob) // ends a job with a result that has passed every stage below
  .use(audit) // refuse calls while the log fails; answer only when the entry is on disk
  .use(gate) // refuse calls while the policy cannot be read
  .use(step(resolve)) // find the tool
  .use(step((call) => call.options.refuses?.(call.tool) ?? call)) // a script may not call each tool
  .use(queue) // wait for earlier calls of the client if one of them changes something
  .use(step(coerceCall)) // convert the arguments to their types
  .use(step(authorize)) // check the values against config and policy
  .use(step(plan)) // make a plan that can be shown and then run
  .use(addNotes) // note keys that no argument takes, tools that a failure advises
  .use(confirm) // ask a person, if the policy demands it
  .use(background) // continue as a job, at once or after the soft timeout
  .use(schedule) // wait for permits of the tool, of jobs and of the session
  .use(recheck) // check log, policy and catalogue again if the call has waited
  .use(limitResult) // truncate to the token bound
  .use(select) // keep the part of the result that the policy or the project's file asks for
  .end(execute);

/** Runs a call. A fault of the agent or the tool is a result with `isError`, never an exception. */
export async function call(
  context: CallContext,
  request: CallRequest,
  { arrivedAt, ticket, ...options }: CallOptions = {},
): Promise<CallResult> {
  const received = { context, request, options, arrivedAt, ticket, receivedAt: performance.now() };
  const outcome = await context.enter(() => handle(received));
  await ticket?.leave(reasonBehind(received, outcome));
  const result = withLeftJobs(resultOf(outcome), received);
  const passed = ticket?.passes();
  return passed === undefined ? result : withNotes(result, `[Read too early: ${passed}]`);
}

function withLeftJobs(result: CallResult, { context, options }: ReceivedCall): CallResult {
  const { owner, client = "", signal, parent, forHost } = options;
  if (signal?.aborted || parent !== undefined || forHost) return result;
  const left = context.background?.jobs.of(owner).filter(({ leftBy }) => leftBy === client) ?? [];
  if (left.length === 0) return result;
  const lines = left.map((job) => {
    job.leftBy = undefined;
    const ask = formatCall(resultTool, { id: job.id, wait: 45 });
    return `[${job.tool} was not ended when its client stopped waiting: ${ask}]`;
  });
  return withNotes(result, lines.join("\n"));
}

/** Refuses a call that is invalid before its first stage. The audit log records the refusal. */
export async function refuseCall(
  context: CallContext,
  request: CallRequest,
  refused: Refusal,
  options: CallOptions = {},
): Promise<CallResult> {
  const answer = pipeline<ReceivedCall>().use(audit)
    .end((call) => Promise.resolve(outcomeOfRefusal(call, refused)));
  const received = { context, request, options, receivedAt: performance.now() };
  return resultOf(await context.enter(() => answer(received)));
}
