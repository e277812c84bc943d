/** The schemas of `tamamo-x.config.json`, and of the configs of other MCP clients. */

import * as z from "zod";
import { selectSchema } from "../../files/select_schema.ts";
import { sandboxSchema } from "../../policy/schema.ts";
import { isVisible, visibleName } from "../../text/escape.ts";
import { settingKeys } from "../project_settings.ts";

/** A scope of OAuth (RFC 6749, section 3.3). */
export const scopePattern = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;

const texts = z.array(z.string()).optional();
const textMap = z.record(z.string(), z.string()).optional();
/** At most a day, which is longer than any call. */
const seconds = z.number().positive("expected more than 0").max(86_400, "expected at most 86400")
  .optional();

/** How a person logs in. For an absent key, the metadata of the server count. */
const authSchema = z.strictObject({
  clientId: z.string().min(1, "expected the id of a client, found an empty text").optional(),
  clientSecret: z.string().regex(
    /^\$(?:\{\w+\}|\w+)$/,
    // The message must not repeat a secret that was written here by mistake
    { error: "expected a variable, such as $NAME" },
  ).optional(),
  clientMetadataUrl: z.string().optional(),
  issuer: z.string().optional(),
  scopes: z.array(z.string().regex(scopePattern, "expected the name of a scope")).optional(),
  shared: z.boolean().optional(),
});

const serverSchema = z.strictObject({
  name: z.string().min(1, "expected a name, found an empty text").refine(isVisible, visibleName),
  transport: z.enum(["stdio", "http", "websocket"]),
  command: z.string().min(1, "expected a program, found an empty text").optional(),
  args: texts,
  env: textMap,
  cwd: z.string().optional(),
  url: z.string().optional(),
  headers: textMap,
  timeout: seconds,
  select: z.record(z.string(), selectSchema).optional(),
  sandbox: sandboxSchema.optional(),
  auth: authSchema.optional(),
});

/** The only version that is written and read. */
export const configVersion = "1.0.0";

/** A whole `tamamo-x.config.json`. */
export const projectSchema = z.strictObject({
  $schema: z.string().optional(),
  version: z.string().refine((text) => text === configVersion, {
    error: ({ input }) => `version '${input}' is not supported, expected: ${configVersion}`,
  }).optional(),
  mcpServers: z.array(serverSchema),
  ...settingKeys,
});

/** A project's config as written. */
export type ProjectFile = z.infer<typeof projectSchema>;

/** One server of a project's config as written. */
export type ServerFile = z.infer<typeof serverSchema>;

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
