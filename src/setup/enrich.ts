/** Asks a language model which requests each tool can answer, a batch of tools at a time, and checks what it writes. */

import { inOneLine } from "../text/escape.ts";
import { tokenUsage } from "../agents/request.ts";
import "../agents/llm/quiet_sdk.ts";
import { generateText, type LanguageModel, NoObjectGeneratedError, Output } from "ai";
import * as z from "zod";
import {
  describeTool,
  hashOf,
  maxExampleLength,
  type WrittenExamples,
} from "../catalog/written_examples.ts";
import { excerpt } from "../text/excerpt.ts";
import type { Tool } from "../tool/tool.ts";
import instructions from "./prompts/enrich.md" with { type: "text" };
import { commentLines, scalar } from "./_writer.ts";

const batchSize = 20;
const maxKept = 5;
const maxDescriptionLength = 600;
const maxArguments = 12;
/** A request is repeated at most this often when the model's provider is overloaded. */
const maxRetries = 4;

const answerSchema = z.object({
  tools: z.array(z.object({ name: z.string(), examples: z.array(z.string()) })),
});

export type Batch = ReturnType<typeof batchesFor>[number];

export function batchesFor(tools: readonly Tool[], written: WrittenExamples) {
  const left = tools.filter((tool) => written.get(tool.name)?.sha256 !== hashOf(tool));
  return Array.from({ length: Math.ceil(left.length / batchSize) }, (_, at) => {
    const own = left.slice(at * batchSize, (at + 1) * batchSize);
    return { tools: own, instructions, prompt: promptFor(own) };
  });
}

/** Encloses the tools' texts in a random marker, so that no text can pretend to be the end of the tools. */
function promptFor(tools: readonly Tool[]): string {
  const mark = `tools-${crypto.randomUUID().slice(0, 8)}`;
  const lines = tools.map((tool) => JSON.stringify(shorten(tool)));
  return `<${mark}>\n${
    lines.join("\n")
  }\n</${mark}>\n\nWrite requests for these ${tools.length} tools.`;
}

function shorten(tool: Tool): ReturnType<typeof describeTool> {
  const shown = describeTool(tool);
  const short = (text: string) => excerpt(text.replace(/\s+/g, " ").trim(), maxDescriptionLength);
  const args = Object.entries(shown.arguments).slice(0, maxArguments);
  return {
    ...shown,
    description: short(shown.description),
    arguments: Object.fromEntries(args.map(([name, about]) => [name, short(about)])),
  };
}

/** Asks a language model which requests the tools of one batch can answer. @throws the errors of the AI SDK */
export async function enrich(
  { tools, instructions, prompt }: Batch,
  model: LanguageModel,
  signal: AbortSignal,
) {
  try {
    const { output, usage } = await generateText({
      model,
      instructions,
      prompt,
      output: Output.object({ schema: answerSchema, name: "requests" }),
      maxRetries,
      telemetry: { isEnabled: false },
      abortSignal: signal,
    });
    return { written: usable(output.tools, tools), ...tokenUsage(usage) };
  } catch (error) {
    if (!NoObjectGeneratedError.isInstance(error)) throw error;
    return { written: new Map(), ...tokenUsage(error.usage) };
  }
}

function usable(answer: z.infer<typeof answerSchema>["tools"], tools: readonly Tool[]) {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return new Map(answer.flatMap(({ name, examples }) => {
    const tool = byName.get(name);
    const kept = [...new Set(examples.map(inOneLine))].filter((text) => {
      return text !== "" && text.length <= maxExampleLength && text !== name;
    }).slice(0, maxKept);
    if (tool === undefined || kept.length === 0) return [];
    return [[name, { sha256: hashOf(tool), examples: kept }] as const];
  }));
}

/** Formats the file of requests; tools are sorted by name, so that a diff shows only real changes. */
export function formatExamples(written: WrittenExamples): string {
  const entries = [...written].toSorted(([a], [b]) => a < b ? -1 : 1);
  const lines = [
    ...commentLines("Requests in people's words, written by a language model: search counts them."),
    ...commentLines(
      "Edit them as you like. A tool that changes is asked about again, and its lines replaced.",
    ),
    "version: 1",
    written.size === 0 ? "tools: {}" : "tools:",
    ...entries.flatMap(([name, { sha256, examples }]) => [
      `  ${scalar(name)}:`,
      `    sha256: ${JSON.stringify(sha256)}`,
      examples.length === 0 ? "    examples: []" : "    examples:",
      ...examples.map((example) => `      - ${scalar(example)}`),
    ]),
  ];
  return `${lines.join("\n")}\n`;
}
