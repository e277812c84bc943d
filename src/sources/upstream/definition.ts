/** Reads an untrusted server's list, such as that of its tools, and leaves out invalid entries with a warning. */

import * as z from "zod";
import { messageOf } from "../../errors.ts";
import { quote } from "../../text/excerpt.ts";
import { isObject } from "../../text/own_property.ts";
import { plural, thousands } from "../../text/plural.ts";
import { maxDefinitionLength, maxDefinitionsLength, maxTools } from "./_bounds.ts";
import { repairOutput, withObjectType } from "./repair_schema.ts";
import { describeIssues } from "../../files/issues.ts";
import { visible } from "../../text/escape.ts";

function readInput(written: unknown): { [keyword: string]: unknown; type: "object" } {
  const given = isObject(written) ? written : {};
  const read = withObjectType(given) ?? ("type" in given ? given : { ...given, type: "object" });
  return read as ReturnType<typeof readInput>;
}

const definitionSchema = z.object({
  name: z.string().min(1).max(256),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.unknown().optional().transform(readInput),
  outputSchema: z.looseObject({}).optional(),
  annotations: z.object({
    title: z.string().optional(),
    readOnlyHint: z.boolean().optional(),
    destructiveHint: z.boolean().optional(),
    idempotentHint: z.boolean().optional(),
    openWorldHint: z.boolean().optional(),
  }).optional(),
  icons: z.array(z.looseObject({ src: z.string() })).optional(),
  // Keys of MCP Apps, which climax uses. Other keys of a definition's `_meta` are left out
  _meta: z.object({
    ui: z.object({
      resourceUri: z.string().optional(),
      visibility: z.array(z.enum(["model", "app"])).optional(),
    }).optional(),
    "ui/resourceUri": z.string().optional(),
  }).optional().catch(undefined),
}).refine(({ inputSchema: { type } }) => type === "object", {
  error: "inputSchema: 'type' must be 'object'",
});

export type Definition = z.infer<typeof definitionSchema>;

export interface ListKind<Item> {
  readonly what: string;
  readonly schema: z.ZodType<Item>;
  readonly id: keyof Item & string;
  readonly maxLength: number;
  readonly maxItems: number;
  readonly maxTotal: number;
  /** After this many warnings about single entries, the others are only counted: a server may list thousands. */
  readonly maxWarnings: number;
  readonly noteOf?: (item: Item) => string | undefined;
}

export const toolList: ListKind<Definition> = {
  what: "tool",
  schema: definitionSchema,
  id: "name",
  maxLength: maxDefinitionLength,
  maxItems: maxTools,
  maxTotal: maxDefinitionsLength,
  maxWarnings: 20,
  noteOf: ({ outputSchema }) => {
    const read = outputSchema && repairOutput(outputSchema);
    return read && "reason" in read ? `the schema of its results: ${read.reason}` : undefined;
  },
};

interface ReadList<Item> {
  readonly definitions: readonly Item[];
  readonly warnings: readonly string[];
}

export class ListReader<Item extends object> {
  readonly #definitions = new Map<unknown, Item>();
  readonly #warnings: string[] = [];
  #listed = 0;
  #length = 0;
  #full: string | undefined;
  #leftOut = 0;

  constructor(private readonly list: ListKind<Item>) {}

  add(listed: readonly unknown[]): boolean {
    for (const each of listed) this.#addOne(each);
    return this.#full === undefined;
  }

