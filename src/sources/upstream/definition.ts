/** Reads the tools that an untrusted server defines. Invalid definitions are left out with a warning. */

import { visible } from "../../text/escape.ts";
import * as z from "zod";
import { describeIssues } from "../../files/issues.ts";
import { messageOf } from "../../errors.ts";
import { quote } from "../../text/excerpt.ts";
import { plural } from "../../text/plural.ts";
import { maxDefinitionLength, maxDefinitionsLength, maxTools } from "./_bounds.ts";

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
  // Of MCP Apps; the rest is the server's own
  _meta: z.object({
    ui: z.object({
      resourceUri: z.string().optional(),
      visibility: z.array(z.enum(["model", "app"])).optional(),
    }).optional(),
    "ui/resourceUri": z.string().optional(),
  }).optional().catch(undefined),
});

/** With the field names of MCP 2026-07-28. */
export type Definition = z.infer<typeof definitionSchema>;

/** The definitions of a list, and a warning about each invalid one. */
interface ReadDefinitions {
  readonly definitions: readonly Definition[];
  readonly doubts: readonly string[];
}

/** Most warnings about single definitions: a server may list thousands of invalid ones. */
const maxDoubts = 20;

/** Length of each definition as JSON. */
const lengths = new WeakMap<Definition, number>();

export function lengthOf(definition: Definition): number {
  return lengths.get(definition) ?? JSON.stringify(definition).length;
}

/** Reads a list page by page, up to the bounds. */
export class DefinitionReader {
  readonly #definitions = new Map<string, Definition>();
  readonly #doubts: string[] = [];
  #listed = 0;
  #length = 0;
  #full: string | undefined;
  #leftOut = 0;

  /** Returns whether more definitions are accepted. */
  add(listed: readonly unknown[]): boolean {
    for (const each of listed) this.#addOne(each);
    return this.#full === undefined;
  }

  /** All definitions; `rest` is why the list is incomplete. */
  result(rest?: string): ReadDefinitions {
    const more = this.#doubts.length - maxDoubts;
    const others = more > 0 ? [`and ${plural(more, "doubt")} more`] : [];
    const full = this.#full === undefined
      ? []
      : [`${plural(this.#leftOut, "tool")} left out: ${this.#full}`];
    return {
      definitions: [...this.#definitions.values()],
      doubts: [
        ...this.#doubts.slice(0, maxDoubts),
        ...others,
        ...full,
        ...(rest === undefined ? [] : [`the rest of its list is left out: ${rest}`]),
      ],
    };
  }

  #addOne(listed: unknown): void {
    this.#listed++;
    if (this.#full !== undefined) {
      this.#leftOut++;
      return;
    }
    const read = readDefinition(listed);
    const called = `tool ${nameOf(listed) ?? this.#listed}`;
    if ("reason" in read) this.#doubts.push(`${called} is left out: ${read.reason}`);
    else if (this.#definitions.has(read.definition.name)) {
      this.#doubts.push(`${called} is listed twice; the first is used`);
    } else this.#keep(read);
  }

  #keep({ definition, length }: { definition: Definition; length: number }): void {
    this.#full = this.#definitions.size >= maxTools
      ? `it has over ${maxTools.toLocaleString("en-US")} tools`
      : this.#length + length > maxDefinitionsLength
      ? `its definitions have over ${inMib(maxDefinitionsLength)} together`
      : undefined;
    if (this.#full !== undefined) {
      this.#leftOut++;
      return;
    }
    this.#length += length;
    lengths.set(definition, length);
    this.#definitions.set(definition.name, definition);
  }
}

export function readDefinitions(listed: readonly unknown[]): ReadDefinitions {
  const reader = new DefinitionReader();
  reader.add(listed);
  return reader.result();
}

export function inMib(characters: number): string {
  return `${characters / 1024 / 1024} MiB`;
}

function readDefinition(
  listed: unknown,
): { readonly definition: Definition; readonly length: number } | { readonly reason: string } {
  let length: number;
  try {
    length = JSON.stringify(listed).length;
  } catch (error) {
    return { reason: `its definition cannot be written down: ${messageOf(error)}` };
  }
  if (length > maxDefinitionLength) {
    const reason =
      `its definition has ${length} characters, expected at most ${maxDefinitionLength}`;
    return { reason };
  }
  const parsed = definitionSchema.safeParse(listed, { reportInput: true });
  if (parsed.success) return { definition: parsed.data, length };
  const { path, message } = describeIssues(parsed.error.issues, definitionSchema)[0]!;
  return { reason: visible([...path.slice(0, -1), message].join(": ")) };
}

function nameOf(listed: unknown): string | undefined {
  const name = (listed as { name?: unknown } | null)?.name;
  return typeof name === "string" ? quote(name) : undefined;
}
