/** The definitions of the built-in tools, which read stored outputs and manage background jobs. */

import { cancelTool, type Jobs, resultTool, statusTool } from "../../jobs/jobs.ts";
import { readTool, searchTool, selectTool } from "../../jobs/outputs.ts";
import {
  type Arg,
  type ArgValues,
  builtinKind,
  type Owner,
  type Source,
  textArg,
  type Tool,
} from "../../tool/tool.ts";
import { type CallResult, type JobView, textOf, textResult } from "../../tool/result.ts";
import {
  numberOf,
  type OutputServices,
  readOutput,
  searchOutput,
  selectOfOutput,
  unreachable,
} from "./output_tools.ts";
import { lastLine, resultOfRunning } from "../../call/pipeline.ts";
import { type FoundJob, Job } from "../../jobs/job.ts";
import { quote } from "../../text/excerpt.ts";
import { formatCall } from "../../text/shell_word.ts";

interface BuiltinSource extends Source {
  readonly kind: typeof builtinKind;
  readonly about: BuiltinGroup;
  readonly work: (services: ToolServices, values: ArgValues) => CallResult | Promise<CallResult>;
}

export type BuiltinGroup = "outputs" | "jobs";

interface ToolServices extends OutputServices, JobServices {}

export function builtinSourceOf(tool: Tool): BuiltinSource {
  return tool.source as BuiltinSource;
}

const owners: Readonly<Record<BuiltinGroup, Owner>> = {
  outputs: {
    name: "output",
    description: "Outputs of earlier calls that were truncated in their results",
    tags: ["omitted", "truncated", "rest", "paging"],
    isBuiltin: true,
  },
  jobs: {
    name: "job",
    description: "Background jobs: calls that continue after their answer",
    tags: ["background", "running", "wait", "poll"],
    isBuiltin: true,
  },
};

const maxWait = 300;

/** The timeout of built-in tools is longer than the longest time that an agent may let a tool wait for a job. */
const timeoutMs = (maxWait + 30) * 1000;

