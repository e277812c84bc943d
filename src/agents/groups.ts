/** Reads `.tamamo-x/groups.json`, which `climax build` writes, people edit, and `climax mcp` serves as sub-agents. */

import * as z from "zod";
import { type DocumentResult, readDocument } from "../files/document.ts";
import { readTextFile } from "../files/text_file.ts";
import type { NamedText } from "../text/named_text.ts";
import { isVisible, visibleName } from "../text/escape.ts";
import { sha256 } from "../text/hash.ts";
import { ownProperty } from "../text/own_property.ts";
import { inputSchema } from "../tool/json_schema.ts";
import type { Tool } from "../tool/tool.ts";
import { climax } from "../process/own_command.ts";

export const groupsVersion = "1.0.0";

/** An id has at most this many characters, so that `agent_` and the id are a name that every provider accepts. */
export const maxIdLength = 48;

const idPattern = new RegExp(`^[a-z0-9_]{1,${maxIdLength}}$`);

const text = z.string().trim().min(1, "expected a text, found an empty one");
const name = text.refine(isVisible, visibleName);

const groupSchema = z.strictObject({
  id: z.string().regex(idPattern, `expected 1 to ${maxIdLength} of a-z, 0-9 and _`),
  name,
  description: text,
  systemPrompt: text,
  /** The model estimates from 0 to 1 how well the tools of the group fit together. */
  complementarityScore: z.number().min(0, "expected 0 to 1").max(1, "expected 0 to 1").optional(),
  tools: z.array(z.strictObject({
    name,
    serverName: z.string().refine(isVisible, visibleName),
    /** The hash of the tool when it was grouped, by which a later change is found; absent if a person added the tool. */
    hash: z.string().optional(),
  })).min(1, "expected at least 1 tool"),
  metadata: z.record(z.string(), z.unknown()).optional(),
});

const fileSchema = z.strictObject({
  version: z.literal(groupsVersion),
  /** The model that proposed the groups, as `provider/model`, or `offline`. */
  proposedBy: z.string(),
  groups: z.array(groupSchema).min(1, "expected at least 1 group"),
});

export type GroupsFile = z.infer<typeof fileSchema>;
export type ToolGroup = GroupsFile["groups"][number];
export type GroupedTool = ToolGroup["tools"][number];

export async function readGroups(source: string | NamedText): Promise<DocumentResult<GroupsFile>> {
  const file = typeof source === "string" ? source : source.file;
  const read = await readTextFile(source);
  if (!read.ok) {
    const hint = `${climax()} build makes it`;
    return { ok: false, problems: [{ hint, ...read.problem }] };
  }
  const groups = await readDocument(file, read.text, fileSchema, { check: checkUnique });
  if (groups.ok) return groups;
  const hint = `Mend it; or move it away, as one that tamamo-x wrote, and run ${climax()} build`;
  const problem = { file, message: "The groups of this file are not used, and not replaced", hint };
  return { ok: false, problems: [...groups.problems, problem] };
}

function checkUnique(value: unknown) {
  const groups = ownProperty(value, "groups");
  if (!Array.isArray(groups)) return [];
  return (["id", "name"] as const).flatMap((key) => {
    const all = groups.map((group) => ownProperty(group, key));
    return all.flatMap((found, index) => {
      if (typeof found !== "string" || all.indexOf(found) === index) return [];
      return [{ path: ["groups", index, key], message: `Duplicate ${key} '${found}'` }];
    });
  });
}

export function toolHash(tool: Tool): string {
  const text = JSON.stringify([tool.name, tool.owner.name, tool.description, inputSchema(tool)]);
  return sha256(text).slice(0, 16);
}
