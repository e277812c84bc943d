/**
 * The settings of a project's file: all keys but the servers. Those of strangers must first be accepted by a person.
 */

import { dirname, isAbsolute, join } from "node:path";
import * as z from "zod";
import { checkProvider, credentialSources, providerTypes } from "../agents/llm/settings.ts";
import { resultFormats } from "../catalog/compact.ts";
import { messageOf, type Problem } from "../errors.ts";
import type { Finding } from "../files/finding.ts";
import { systemPath } from "../io.ts";
import { protect } from "../process/protected_paths.ts";
import { canonicalJson, ownProperty } from "../text/own_property.ts";
import { sha256 } from "../text/hash.ts";
import { plural } from "../text/plural.ts";
import { shellWord } from "../text/shell_word.ts";
import { isAccepted, mayBeForeign, type Thing } from "../trust/accepted.ts";
import { climax } from "../process/own_command.ts";

const count = z.number().int("expected a whole number").min(1, "expected at least 1").optional();

const providerSchema = z.strictObject({
  type: z.enum(providerTypes).meta({ description: "Provider of the model" }),
  model: z.string().min(1, "expected the name of a model, found an empty text").optional().meta({
    description: "Name of the model; required where the provider has no default",
  }),
  credentialSource: z.enum(credentialSources).optional().meta({
    description: "Where its credentials come from",
  }),
  endpointOverride: z.string().optional().meta({
    description: "Address to use instead of the provider's",
  }),
});

const embeddingsSchema = z.strictObject({
  endpoint: z.string().meta({ description: "The address of the server" }),
  model: z.string().min(1, "expected the name of a model, found an empty text").meta({
    description: "The name of its model",
  }),
  weight: z.number().min(0).max(1).optional().meta({
    description: "The weight of meaning beside words, from 0 to 1",
    default: 0.3,
  }),
  // The error message for a wrong variable name must not quote it: a person may have written the API key in its place
  apiKeyVariable: z.string().regex(
    /^[A-Za-z_]\w{0,127}$/,
    "expected the name of an environment variable",
  ).optional().meta({ description: "The variable that holds its key" }),
});

const contextSchema = z.strictObject({
  agentFilePath: z.string().optional().meta({
    description: "A file that tells agents about the project",
    examples: ["AGENTS.md"],
  }),
  claudeFilePath: z.string().optional().meta({
    description: "A second such file",
    examples: ["CLAUDE.md"],
  }),
  domain: z.string().optional().meta({ description: "What the project is about" }),
  customHints: z.array(z.string()).optional().meta({
    description: "More hints, one sentence each",
  }),
});

const constraintsSchema = z.strictObject({
  minToolsPerGroup: count.meta({ description: "The least number of tools in a group" }),
  maxToolsPerGroup: count.meta({ description: "The greatest number of tools in a group" }),
  minGroups: count.meta({ description: "The least number of groups" }),
  maxGroups: count.meta({ description: "The greatest number of groups" }),
});

export const settingKeys = {
  cliConfigs: z.array(z.string().min(1, "expected the name of a config, or a path")).optional()
    .meta({
      description: "Configs of command-line programs, by name or path",
      examples: [["git"]],
    }),
  llmProvider: providerSchema.optional().meta({ description: "The language model of sub-agents" }),
  embeddings: embeddingsSchema.optional().meta({
    description: "An embedding server, for search by meaning",
  }),
  results: z.enum(resultFormats).optional().meta({
    description: "Format of climax_search results, where a policy does not set it",
    default: "contract",
  }),
  projectContext: contextSchema.optional().meta({
    description: "Facts about the project for sub-agents",
  }),
  groupingConstraints: constraintsSchema.optional().meta({
    description: "How many groups there may be, and how many tools in each",
  }),
};

const settingsSchema = z.object(settingKeys);
type WrittenSettings = z.infer<typeof settingsSchema>;

export interface ProjectSettings
  extends Omit<WrittenSettings, "cliConfigs" | "groupingConstraints"> {
  /** All keys but the servers. `isUsed`: the person has accepted them, or nobody else can have written the file. */
  readonly rest: Thing & { readonly written: WrittenSettings; readonly isUsed: boolean };
  /** The configs of the project: names of bundled ones, or paths relative to the current folder. */
  readonly cliConfigs: readonly string[];
  readonly groupingConstraints: GroupingConstraints;
  readonly constrainsGroups: boolean;
}

