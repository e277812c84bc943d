/** The schemas of `tamamo-x.config.json`, and of the configs of other MCP clients. */

import * as z from "zod";
import { selectSchema } from "../../files/select_schema.ts";
import { resultFormats } from "../../catalog/compact.ts";
import { sandboxSchema } from "../../policy/schema.ts";
import { isVisible, visibleName } from "../../text/escape.ts";
import { credentialSources, providerTypes } from "../../agents/llm/settings.ts";

/** A scope of OAuth (RFC 6749, section 3.3). */
export const scopePattern = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;

const texts = z.array(z.string()).optional();
const textMap = z.record(z.string(), z.string()).optional();
const count = z.number().int("expected a whole number").min(1, "expected at least 1").optional();
/** A day, longer than any call. */
const seconds = z.number().positive("expected more than 0").max(86_400, "expected at most 86400")
  .optional();

/** How a person logs in; what is absent is as the server says. */
const authSchema = z.strictObject({
  clientId: z.string().min(1, "expected the id of a client, found an empty text").optional().meta({
    description: "A client that was registered by hand",
    examples: ["$CLIENT_ID"],
  }),
  clientSecret: z.string().regex(
    /^\$(?:\{\w+\}|\w+)$/,
    // The message must not repeat a secret that was written here by mistake
    { error: "expected a variable, such as $NAME" },
  ).optional().meta({ description: "The variable with its secret", examples: ["$CLIENT_SECRET"] }),
  clientMetadataUrl: z.string().optional().meta({
    description: "The address of a client-ID metadata document",
  }),
  issuer: z.string().optional().meta({
    description: "The only authorization server that is accepted",
  }),
  scopes: z.array(z.string().regex(scopePattern, "expected the name of a scope")).optional().meta({
    description: "What to ask for instead of what the server names",
    examples: [["files:read"]],
  }),
  shared: z.boolean().optional().meta({
    description: "Over HTTP, all clients use the login of the operator",
    default: false,
  }),
});

const serverSchema = z.strictObject({
  name: z.string().min(1, "expected a name, found an empty text").refine(isVisible, visibleName)
    .meta({ description: "What its tools are called after", examples: ["files"] }),
  transport: z.enum(["stdio", "http", "websocket"]).meta({ description: "How to reach it" }),
  command: z.string().min(1, "expected a program, found an empty text").optional().meta({
    description: "The program of a stdio server",
    examples: ["npx"],
  }),
  args: texts.meta({ description: "Its arguments" }),
  env: textMap.meta({
    description: "Its variables; $NAME is one of the environment",
    examples: [{ "TOKEN": "${TOKEN}" }],
  }),
  cwd: z.string().optional().meta({ description: "The directory it runs in" }),
  url: z.string().optional().meta({ description: "The address of an http or websocket server" }),
  headers: textMap.meta({
    description: "Headers of its requests; $NAME is a variable of the environment",
  }),
  timeout: seconds.meta({ description: "Seconds a call may take" }),
  select: z.record(z.string(), selectSchema).optional().meta({
    description:
      "Part of the values in results that agents get, by the server's own names of tools",
    examples: [{ "list_issues": ["number", "title"] }],
  }),
  sandbox: sandboxSchema.optional().meta({
    description: "Holds a stdio server; {} is the directory of climax to write in, and no network",
  }),
  auth: authSchema.optional().meta({
    description:
      "How a person logs in to an http server, where it is not as the server itself says",
  }),
});

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
    description: "What meaning counts beside words, from 0 to 1",
    default: 0.2,
  }),
  // The message must not repeat a key that was written here by mistake
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
  customHints: texts.meta({ description: "More hints, one sentence each" }),
});

const constraintsSchema = z.strictObject({
  minToolsPerGroup: count.meta({ description: "Tools in a group, at least" }),
  maxToolsPerGroup: count.meta({ description: "Tools in a group, at most" }),
  minGroups: count.meta({ description: "Groups, at least" }),
  maxGroups: count.meta({ description: "Groups, at most" }),
});

/** The only version that is written and read. */
export const configVersion = "1.0.0";

/** A whole `tamamo-x.config.json`. */
export const projectSchema = z.strictObject({
  $schema: z.string().optional().meta({
    description: "Where editors find what this file may have",
  }),
  version: z.string().refine((text) => text === configVersion, {
    error: ({ input }) => `version '${input}' is not supported, expected: ${configVersion}`,
  }).optional().meta({ description: "The version of this format", examples: ["1.0.0"] }),
  mcpServers: z.array(serverSchema).meta({ description: "The MCP servers whose tools are served" }),
  cliConfigs: z.array(z.string().min(1, "expected the name of a config, or a path")).optional()
    .meta({
      description: "Configs of command-line programs, by name or path",
      examples: [["git"]],
    }),
  llmProvider: providerSchema.optional().meta({ description: "The language model of sub-agents" }),
  embeddings: embeddingsSchema.optional().meta({
    description: "An embedding server, for search by meaning",
  }),
  skills: z.array(z.string().min(1, "expected the path of a folder")).optional().meta({
    description: "Folders with a folder for each skill, served as resources",
    examples: [["./skills"]],
  }),
  results: z.enum(resultFormats).optional().meta({
    description: "Format of climax_search results, where a policy does not set it",
    default: "contract",
  }),
  projectContext: contextSchema.optional().meta({
    description: "What sub-agents are told about the project",
  }),
  groupingConstraints: constraintsSchema.optional().meta({
    description: "How many groups there may be, and how many tools in each",
  }),
});

/** A project's config as written. */
export type ProjectFile = z.infer<typeof projectSchema>;

/** One server of a project's config as written. */
export type ServerFile = z.infer<typeof serverSchema>;

/** A server for embeddings as written. */
export type EmbeddingsFile = z.infer<typeof embeddingsSchema>;

/** One server in the config of another client; its other keys are ignored. */
export const foreignServerSchema = z.object({
  type: z.string().optional(),
  transport: z.string().optional(),
  command: z.string().optional(),
  args: texts,
  env: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  cwd: z.string().optional(),
  url: z.string().optional(),
  serverUrl: z.string().optional(),
  httpUrl: z.string().optional(),
  headers: textMap,
  disabled: z.boolean().optional(),
});

const foreignServers = z.record(z.string(), foreignServerSchema);

/** A `.mcp.json`, with servers under `mcpServers`, or `servers` in VS Code. */
export const foreignSchema = z.object({
  mcpServers: foreignServers.optional(),
  servers: foreignServers.optional(),
  /** The entries that `climax connect --adopt` has moved, as the client wrote them. */
  written: z.unknown().optional(),
});

/** One server of another client as written. */
export type ForeignServer = z.infer<typeof foreignServerSchema>;
