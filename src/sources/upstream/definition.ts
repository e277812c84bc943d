/** A tool as its server defines it, read without trust: what is no definition is left out, and said. */

import * as z from "zod";
import { describeIssues } from "../../document/issues.ts";
import { messageOf } from "../../errors.ts";
import { quote, visible } from "../../text/excerpt.ts";
import { maxDefinitionLength } from "./_bounds.ts";

const schema = z.looseObject({ type: z.literal("object") });

const definitionSchema = z.object({
  name: z.string().min(1).max(256),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: schema,
  outputSchema: schema.optional(),
  annotations: z.object({
    title: z.string().optional(),
    readOnlyHint: z.boolean().optional(),
    destructiveHint: z.boolean().optional(),
    idempotentHint: z.boolean().optional(),
    openWorldHint: z.boolean().optional(),
  }).optional(),
  icons: z.array(z.looseObject({ src: z.string() })).optional(),
});

/** A tool as its server defines it, names as in MCP 2026-07-28. */
export type Definition = z.infer<typeof definitionSchema>;

/** The definitions of a list, and a sentence on each that is none. */
export interface ReadDefinitions {
  readonly definitions: readonly Definition[];
  readonly doubts: readonly string[];
}

/** Reads what a server listed. */
export function readDefinitions(listed: readonly unknown[]): ReadDefinitions {
  const definitions = new Map<string, Definition>();
  const doubts: string[] = [];
  for (const [index, each] of listed.entries()) {
    const read = readDefinition(each);
    const called = `tool ${nameOf(each) ?? index + 1}`;
    if (typeof read === "string") doubts.push(`${called} is left out: ${read}`);
    else if (definitions.has(read.name)) {
      doubts.push(`${called} is listed twice; the first is used`);
    } else definitions.set(read.name, read);
  }
  return { definitions: [...definitions.values()], doubts };
}

function readDefinition(listed: unknown): Definition | string {
  try {
    const { length } = JSON.stringify(listed);
    if (length > maxDefinitionLength) {
      return `its definition has ${length} characters, expected at most ${maxDefinitionLength}`;
    }
  } catch (error) {
    return `its definition cannot be written down: ${messageOf(error)}`;
  }
  const parsed = definitionSchema.safeParse(listed, { reportInput: true });
  if (parsed.success) return parsed.data;
  const { path, message } = describeIssues(parsed.error.issues, definitionSchema)[0]!;
  return visible([...path.slice(0, -1), message].join(": "));
}

function nameOf(listed: unknown): string | undefined {
  const name = (listed as { name?: unknown } | null)?.name;
  return typeof name === "string" ? quote(name) : undefined;
}
