/** The tools that are built in: they read what results had no room for, and look after jobs. */

import { cancelTool, resultTool, statusTool } from "../../call/jobs.ts";
import { readTool, selectTool } from "../../call/outputs.ts";
import { type Arg, type ArgValue, builtinKind, type Owner, type Tool } from "../../tool/tool.ts";
import type { BuiltinSource, Matter } from "./source.ts";

const owners: Readonly<Record<Matter, Owner>> = {
  outputs: {
    name: "output",
    description: "What earlier calls printed and results had no room for",
    tags: ["omitted", "truncated", "rest", "paging"],
  },
  jobs: {
    name: "job",
    description: "Calls that go on in the background",
    tags: ["background", "running", "wait", "poll"],
  },
};

/** Seconds that one call may wait for the end of a job. */
const longestWait = 300;

/** Milliseconds a call may take, the waiting included. */
const timeoutMs = (longestWait + 30) * 1000;

/** Those of the tools that are built in whose names no other tool has. */
export function builtinTools(taken: readonly Tool[]): Tool[] {
  const names = new Set(taken.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  return tools.filter(({ name }) => !names.has(name));
}

const id = text("id", "The id in the text that says lines were omitted", { required: true });

const job = text("id", "The id in the text that says that the call goes on", { required: true });

const tools: readonly Tool[] = [
  tool("outputs", readTool, {
    description: "Read on in an output that was too long for its result, by lines or by bytes",
    examples: ["show the omitted lines", "the rest of the output", "the end of the log"],
    args: [
      id,
      count("from_line", "First line, from 1", { limits: { min: 1 } }),
      count("lines", "Lines at most", { default: 200, limits: { min: 1, max: 5000 } }),
      count("tail", "Instead, so many of the last lines", { limits: { min: 1, max: 5000 } }),
      count("from_byte", "Instead, from this byte on, for very long lines", { limits: { min: 0 } }),
    ],
    work: async (reading, values) => (await import("./read.ts")).readOutput(reading, values),
  }),
  tool("outputs", "output_search", {
    description: "Find the lines that match a regular expression in an output that was too long " +
      "for its result, with the lines around them",
    examples: ["grep the omitted output", "find the error in the build log"],
    args: [
      id,
      text("pattern", "RE2 expression, looked for in each line", {
        required: true,
        constraint: { maxLength: 1000 },
      }),
      { ...text("ignore_case", "Whether letter case does not count"), type: "boolean" },
      count("context", "Lines to show before and behind each", {
        default: 2,
        limits: { min: 0, max: 20 },
      }),
      count("limit", "Matching lines at most", { default: 50, limits: { min: 1, max: 500 } }),
      count("from_line", "First line to look at and to show, from 1", {
        default: 1,
        limits: { min: 1 },
      }),
    ],
    work: async (reading, values) => (await import("./search.ts")).searchOutput(reading, values),
  }),
  tool("outputs", selectTool, {
    description:
      "Select values with a JSONPath from an output of JSON, or of lines of JSON, that " +
      "was too long for its result",
    examples: ["only the names of the omitted JSON", "filter the JSON of the last call"],
    args: [
      id,
      text("path", "JSONPath (RFC 9535), such as $.items[*].metadata.name", {
        required: true,
        constraint: { maxLength: 1000 },
      }),
      count("limit", "Values at most", { default: 100, limits: { min: 1, max: 1000 } }),
      count("from", "First value, from 1", { default: 1, limits: { min: 1 } }),
    ],
    work: async (reading, values) => (await import("./json.ts")).selectOfOutput(reading, values),
  }),
  tool("jobs", statusTool, {
    description: "Say how far a call is that goes on in the background",
    examples: ["is the build still running", "progress of the background call"],
    args: [job],
    work: async (asking, values) => (await import("./job.ts")).jobStatus(asking, values),
  }),
  tool("jobs", resultTool, {
    description: "Give what a call in the background came to, once it has ended, as often as asked",
    examples: ["wait for the build", "the output of the background call"],
    args: [
      job,
      count("wait", "Seconds to wait for its end, if it has not ended", {
        default: 0,
        limits: { min: 0, max: longestWait },
      }),
    ],
    work: async (asking, values) => (await import("./job.ts")).jobResult(asking, values),
  }),
  tool("jobs", cancelTool, {
    description: "End a call that goes on in the background, with every program it started",
    examples: ["stop the build", "kill the background call"],
    effect: "write",
    args: [job],
    work: async (asking, values) => (await import("./job.ts")).jobCancel(asking, values),
  }),
  tool("jobs", "job_list", {
    description: "List the calls in the background, and those that have ended and can be read",
    examples: ["what is running in the background", "ids of the background calls"],
    args: [],
    work: async (asking) => (await import("./job.ts")).jobList(asking),
  }),
];

function tool(
  about: Matter,
  name: string,
  { work, ...rest }:
    & Pick<Tool, "description" | "examples" | "args" | "effect">
    & Pick<BuiltinSource, "work">,
): Tool {
  const source: BuiltinSource = { kind: builtinKind, about, work };
  const annotations = { openWorldHint: false };
  const owner = owners[about];
  return { name, owner, effect: "read", annotations, timeoutMs, source, ...rest };
}

function text(name: string, description: string, rest: Partial<Arg> = {}): Arg {
  return { name, description, type: "string", required: false, role: { kind: "json" }, ...rest };
}

function count(
  name: string,
  description: string,
  rest: Partial<Arg> & { readonly default?: ArgValue } = {},
): Arg {
  return { ...text(name, description), type: "integer", ...rest };
}
