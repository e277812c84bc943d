/**
 * Reads the file of example requests that a language model wrote for tools. Search finds a tool by its requests, too.
 */

import * as z from "zod";
import { readDocument } from "../files/document.ts";
import { readTextFile } from "../files/text_file.ts";
import { FileError } from "../errors.ts";
import { canonicalJson } from "../text/own_property.ts";
import { sha256 } from "../text/hash.ts";
import type { Tool } from "../tool/tool.ts";

const maxExamples = 8;
export const maxExampleLength = 200;
const maxTools = 20_000;

const hash = z.string().regex(/^[0-9a-f]{64}$/, "expected a SHA-256 in hexadecimal");

const entrySchema = z.strictObject({
  sha256: hash,
  examples: z.array(
    z.string().min(1).max(maxExampleLength, `expected at most ${maxExampleLength} characters`),
  ).max(maxExamples, `expected at most ${maxExamples} examples`),
});

const fileSchema = z.strictObject({
  version: z.literal(1),
  tools: z.record(z.string(), entrySchema).refine(
    (tools) => Object.keys(tools).length <= maxTools,
    `expected at most ${maxTools} tools`,
  ),
});

export type WrittenExamples = ReadonlyMap<string, z.infer<typeof entrySchema>>;

/** @throws {ClimaxError} when the file cannot be read or is invalid */
export async function readExamples(path: string): Promise<WrittenExamples> {
  const file = await readTextFile(path);
  const read = file.ok
    ? await readDocument(path, file.text, fileSchema)
    : { ok: false, problems: [file.problem] } as const;
  if (read.ok) return new Map(Object.entries(read.value.tools));
  throw new FileError("The file of examples is wrong", ...read.problems);
}

/** Adds to each tool the requests that were written for its present form. */
export function withExamples(tools: readonly Tool[], written: WrittenExamples): readonly Tool[] {
  return tools.map((tool) => {
    const entry = written.get(tool.name);
    if (entry === undefined || entry.sha256 !== hashOf(tool)) return tool;
    return { ...tool, examples: [...new Set([...tool.examples ?? [], ...entry.examples])] };
  });
}

/** Returns a hash of a tool. If it changes, the requests that were written for the tool are no longer used. */
export function hashOf(tool: Tool): string {
  return sha256(canonicalJson(describeTool(tool)));
}

export function describeTool({ name, description, owner, args }: Tool) {
  return {
    name,
    of: owner.name,
    description,
    arguments: Object.fromEntries(args.map((arg) => [arg.name, arg.description])),
  };
}
