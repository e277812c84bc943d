/** The tools that are built in: they read what results had no room for. */

import { readTool } from "../../call/outputs.ts";
import { type Arg, type ArgValue, builtinKind, type Owner, type Tool } from "../../tool/tool.ts";
import type { BuiltinSource } from "./source.ts";

const owner: Owner = {
  name: "output",
  description: "What earlier calls printed and results had no room for",
  tags: ["omitted", "truncated", "rest", "paging"],
};

/** Milliseconds a call may take; nothing of it waits. */
const timeoutMs = 30_000;

/** Those of the tools that are built in whose names no other tool has. */
export function builtinTools(taken: readonly Tool[]): Tool[] {
  const names = new Set(taken.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  return tools.filter(({ name }) => !names.has(name));
}

const id = text("id", "The id in the text that says lines were omitted", { required: true });

const tools: readonly Tool[] = [
  tool(readTool, {
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
  tool("output_search", {
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
  tool("output_json", {
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
];

function tool(
  name: string,
  { work, ...rest }: Pick<Tool, "description" | "examples" | "args"> & Pick<BuiltinSource, "work">,
): Tool {
  const source: BuiltinSource = { kind: builtinKind, work };
  const annotations = { openWorldHint: false };
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