export function builtinTools(taken: readonly Tool[]): Tool[] {
  const names = new Set(taken.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  return tools.filter(({ name }) => !names.has(name));
}

const id = textArg("id", "The id from the text that says lines were omitted", { required: true });

const job = textArg("id", "The id of the job, from the answer of its call", {
  required: true,
  aliases: ["job_id", "job", "task_id"],
});

const tools: readonly Tool[] = [
  tool("outputs", readTool, {
    description: "Read more of an output that was truncated, by line or byte range",
    examples: ["show the omitted lines", "the rest of the output", "the end of the log"],
    args: [
      id,
      count("from_line", "First line, from 1", { min: 1 }),
      count("lines", "Maximum number of lines", { min: 1, max: 5000, default: 200 }),
      count("tail", "Instead of from_line: this many of the last lines", { min: 1, max: 5000 }),
      count("from_byte", "Instead of from_line: the first byte, from 0, for very long lines", {
        min: 0,
      }),
    ],
    work: readOutput,
  }),
  tool("outputs", searchTool, {
    description:
      "Find the lines of a truncated output that match a regular expression, with the lines " +
      "around them",
    examples: ["grep the omitted output", "find the error in the build log"],
    args: [
      id,
      textArg("pattern", "RE2 expression to search for in each line", {
        required: true,
        constraint: { maxLength: 1000 },
      }),
      { ...textArg("ignore_case", "Ignore letter case"), type: "boolean" },
      count("context", "Lines to show before and after each match", { max: 20, default: 2 }),
      count("limit", "Maximum number of matching lines", { min: 1, max: 500, default: 50 }),
      count("from_line", "First line to search, from 1", { min: 1, default: 1 }),
    ],
    work: searchOutput,
  }),
  tool("outputs", selectTool, {
    description: "Select values with a JSONPath from a truncated output of JSON or JSON lines",
    examples: ["only the names of the omitted JSON", "filter the JSON of the last call"],
    args: [
      id,
      textArg("path", "JSONPath (RFC 9535), such as $.items[*].metadata.name", {
        required: true,
        constraint: { maxLength: 1000 },
      }),
      count("limit", "Maximum number of values", { min: 1, max: 1000, default: 100 }),
      count("from", "First value, from 1", { min: 1, default: 1 }),
    ],
    work: selectOfOutput,
  }),
  tool("jobs", statusTool, {
    description: "Get the status of a background job, with the end of its output so far",
    examples: [
      "is the build still running",
      "what has the server printed",
      "output of a running job",
    ],
    args: [
      job,
      {
        ...count("lines", "Maximum number of lines of its output", { max: 500, default: 20 }),
        aliases: ["tail", "n"],
      },
    ],
    work: jobStatus,
  }),
  tool("jobs", resultTool, {
    description: "Return the result of a background job; can be called repeatedly",
    examples: ["wait for the build", "the output of the background call"],
    args: [job, count("wait", "Seconds to wait for the job to end", { max: maxWait, default: 0 })],
    work: jobResult,
  }),
  tool("jobs", cancelTool, {
    description: "Cancel a background job and end every program it started",
    examples: ["stop the build", "kill the background call"],
    effect: "write",
    // An agent may end a job that it started itself, so `job_cancel` asks no person
    needsConsent: false,
    args: [job],
    work: jobCancel,
  }),
  tool("jobs", "job_list", {
    description:
      "List background jobs, and ended ones whose result can be read; a call with `background: true` is one at once",
    examples: ["what is running in the background", "ids of the background calls"],
    args: [],
    work: jobList,
  }),
];

function tool(
  about: BuiltinGroup,
  name: string,
  { work, ...rest }:
    & Pick<Tool, "description" | "examples" | "args" | "effect" | "needsConsent">
    & Pick<BuiltinSource, "work">,
): Tool {
  const source: BuiltinSource = { kind: builtinKind, about, work };
  const annotations = { openWorldHint: false };
  const owner = owners[about];
  return { name, owner, effect: "read", annotations, timeoutMs, source, ...rest };
}

function count(
  name: string,
  description: string,
  { min = 0, default: preset, ...most }: { min?: number; max?: number; default?: number },
): Arg {
  const rest = preset === undefined ? {} : { default: preset };
  return { ...textArg(name, description), type: "integer", limits: { min, ...most }, ...rest };
}

/** `job_cancel` waits this many milliseconds for the job to end. */
const cancelMs = 10_000;

function jobStatus(asking: JobServices, values: ArgValues): Promise<CallResult> {
  return withJob(asking, values, (job) => stateOf(job, numberOf(values, "lines")));
}

function jobResult(asking: JobServices, values: ArgValues): Promise<CallResult> {
  return withJob(asking, values, async (found, jobs) => {
    const ms = numberOf(values, "wait")! * 1000;
    const job = await jobs.wait(found, ms, asking.signal);
    if (job === undefined) return undefined;
    const view = job.view();
    if (view.state === "lost") return { ...stateOf(job), isError: true };
    return await jobs.resultOf(job) ??
      (view.state === "running" ? resultOfRunning(view, outputOf(job, 20)) : undefined);
  });
}

function jobCancel(asking: JobServices, values: ArgValues): Promise<CallResult> {
  return withJob(asking, values, async (found, jobs) => {
    const job = await jobs.cancel(found, cancelMs, asking.signal);
    if (job?.view().state !== "running" || job instanceof Job) return job && stateOf(job);
    const note = `[not cancelled yet: the instance that runs it has not answered in ${
      cancelMs / 1000
    } s]`;
    return { ...textResult(`${note}\n${stateText(job)}`, true), job: job.view() };
  });
}

async function jobList({ jobs, owner }: JobServices): Promise<CallResult> {
  const found: FoundJob[] = [...jobs?.of(owner) ?? []];
  const notes: string[] = [];
  try {
    found.push(...await jobs?.ofOtherInstances(owner) ?? []);
  } catch (error) {
    notes.push(`[${textOf(unreachable("Jobs of other instances", error)).split("\n", 1)[0]}]`);
  }
  const views = found.map((job) => ({ ...job.view(), seconds: secondsOf(job) }));
  const rows = views.toSorted((one, other) => one.beganMs - other.beganMs)
    .map(({ id, state, tool, seconds }) => `${id} ${state} ${tool} ${seconds}`);
  return textResult([...rows.length === 0 ? ["[no jobs]"] : rows, ...notes].join("\n"));
}

interface JobServices {
  readonly jobs?: Jobs | undefined;
  readonly owner?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Calls `use` with a job of this client; a job that is removed meanwhile counts as unknown. */
async function withJob(
  { jobs, owner }: JobServices,
  values: ArgValues,
  use: (job: FoundJob, jobs: Jobs) => CallResult | undefined | Promise<CallResult | undefined>,
): Promise<CallResult> {
  const id = String(values.get("id"));
  try {
    const job = await jobs?.find(id, owner);
    const result = jobs && job && await use(job, jobs);
    if (result !== undefined) return result;
  } catch (error) {
    return unreachable(`Job ${quote(id)}`, error);
  }
  const reason = `Job ${quote(id)} not found: it belongs to another client, or was evicted`;
  return textResult(reason, true);
}

function stateOf(job: FoundJob, lines?: number): CallResult {
  return { ...textResult(stateText(job, lines)), job: job.view() };
}

function stateText(job: FoundJob, lines = 0): string {
  const view = job.view();
  const { id, tool, state } = view;
  const after = secondsOf(job);
  if (state === "lost") return [...lastLine(view), explainLost(view, after)].join("\n");
  if (state === "running") {
    const calls = [formatCall(resultTool, { id, wait: 45 }), formatCall(cancelTool, { id })]
      .join(", ");
    const note = `[${tool} has been running for ${after}: ${calls}]`;
    return [...outputOf(job, lines), note].join("\n");
  }
  const how = state === "cancelled"
    ? "was cancelled"
    : job.isError
    ? "ended with an error"
    : "has finished";
  return `[${tool} ${how} after ${after}: ${formatCall(resultTool, { id })}]`;
}

function outputOf(job: FoundJob, lines: number): string[] {
  const shown = lines > 0 && job instanceof Job ? job.lastLines(lines) : "";
  return shown === "" ? lastLine(job.view()) : [shown];
}

function explainLost({ tool, heardMs }: JobView, after: string): string {
  const since = new Date(heardMs).toISOString();
  return `[${tool} is lost after ${after}: the instance that ran it has not been heard of since ${since}. ` +
    "It may have run in part, or still run. Look at what it did before you call it again]";
}

export function secondsOf({ ranMs }: FoundJob): string {
  return `${Math.round(ranMs / 100) / 10} s`;
}
