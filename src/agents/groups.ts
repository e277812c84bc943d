/**
 * Groups of tools as `.tamamo-x/groups.json` keeps them: what `climax build` writes, people edit and
 * `climax mcp` serves.
 */

import * as z from "zod";
import { readDocument } from "../files/document.ts";
import { readTextFile } from "../files/text_file.ts";
import type { NamedText } from "../text/named_text.ts";
import type { Problem } from "../errors.ts";
import { sha256 } from "../text/hash.ts";
import { inputSchema } from "../tool/json_schema.ts";
import type { Tool } from "../tool/tool.ts";

/** The version of the schema that is written, and the only one that is read. */
export const groupsVersion = "1.0.0";

/** A tool of a group. */
export interface GroupedTool {
  /** Its name in the catalogue. */
  readonly name: string;
  /** Its owner. */
  readonly serverName: string;
  /** Hash of the tool when it was grouped, see {@linkcode toolHash}. */
  readonly hash: string;
}

/** Tools that one sub-agent works with. */
export interface ToolGroup {
  /** Unique; `[a-z0-9_]`. */
  readonly id: string;
  /** Unique. */
  readonly name: string;
  /** Role and purpose. */
  readonly description: string;
  readonly systemPrompt: string;
  /** How well the tools work together, 0 to 1. */
  readonly complementarityScore?: number | undefined;
  readonly tools: readonly GroupedTool[];
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** A whole file of groups. */
export interface GroupsFile {
  readonly version: typeof groupsVersion;
  /** The model that proposed the groups, as `provider/model`, or `offline`. */
  readonly proposedBy: string;
  readonly groups: readonly ToolGroup[];
}

/** Characters an id may have: with `agent_` before it, a name that every provider takes. */
export const maxIdLength = 48;

/** Ids that a tool's name can be made of. */
const idPattern = new RegExp(`^[a-z0-9_]{1,${maxIdLength}}$`);

const text = z.string().trim().min(1, "expected a text, found an empty one");

const groupSchema = z.strictObject({
  id: z.string().regex(idPattern, `expected 1 to ${maxIdLength} of a-z, 0-9 and _`),
  name: text,
  description: text,
  systemPrompt: text,
  complementarityScore: z.number().min(0).max(1).optional(),
  tools: z.array(z.strictObject({ name: text, serverName: z.string(), hash: z.string() })).min(1),
  metadata: z.record(z.string(), z.unknown()).optional(),
});

const fileSchema = z.strictObject({
  version: z.literal(groupsVersion),
  proposedBy: z.string(),
  groups: z.array(groupSchema).min(1, "expected at least 1 group"),
});

/** A file of groups, or what is wrong with it. */
export type GroupsResult =
  | { readonly ok: true; readonly file: GroupsFile }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Reads the groups at a path, or those at hand. */
export async function readGroups(source: string | NamedText): Promise<GroupsResult> {
  const file = typeof source === "string" ? source : source.file;
  const read = typeof source === "string"
    ? await readTextFile(source)
    : { ok: true, text: source.text } as const;
  if (!read.ok) {
    const hint = "climax build makes it";
    return { ok: false, problems: [{ hint, ...read.problem }] };
  }
  const document = await readDocument(file, read.text, fileSchema, { check: checkUnique });
  return document.ok
    ? { ok: true, file: document.value }
    : { ok: false, problems: document.problems };
}

/** Ids and names that stand twice, in a value that may not fit the schema. */
function checkUnique(value: unknown) {
  const { groups } = (value ?? {}) as { groups?: unknown };
  if (!Array.isArray(groups)) return [];
  return (["id", "name"] as const).flatMap((key) => {
    const seen = new Set<unknown>();
    return groups.flatMap((group, index) => {
      const found = (group as Record<string, unknown> | null)?.[key];
      if (typeof found !== "string") return [];
      if (seen.has(found)) {
        return [{ path: ["groups", index, key], message: `Duplicate ${key} '${found}'` }];
      }
      seen.add(found);
      return [];
    });
  });
}

/** A short digest of what an agent is told about `tool`; changes when that does. */
export function toolHash(tool: Tool): string {
  const told = JSON.stringify([tool.name, tool.owner.name, tool.description, inputSchema(tool)]);
  return sha256(told).slice(0, 16);
}
