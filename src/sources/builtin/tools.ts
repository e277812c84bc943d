/** The definitions of the built-in tools, which read stored outputs and background jobs. */

import { cancelTool, resultTool, statusTool } from "../../jobs/jobs.ts";
import { readTool, searchTool, selectTool } from "../../jobs/outputs.ts";
import {
  type Arg,
  type ArgValue,
  type ArgValues,
  builtinKind,
  type Owner,
  type Source,
  textArg,
  type Tool,
} from "../../tool/tool.ts";
import type { CallResult } from "../../tool/result.ts";
import { jobCancel, jobList, jobResult, type JobServices, jobStatus } from "./job_tools.ts";
import { type OutputServices, readOutput, searchOutput, selectOfOutput } from "./output_tools.ts";

/** The `tool.source` of a built-in tool. */
interface BuiltinSource extends Source {
  readonly kind: typeof builtinKind;
  readonly about: BuiltinGroup;
  readonly work: (services: ToolServices, values: ArgValues) => CallResult | Promise<CallResult>;
}

/** The groups of built-in tools: stored outputs and background jobs. */
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

/** Most seconds that one call waits for the end of a job. */
const maxWait = 300;

/** Timeout of a call with its wait. */
const timeoutMs = (maxWait + 30) * 1000;

/** Returns the built-in tools whose names no other tool has. */
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
      count("from_line", "First line, from 1", { limits: { min: 1 } }),
      count("lines", "Maximum number of lines", { default: 200, limits: { min: 1, max: 5000 } }),
      count("tail", "Instead of from_line: this many of the last lines", {
        limits: { min: 1, max: 5000 },
      }),
      count("from_byte", "Instead of from_line: the first byte, from 0, for very long lines", {
        limits: { min: 0 },
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
      count("context", "Lines to show before and after each match", {
        default: 2,
        limits: { min: 0, max: 20 },
      }),
      count("limit", "Maximum number of matching lines", {
        default: 50,
        limits: { min: 1, max: 500 },
      }),
      count("from_line", "First line to search, from 1", { default: 1, limits: { min: 1 } }),
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
      count("limit", "Maximum number of values", { default: 100, limits: { min: 1, max: 1000 } }),
      count("from", "First value, from 1", { default: 1, limits: { min: 1 } }),
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
      count("lines", "Maximum number of lines of its output", {
        default: 20,
        limits: { min: 0, max: 500 },
        aliases: ["tail", "n"],
      }),
    ],
    work: jobStatus,
  }),
  tool("jobs", resultTool, {
    description: "Return the result of a background job; can be called repeatedly",
    examples: ["wait for the build", "the output of the background call"],
    args: [
      job,
      count("wait", "Seconds to wait for the job to end", {
        default: 0,
        limits: { min: 0, max: maxWait },
      }),
    ],
    work: jobResult,
  }),
  tool("jobs", cancelTool, {
    description: "Cancel a background job and end every program it started",
    examples: ["stop the build", "kill the background call"],
    effect: "write",
    // An agent may end the jobs that it began
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
  rest: Partial<Arg> & { readonly default?: ArgValue } = {},
): Arg {
  return { ...textArg(name, description), type: "integer", ...rest };
}