export async function readSettings(
  file: string,
  written: WrittenSettings,
): Promise<ProjectSettings> {
  const thing = { kind: "rest", path: file, sha256: sha256(canonicalJson(written)) } as const;
  const isEmpty = Object.keys(written).length === 0;
  const isUsed = isEmpty || !mayBeForeign(file) || await isAccepted(thing);
  const { cliConfigs = [], groupingConstraints, ...others } = isUsed ? written : {};
  return {
    ...others,
    rest: { ...thing, written, isUsed },
    cliConfigs,
    groupingConstraints: { ...defaults, ...groupingConstraints } as GroupingConstraints,
    constrainsGroups: groupingConstraints !== undefined,
  };
}

export function explainUnused(
  { file, rest }: Pick<ProjectSettings, "rest"> & { readonly file: string },
): Problem {
  const keys = Object.keys(rest.written).map((key) => `'${key}'`).join(", ");
  const message = `Not used, because you have not accepted it as it is: ${keys}`;
  const hint = `Look and accept: ${climax()} trust --all --mcp ${shellWord(file)}`;
  return { file, message, hint };
}

/** Checks what the schema of a project's file cannot express. Paths in the file are relative to `folder`. */
export function checkSettings(project: unknown, folder: string): Finding[] {
  return [
    ...checkProvider(ownProperty(project, "llmProvider")),
    ...checkEmbeddings(ownProperty(project, "embeddings")),
    ...checkContext(ownProperty(project, "projectContext"), folder),
    ...checkConstraints(ownProperty(project, "groupingConstraints")),
  ];
}

function checkEmbeddings(embeddings: unknown): Finding[] {
  const endpoint = ownProperty(embeddings, "endpoint");
  if (typeof endpoint !== "string") return [];
  const path = ["embeddings", "endpoint"];
  const url = URL.parse(endpoint);
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    const message = `'endpoint': '${endpoint}' is not a URL that begins with http:// or https://`;
    const hint = "The base URL as OpenAI clients have it, such as http://127.0.0.1:11434/v1";
    return [{ path, message, hint }];
  }
  if (url.username === "" && url.password === "") return [];
  const hint = "'apiKeyVariable' names the variable with a bearer token";
  return [{ path, message: "'endpoint' has a user's name in it, which cannot be sent", hint }];
}

function checkContext(context: unknown, folder: string): Finding[] {
  return ["agentFilePath", "claudeFilePath"].flatMap((key) => {
    const path = ownProperty(context, key);
    if (typeof path !== "string") return [];
    const reason = whyNotMarkdown(isAbsolute(path) ? path : join(folder, path));
    const message = `'${key}': '${path}' ${reason}`;
    return reason === undefined ? [] : [{ path: ["projectContext", key], message }];
  });
}

function whyNotMarkdown(path: string): string | undefined {
  if (!/\.(?:md|markdown|mdx)$/i.test(path)) return "is not a Markdown file, expected .md";
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(Deno.readFileSync(systemPath(protect(path))));
    return undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "is not found";
    if (error instanceof TypeError) return "is not UTF-8 text";
    return `cannot be read: ${messageOf(error)}`;
  }
}

const defaults = { minToolsPerGroup: 5, maxToolsPerGroup: 20, minGroups: 3, maxGroups: 10 };
type GroupingConstraints = Readonly<typeof defaults>;

function checkConstraints(written: unknown): Finding[] {
  const valueOf = (key: keyof GroupingConstraints) => {
    const value = ownProperty(written, key);
    return typeof value === "number" ? value : defaults[key];
  };
  const pairs = [["minToolsPerGroup", "maxToolsPerGroup"], ["minGroups", "maxGroups"]] as const;
  return pairs.flatMap(([least, most]) => {
    if (valueOf(most) >= valueOf(least)) return [];
    const given = ownProperty(written, most) === undefined ? least : most;
    const message = `'${most}' (${valueOf(most)}) is less than '${least}' (${valueOf(least)})`;
    return [{ path: ["groupingConstraints", given], message }];
  });
}

export function groupsBeside(config = "."): string {
  return join(config === "." ? config : dirname(config), ".tamamo-x", "groups.json");
}

export function warnFewTools(
  { file, cliConfigs, constrainsGroups, groupingConstraints }:
    & ProjectSettings
    & { readonly file: string },
  count: number,
): Problem[] {
  const { minGroups, minToolsPerGroup } = groupingConstraints;
  const least = minGroups * minToolsPerGroup;
  if (!constrainsGroups || cliConfigs.length > 0 || least <= count) return [];
  const found = plural(count, "tool");
  return [{
    file,
    message: `'minGroups' × 'minToolsPerGroup' is ${least}, and there are ${found}`,
  }];
}