  result(rest?: string, whole = "list"): ReadList<Item> {
    const { what, maxWarnings } = this.list;
    const more = this.#warnings.length - maxWarnings;
    return {
      definitions: [...this.#definitions.values()],
      warnings: [
        ...this.#warnings.slice(0, maxWarnings),
        ...(more > 0 ? [`and ${plural(more, "warning")} more`] : []),
        ...(this.#full === undefined
          ? []
          : [`${plural(this.#leftOut, what)} left out: ${this.#full}`]),
        ...(rest === undefined ? [] : [`the rest of its ${whole} is left out: ${rest}`]),
      ],
    };
  }

  #addOne(listed: unknown): void {
    this.#listed++;
    const { what, id } = this.list;
    const read = this.#full === undefined ? this.#read(listed) : undefined;
    if (read === undefined) return void this.#leftOut++;
    const name = isObject(listed) ? listed[id] : undefined;
    const called = `${what} ${typeof name === "string" ? quote(name) : this.#listed}`;
    if ("reason" in read) this.#warnings.push(`${called} is left out: ${read.reason}`);
    else if (this.#definitions.has(read.item[id])) {
      this.#warnings.push(`${called} is listed twice; the first is used`);
    } else {
      this.#warnings.push(...read.leftOut.map((part) => `${called} is served without ${part}`));
      this.#keep(read);
    }
  }

  #read(listed: unknown) {
    const { schema, maxLength, noteOf } = this.list;
    let length: number;
    try {
      length = JSON.stringify(listed).length;
    } catch (error) {
      return { reason: `its definition cannot be written down: ${messageOf(error)}` };
    }
    if (length > maxLength) {
      return { reason: `its definition has ${length} characters, expected at most ${maxLength}` };
    }
    const read = readLeniently(schema, listed);
    if ("reason" in read) return read;
    const note = noteOf?.(read.item);
    return { ...read, length, leftOut: [...read.leftOut, ...(note === undefined ? [] : [note])] };
  }

  #keep({ item, length }: { readonly item: Item; readonly length: number }): void {
    const { what, id, maxItems, maxTotal } = this.list;
    this.#full = this.#definitions.size >= maxItems
      ? `it has over ${thousands(maxItems)} ${what}s`
      : this.#length + length > maxTotal
      ? `its definitions have over ${inMib(maxTotal)} together`
      : undefined;
    if (this.#full !== undefined) return void this.#leftOut++;
    this.#length += length;
    this.#definitions.set(item[id], item);
  }
}

export function readDefinitions(listed: readonly unknown[]): ReadList<Definition> {
  const reader = new ListReader(toolList);
  reader.add(listed);
  return reader.result();
}

export function inMib(characters: number): string {
  return `${characters / 1024 / 1024} MiB`;
}

const maxLeftOut = 20;

type Read<T> =
  | { readonly item: T; readonly leftOut: readonly string[] }
  | { readonly reason: string };

export function readLeniently<T>(schema: z.ZodType<T>, value: unknown): Read<T> {
  const leftOut = new Map<string, string>();
  for (let rest = value;;) {
    const parsed = schema.safeParse(rest, { reportInput: true });
    if (parsed.success) return { item: parsed.data, leftOut: [...leftOut.values()] };
    const [finding] = describeIssues(parsed.error.issues, schema);
    const { path, message } = finding!;
    const place = path.join("\n");
    const [issue] = parsed.error.issues;
    const words = issue!.path.length === 0 ? [issue!.message] : [...path.slice(0, -1), message];
    const reason = visible(words.join(": "));
    rest = without(rest, issue!.path);
    if (rest === undefined || leftOut.size >= maxLeftOut) {
      return { reason: leftOut.get(place) ?? reason };
    }
    leftOut.set(place, reason);
  }
}

function without(value: unknown, [key, ...rest]: readonly PropertyKey[]): unknown {
  if (key === undefined || typeof value !== "object" || value === null) return undefined;
  if (!Object.hasOwn(value, key)) return undefined;
  const inner = without((value as Record<PropertyKey, unknown>)[key], rest);
  if (Array.isArray(value)) {
    return inner === undefined ? value.toSpliced(Number(key), 1) : value.with(Number(key), inner);
  }
  const { [key]: _, ...others } = value as Record<PropertyKey, unknown>;
  return inner === undefined ? others : { ...others, [key]: inner };
}
